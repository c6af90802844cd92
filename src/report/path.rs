//! Paths in reports: relative to the folder of the run where they can be, with `/` everywhere.

/// `path` relative to the folder `base` where it lies in it, without `./`.
#[must_use]
pub fn relative(path: &str, base: &str) -> String {
    let path = path.replace('\\', "/");
    let base = base.replace('\\', "/");
    let inside = path.strip_prefix(base.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    let mut path = inside.filter(|_| !base.is_empty()).unwrap_or(&path);
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    path.to_string()
}

/// `path` as a URI reference (RFC 3986): what is no plain character of a path is percent-encoded.
#[must_use]
pub fn uri(path: &str, base: &str) -> String {
    let path = relative(path, base);
    let mut out = String::with_capacity(path.len());
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for b in path.bytes() {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(b))
            }
            _ => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_the_base_and_outside() {
        assert_eq!(relative("/repo/a/tools.json", "/repo"), "a/tools.json");
        assert_eq!(relative("/repository/tools.json", "/repo"), "/repository/tools.json");
        assert_eq!(relative("./a/../b.json", "/repo"), "a/../b.json");
        assert_eq!(relative("a\\b.json", ""), "a/b.json");
    }

    #[test]
    fn what_is_no_path_character_is_encoded() {
        assert_eq!(uri("a b/ü#?.json", ""), "a%20b/%C3%BC%23%3F.json");
        assert_eq!(uri("/tmp/x.json", "/repo"), "file:///tmp/x.json");
        assert_eq!(uri("<stdin>", ""), "%3Cstdin%3E");
    }
}
