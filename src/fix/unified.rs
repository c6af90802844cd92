//! Two texts as a unified diff, as `diff -u` and `git apply` know it.

use crate::lines::{Step, compared};
use std::fmt::Write as _;

/// Lines around a change.
const CONTEXT: usize = 3;
/// The most pairs of lines that are compared to find what stayed.
const MAX_PAIRS: usize = 4 << 20;

/// The unified diff of `old` and `new`, empty where they are equal. Lines keep their ends.
#[must_use]
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let steps = steps(&a, &b);
    let mut out = String::new();
    let changed: Vec<usize> = (0..steps.len()).filter(|i| steps.get(*i) != Some(&Step::Keep)).collect();
    let Some(_) = changed.first() else { return out };
    // As git has it: an absolute path starts below the root.
    let path = path.replace('\\', "/");
    let path = path.trim_start_matches('/');
    let _ = write!(out, "--- a/{path}\n+++ b/{path}\n");
    let mut at = 0;
    while let Some(&first) = changed.get(at) {
        let mut last = first;
        while let Some(&next) = changed.get(at).filter(|next| **next <= last + 2 * CONTEXT + 1) {
            last = next;
            at += 1;
        }
        let (from, to) = (first.saturating_sub(CONTEXT), (last + CONTEXT + 1).min(steps.len()));
        hunk(&mut out, &a, &b, &steps, from..to);
    }
    out
}

fn hunk(out: &mut String, a: &[&str], b: &[&str], steps: &[Step], range: std::ops::Range<usize>) {
    let count = |steps: &[Step], not: Step| steps.iter().filter(|s| **s != not).count();
    let before = steps.get(..range.start).unwrap_or_default();
    let here = steps.get(range).unwrap_or_default();
    let (mut i, mut j) = (count(before, Step::Insert), count(before, Step::Delete));
    let (old, new) = (count(here, Step::Insert), count(here, Step::Delete));
    let start = |at: usize, n: usize| if n == 0 { at } else { at + 1 };
    let _ = writeln!(out, "@@ -{},{old} +{},{new} @@", start(i, old), start(j, new));
    for step in here {
        let (sign, line) = match step {
            Step::Keep => (' ', a.get(i)),
            Step::Delete => ('-', a.get(i)),
            Step::Insert => ('+', b.get(j)),
        };
        i += usize::from(*step != Step::Insert);
        j += usize::from(*step != Step::Delete);
        let line = line.copied().unwrap_or_default();
        let _ = write!(out, "{sign}{line}");
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// The shortest way from `a` to `b`, deletions before insertions; a plain replacement where it would be too
/// much work to look for it.
fn steps(a: &[&str], b: &[&str]) -> Vec<Step> {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let rest = (a.len() - head).min(b.len() - head);
    let tail = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(x, y)| x == y).count();
    let (a, b) =
        (a.get(head..a.len() - tail).unwrap_or_default(), b.get(head..b.len() - tail).unwrap_or_default());
    let mut steps = vec![Step::Keep; head];
    if a.len().saturating_mul(b.len()) > MAX_PAIRS {
        steps.extend(a.iter().map(|_| Step::Delete));
        steps.extend(b.iter().map(|_| Step::Insert));
    } else {
        steps.append(&mut compared(a, b));
    }
    steps.extend(vec![Step::Keep; tail]);
    steps
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn hunks_as_diff_u_prints_them() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
        let new = "1\n2\n3\nvier\n5\n6\n7\n8\n9\n10\n11\n12\n13\n15\n16";
        assert_eq!(
            unified("a.json", old, new),
            "--- a/a.json\n+++ b/a.json\n@@ -1,7 +1,7 @@\n 1\n 2\n 3\n-4\n+vier\n 5\n 6\n 7\n@@ -11,5 +11,5 @@\n 11\n 12\n 13\n-14\n 15\n+16\n\\ No newline at end of file\n"
        );
        assert_eq!(unified("a", old, old), "");
        assert!(unified("/tmp/a", old, new).starts_with("--- a/tmp/a\n+++ b/tmp/a\n"));
        assert_eq!(unified("a", "", "x\n"), "--- a/a\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n");
    }
}
