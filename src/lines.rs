//! Two lists of lines, and how one becomes the other.

/// What to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Keep,
    Delete,
    Insert,
}

/// The shortest way from `a` to `b`, by their longest common subsequence; deletions before insertions. The work is the
/// product of their lengths, which is for the caller to bound.
pub(crate) fn compared(a: &[&str], b: &[&str]) -> Vec<Step> {
    let mut steps = Vec::new();
    let width = b.len() + 1;
    let mut common = vec![0u32; (a.len() + 1) * width];
    let get = |common: &[u32], i: usize, j: usize| common.get(i * width + j).copied().unwrap_or(0);
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let n = match a.get(i) == b.get(j) {
                true => get(&common, i + 1, j + 1) + 1,
                false => get(&common, i + 1, j).max(get(&common, i, j + 1)),
            };
            if let Some(place) = common.get_mut(i * width + j) {
                *place = n;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a.get(i) == b.get(j) {
            steps.push(Step::Keep);
            (i, j) = (i + 1, j + 1);
        } else if i < a.len() && (j == b.len() || get(&common, i + 1, j) >= get(&common, i, j + 1)) {
            steps.push(Step::Delete);
            i += 1;
        } else {
            steps.push(Step::Insert);
            j += 1;
        }
    }
    steps
}
