//! The first line of every file in a pack says that verity wrote it, with a digest of the rest: so a
//! re-export knows its own files from others, and from files that somebody has edited since.

use crate::sha256;

const SAYS: &str = "Written by verity agent-tasks; a re-export replaces it.";

/// `text`, below a marker in a YAML comment.
#[must_use]
pub fn mark_yaml(text: &str) -> String {
    format!("# {SAYS} {}\n{text}", sha256::prefixed(text.as_bytes()))
}

/// `text`, below a marker in an HTML comment.
#[must_use]
pub fn mark_markdown(text: &str) -> String {
    format!("<!-- {SAYS} {} -->\n{text}", sha256::prefixed(text.as_bytes()))
}

/// Whether `text` is as verity wrote it. Line ends do not count: version control may have changed them.
#[must_use]
pub fn is_ours(text: &str) -> bool {
    let text = text.replace("\r\n", "\n");
    text.split_once('\n').is_some_and(|(first, rest)| {
        let yaml = first.strip_prefix("# ");
        let markdown = first.strip_prefix("<!-- ").and_then(|f| f.strip_suffix(" -->"));
        let says = yaml.or(markdown).and_then(|f| f.strip_prefix(SAYS)).and_then(|f| f.strip_prefix(' '));
        says.is_some_and(|found| found == sha256::prefixed(rest.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_files_are_known_and_edited_ones_are_not() {
        for marked in [mark_yaml("a: 1\n"), mark_markdown("# Title\n")] {
            assert!(is_ours(&marked));
            assert!(is_ours(&marked.replace('\n', "\r\n")));
            assert!(!is_ours(&format!("{marked}b: 2\n")));
        }
        assert!(!is_ours("a: 1\n"));
        assert!(!is_ours(""));
    }
}
