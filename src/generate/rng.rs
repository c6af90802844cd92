//! Randomness that is the same everywhere: ChaCha keyed by domain, seed and name, and bounded draws
//! that depend on the place in the instance alone, so that a change in one place moves no other.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Key of all draws for one schema.
#[derive(Debug, Clone)]
pub(crate) struct Key([u64; 4]);

impl Key {
    pub(crate) fn new(domain: &str, seed: &str, name: &str) -> Key {
        let mut hash = Sha256::new();
        for part in [domain, seed, name] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let mut rng = ChaCha8Rng::from_seed(hash.finalize().into());
        Key([rng.next_u64(), rng.next_u64(), rng.next_u64(), rng.next_u64()])
    }

    /// A number below `n` (0 for `n` = 0), decided by the place and what is drawn there.
    pub(crate) fn below(&self, place: u64, purpose: u64, n: usize) -> usize {
        if n == 0 {
            return 0;
        }
        let bits = self.bits(place, purpose);
        // Multiply-shift keeps the bias below 2^-32 for every list in this crate.
        ((u128::from(bits) * n as u128) >> 64) as usize
    }

    pub(crate) fn bits(&self, place: u64, purpose: u64) -> u64 {
        let [a, b, c, d] = self.0;
        mix(mix(mix(place ^ a).wrapping_add(purpose) ^ b) ^ c).wrapping_add(d)
    }
}

/// The finaliser of splitmix64: every input bit reaches every output bit.
pub(crate) fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The place below `place` that `name` leads to.
pub(crate) fn below_place(place: u64, name: &str) -> u64 {
    name.bytes().fold(mix(place), |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_seed_name_and_place_only() {
        let a = Key::new("generate", "s", "tool");
        let b = Key::new("generate", "s", "tool");
        let c = Key::new("generate", "s", "other");
        let draws = |k: &Key| (0..20).map(|i| k.below(i, 0, 1000)).collect::<Vec<_>>();
        assert_eq!(draws(&a), draws(&b));
        assert_ne!(draws(&a), draws(&c));
        assert!(draws(&a).iter().all(|&n| n < 1000));
        assert_eq!(a.below(1, 1, 0), 0);
        assert_eq!(a.below(1, 1, 1), 0);
    }
}
