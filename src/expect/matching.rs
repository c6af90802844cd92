//! Maximum matching of bipartite graphs: as many of the expected as possible each get one of the given. Taking the first
//! that fits (greedy) would leave out some that could have had a partner.

/// For each of `wanted` the index of its partner among `given`, in a matching that leaves as few as possible without.
/// `fits` says who may be whose. Earlier ones keep a partner once they have any; lower indices are preferred.
#[must_use]
pub fn maximum(wanted: usize, given: usize, fits: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let edges: Vec<Vec<usize>> = (0..wanted).map(|w| (0..given).filter(|g| fits(w, *g)).collect()).collect();
    of_edges(&edges, given)
}

/// As [`maximum`], with who may be whose listed for each.
#[must_use]
pub fn of_edges(edges: &[Vec<usize>], given: usize) -> Vec<Option<usize>> {
    let mut matching = Matching { edges, partner: vec![None; edges.len()], owner: vec![None; given] };
    // Those that are free take what is free; then every one that is left looks for a path that moves others.
    for wanted in 0..edges.len() {
        matching.take_free(wanted);
    }
    let mut visited = vec![usize::MAX; given];
    for wanted in 0..edges.len() {
        if matching.partner.get(wanted) == Some(&None) {
            matching.augment(wanted, &mut visited);
        }
    }
    matching.partner
}

struct Matching<'e> {
    edges: &'e [Vec<usize>],
    partner: Vec<Option<usize>>,
    owner: Vec<Option<usize>>,
}

impl Matching<'_> {
    fn edges(&self, wanted: usize) -> &[usize] {
        self.edges.get(wanted).map_or(&[], Vec::as_slice)
    }

    fn owner(&self, given: usize) -> Option<usize> {
        self.owner.get(given).copied().flatten()
    }

    fn join(&mut self, wanted: usize, given: usize) {
        if let (Some(partner), Some(owner)) = (self.partner.get_mut(wanted), self.owner.get_mut(given)) {
            (*partner, *owner) = (Some(given), Some(wanted));
        }
    }

    fn take_free(&mut self, wanted: usize) {
        if let Some(free) = self.edges(wanted).iter().copied().find(|g| self.owner(*g).is_none()) {
            self.join(wanted, free);
        }
    }

    /// Find a chain wanted → given → its owner → …, which ends at one that is free, and move everyone along it. Breadth
    /// first, without recursion: chains may be as long as there are expectations.
    fn augment(&mut self, start: usize, visited: &mut [usize]) {
        let mut came_from: Vec<(usize, usize)> = Vec::new();
        let mut queue = std::collections::VecDeque::from([(start, usize::MAX)]);
        while let Some((wanted, step)) = queue.pop_front() {
            for &given in self.edges(wanted) {
                match visited.get_mut(given) {
                    Some(seen) if *seen != start => *seen = start,
                    _ => continue,
                }
                came_from.push((given, step));
                let here = came_from.len() - 1;
                match self.owner(given) {
                    Some(owner) => queue.push_back((owner, here)),
                    None => return self.shift(start, here, &came_from),
                }
            }
        }
    }

    fn shift(&mut self, start: usize, end: usize, came_from: &[(usize, usize)]) {
        let mut at = end;
        while let Some(&(given, before)) = came_from.get(at) {
            let wanted = came_from.get(before).and_then(|&(g, _)| self.owner(g)).unwrap_or(start);
            self.join(wanted, given);
            if before == usize::MAX {
                return;
            }
            at = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(partners: &[Option<usize>]) -> usize {
        partners.iter().flatten().count()
    }

    /// Every subset of choices, tried.
    fn best(edges: &[Vec<usize>], used: u32) -> usize {
        let Some((first, rest)) = edges.split_first() else { return 0 };
        let taken = first.iter().filter(|g| used & (1 << **g) == 0).map(|g| 1 + best(rest, used | 1 << g));
        taken.max().unwrap_or(0).max(best(rest, used))
    }

    proptest! {
        #[test]
        fn as_many_as_possible_and_nobody_twice(edges in prop::collection::vec(prop::collection::btree_set(0usize..6, 0..5), 0..7)) {
            let edges: Vec<Vec<usize>> = edges.into_iter().map(|e| e.into_iter().collect()).collect();
            let partners = of_edges(&edges, 6);
            prop_assert_eq!(count(&partners), best(&edges, 0));
            let mut seen = std::collections::BTreeSet::new();
            for (w, g) in partners.iter().enumerate().filter_map(|(w, g)| Some((w, (*g)?))) {
                prop_assert!(edges[w].contains(&g) && seen.insert(g));
            }
        }
    }

    #[test]
    fn the_loose_one_gives_way() {
        // The first would take 0, the only one that the second can have.
        assert_eq!(of_edges(&[vec![0, 1], vec![0]], 2), [Some(1), Some(0)]);
        let chain: Vec<Vec<usize>> =
            (0..2000).map(|i| if i == 1999 { vec![0] } else { vec![i, i + 1] }).collect();
        assert_eq!(count(&of_edges(&chain, 2000)), 2000);
    }
}
