//! "Did you mean …?" for names that people type: rule ids, profiles, keywords.

/// The candidate nearest to `typed` (any case), if one is near enough to be what was meant.
#[must_use]
pub fn closest<'c>(typed: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Long hostile input is no typing error, and the distance costs the product of both lengths.
    if typed.len() > 200 {
        return None;
    }
    let wanted = typed.to_lowercase();
    let mut best: Option<(f64, &'c str)> = None;
    for candidate in candidates {
        let score = strsim::jaro_winkler(&wanted, &candidate.to_lowercase());
        if score >= 0.8 && best.is_none_or(|(top, _)| score > top) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// More candidates than this are not listed.
const MAX_LISTED: usize = 40;

/// "unknown rule `X`: did you mean `Y`?", or the list of what there is.
#[must_use]
pub fn unknown<'c>(what: &str, typed: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    let candidates: Vec<_> = candidates.into_iter().collect();
    match closest(typed, candidates.iter().copied()) {
        Some(near) => format!("unknown {what} `{typed}`: did you mean `{near}`?"),
        None if (1..=MAX_LISTED).contains(&candidates.len()) => {
            format!("unknown {what} `{typed}`: there are {}", candidates.join(", "))
        }
        None => format!("unknown {what} `{typed}`"),
    }
}

/// What is said of a pattern with `*` that fits no name.
#[must_use]
pub fn no_match(what: &str, pattern: &str) -> String {
    format!("no {what} is named `{pattern}` (`*` stands for anything)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let ids = ["MCP-POISON-INSTRUCTION", "MCP-POISON-INVISIBLE-TEXT", "MCP-TOOL-INVALID"];
        assert_eq!(closest("mcp-poison-instuction", ids), Some("MCP-POISON-INSTRUCTION"));
        assert_eq!(closest("MCP-TOOL-INVALD", ids), Some("MCP-TOOL-INVALID"));
        assert_eq!(closest("claud", ["openai", "claude", "gemini"]), Some("claude"));
        assert_eq!(closest("zzz", ["openai", "claude"]), None);
        assert_eq!(closest("", ["openai"]), None);
    }
}
