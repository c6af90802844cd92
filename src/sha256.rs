//! SHA-256 digests, spelled as all our formats spell them.

use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};

/// `sha256:` and the 64 hexadecimal digits of the digest of `bytes`.
#[must_use]
pub fn prefixed(bytes: &[u8]) -> String {
    spelled(&Sha256::digest(bytes))
}

/// How many bytes `from` holds, and their digest; each portion goes `to` as it is read.
///
/// # Errors
/// What the system says.
pub(crate) fn copied(from: &mut impl Read, to: &mut impl Write) -> io::Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let mut portion = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let n = from.read(&mut portion)?;
        let read = portion.get(..n).unwrap_or_default();
        if read.is_empty() {
            return Ok((bytes, spelled(&hasher.finalize())));
        }
        hasher.update(read);
        to.write_all(read)?;
        bytes += n as u64;
    }
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
        let mut copy = Vec::new();
        let long = vec![b'a'; 200_000];
        let told = copied(&mut long.as_slice(), &mut copy).unwrap();
        assert_eq!((told, copy), ((200_000, prefixed(&long)), long));
    }
}
