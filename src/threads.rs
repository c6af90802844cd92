//! Threads with deep stacks, and work shared among them without losing its order.

use rayon::prelude::*;

/// Schemas nest, and the crates that judge them recurse; the bounds on depth are set for this stack.
pub const STACK_BYTES: usize = 256 << 20;

/// Less text than this is worked on before a second thread has begun.
const WORTH_THREADS: usize = 64 << 10;

/// Threads with a stack as deep as the main thread's, if `bytes` of manifests are worth them.
pub(crate) fn pool(bytes: usize) -> Option<rayon::ThreadPool> {
    // Deep stacks take address space, and there are never that many cores' worth of manifests.
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16);
    if threads == 1 || bytes < WORTH_THREADS {
        return None;
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build().ok()
}

/// Whether this is a thread of a [`pool`]. Elsewhere rayon would take threads of its own, whose stacks
/// are too shallow for a schema.
pub(crate) fn is_in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// `work` on each item, in their order; shared among the threads of the pool that runs this, if any.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    if is_in_pool() { items.par_iter().map(work).collect() } else { items.iter().map(work).collect() }
}

/// `items` in parts for [`each`], where every part costs something for the whole listing: `least` items in each, and never
/// many parts. They are the same on every machine.
pub(crate) fn parts<T>(items: &[T], least: usize) -> Vec<&[T]> {
    const MOST: usize = 32;
    items.chunks(least.max(items.len().div_ceil(MOST))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As deep as a stack of 2 MiB, the usual one, is not.
    fn deep(n: usize) -> usize {
        let room = std::hint::black_box([n; 512]);
        if n == 0 { 0 } else { deep(n - 1) + room[0] - n + 1 }
    }

    #[test]
    fn parts_are_neither_small_nor_many() {
        let sizes = |n: usize| parts(&vec![(); n], 8).iter().map(|part| part.len()).collect::<Vec<_>>();
        assert_eq!(sizes(0), [0; 0]);
        assert_eq!(sizes(20), [8, 8, 4]);
        assert_eq!((sizes(10_000).len(), sizes(10_000)[0]), (32, 313));
    }

    #[test]
    fn work_keeps_its_order_and_its_deep_stack_in_and_outside_a_pool() {
        let items: Vec<usize> = (0..20).collect();
        let work = |n: &usize| n + deep(1_000);
        let expected: Vec<usize> = (1_000..1_020).collect();
        let alone = std::thread::Builder::new().stack_size(STACK_BYTES);
        let (theirs, copy) = (expected.clone(), items.clone());
        alone.spawn(move || assert_eq!(each(&copy, work), theirs)).unwrap().join().unwrap();
        if let Some(pool) = pool(WORTH_THREADS) {
            assert_eq!(pool.install(|| each(&items, work)), expected);
        }
        assert!(pool(WORTH_THREADS - 1).is_none());
    }
}
