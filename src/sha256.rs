//! SHA-256 digests, spelled as all our formats spell them.

use sha2::{Digest, Sha256};

/// `sha256:` and the 64 hexadecimal digits of the digest of `bytes`.
#[must_use]
pub fn prefixed(bytes: &[u8]) -> String {
    spelled(&Sha256::digest(bytes))
}

/// `sha256:` before a digest that is there already.
pub(crate) fn spelled(digest: &[u8]) -> String {
    format!("sha256:{}", hex(digest))
}

/// Two small hexadecimal digits a byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_sha256sum_says() {
        // printf '' | sha256sum
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(prefixed(b""), empty);
        assert_eq!(hex(&[0, 10, 255]), "000aff");
    }
}
