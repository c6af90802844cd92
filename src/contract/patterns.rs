//! Patterns of checks: ECMA-262, anchored over the whole text, within a budget.

mod portable;

use super::failure::{Code, Failure};
use crate::schema::judge::{Formats, Judge};
use crate::schema::{Dialect, backtrack, ecma};
use serde_json::{Value, json};

/// Steps that matching may take: one for each character and quantifier, and one more a character.
pub const MATCH_BUDGET: usize = 1_000_000;

/// Why a pattern cannot stand in a check; `None` where it can.
#[must_use]
pub fn refusal(pattern: &str) -> Option<String> {
    if let Some(fault) = ecma::fault(pattern).filter(|fault| !fault.legacy_accepts) {
        return Some(format!("is no regular expression of ECMA-262: {}", fault.reason));
    }
    let shape = Shape::of(pattern);
    if !pattern.starts_with('^') || !pattern.ends_with('$') || shape.is_last_escaped {
        return Some("is not anchored: it has to begin with `^` and end with `$`".to_string());
    }
    if shape.has_top_level_alternation {
        return Some("is not anchored as a whole: write `^(?:a|b)$`, not `^a|b$`".to_string());
    }
    if shape.has_backreference {
        return Some("has a back-reference, which no check may".to_string());
    }
    if shape.has_lookbehind {
        return Some("has a lookbehind, which no check may".to_string());
    }
    matcher(pattern).err().map(|why| format!("cannot be matched here: {why}"))
}

/// A pattern, ready to be matched.
#[derive(Debug)]
pub struct Matcher {
    judge: Judge,
    quantifiers: usize,
}

impl Matcher {
    /// # Errors
    /// [`Code::BudgetExhausted`] where matching could take for ever, whatever the text; `at` is the pattern's check.
    pub fn new(pattern: &str, at: &str) -> Result<Matcher, Failure> {
        let shape = Shape::of(pattern);
        if shape.has_nested_quantifier || backtrack::is_exponential(pattern) {
            let detail = "the pattern repeats what repeats, which can take for ever to match";
            return Err(Failure::new(Code::BudgetExhausted, at, detail));
        }
        match matcher(pattern) {
            Ok(judge) => Ok(Matcher { judge, quantifiers: shape.quantifiers }),
            Err(why) => {
                let detail = format!("the pattern cannot be matched: {why}");
                Err(Failure::new(Code::MalformedOperatorExpression, at, detail))
            }
        }
    }

    /// Whether the whole of `text` matches.
    ///
    /// # Errors
    /// [`Code::BudgetExhausted`] for a text that is too long for the pattern.
    pub fn matches(&self, text: &Value, at: &str) -> Result<bool, Failure> {
        let length = text.as_str().map_or(0, |text| text.encode_utf16().count());
        let steps = (1 + self.quantifiers).saturating_mul(length);
        if steps > MATCH_BUDGET {
            let detail = format!("matching takes about {steps} steps; {MATCH_BUDGET} is the budget");
            return Err(Failure::new(Code::BudgetExhausted, at, detail));
        }
        Ok(self.judge.accepts(text))
    }
}

/// The judge's engine, which is bounded.
fn matcher(pattern: &str) -> Result<Judge, String> {
    let pattern = portable::portable(pattern);
    Judge::compile(&json!({ "type": "string", "pattern": pattern }), Dialect::Draft202012, Formats::Annotate)
        .map_err(|e| e.to_string())
}

/// What a scan of a pattern finds. It is no parse: it knows escapes, classes and groups.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shape {
    is_last_escaped: bool,
    has_top_level_alternation: bool,
    has_backreference: bool,
    has_lookbehind: bool,
    has_nested_quantifier: bool,
    quantifiers: usize,
}

impl Shape {
    fn of(pattern: &str) -> Shape {
        let mut shape = Shape::default();
        let chars: Vec<char> = pattern.chars().collect();
        let at = |i: usize| chars.get(i).copied();
        // Of each open group: whether anything in it repeats.
        let mut open: Vec<bool> = Vec::new();
        let (mut i, mut in_class) = (0, false);
        while let Some(c) = at(i) {
            match c {
                '\\' => {
                    shape.is_last_escaped = i + 2 == chars.len();
                    let named = at(i + 1) == Some('k') && at(i + 2) == Some('<');
                    let numbered = at(i + 1).is_some_and(|c| ('1'..='9').contains(&c));
                    shape.has_backreference |= !in_class && (named || numbered);
                    i += 1;
                }
                ']' => in_class = false,
                _ if in_class => {}
                '[' => in_class = true,
                '(' => {
                    open.push(false);
                    let lookbehind = at(i + 1) == Some('?')
                        && at(i + 2) == Some('<')
                        && matches!(at(i + 3), Some('=' | '!'));
                    shape.has_lookbehind |= lookbehind;
                    // The `?` of `(?:` repeats nothing.
                    i += usize::from(at(i + 1) == Some('?'));
                }
                ')' => {
                    let repeats_inside = open.pop().unwrap_or(false);
                    let is_repeated = quantifier(&chars, i + 1).is_some();
                    shape.has_nested_quantifier |= repeats_inside && is_repeated;
                    if let Some(around) = open.last_mut() {
                        *around |= repeats_inside;
                    }
                }
                '|' => shape.has_top_level_alternation |= open.is_empty(),
                _ => {
                    if let Some(length) = quantifier(&chars, i) {
                        shape.quantifiers += 1;
                        if let Some(group) = open.last_mut() {
                            *group = true;
                        }
                        // A lazy quantifier's `?` is no second one.
                        i += length - 1 + usize::from(at(i + length) == Some('?'));
                    }
                }
            }
            i += 1;
        }
        shape
    }
}

/// The length of the quantifier that begins at `i`, if one does.
fn quantifier(chars: &[char], i: usize) -> Option<usize> {
    match chars.get(i)? {
        '*' | '+' | '?' => Some(1),
        '{' => {
            let end = i + chars.get(i..)?.iter().position(|c| *c == '}')?;
            let inside = chars.get(i + 1..end)?;
            let is_count = inside.first().is_some_and(char::is_ascii_digit)
                && inside.iter().all(|c| c.is_ascii_digit() || *c == ',')
                && inside.iter().filter(|c| **c == ',').count() <= 1;
            is_count.then_some(end + 1 - i)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_stand_in_a_check() {
        for good in [
            "^$",
            "^a+$",
            "^(?:a|b)$",
            "^[|(\\]]$",
            "^\\d{3}-\\$$",
            "^a\\|b$",
            "^(?=a).$",
            "^(?<n>a)$",
            "^\\\\$",
        ] {
            assert_eq!(refusal(good), None, "{good}");
        }
        let bad = [
            ("a", "anchored"),
            ("^a", "anchored"),
            ("a$", "anchored"),
            ("^a\\$", "anchored"),
            ("^a|b$", "as a whole"),
            ("^(a)|b$", "as a whole"),
            ("^(a)\\1$", "back-reference"),
            ("^(?<n>a)\\k<n>$", "back-reference"),
            ("^(?<=a)b$", "lookbehind"),
            ("^(?<!a)b$", "lookbehind"),
            ("^($", "ECMA-262"),
            ("^a**$", "ECMA-262"),
        ];
        for (pattern, why) in bad {
            let said = refusal(pattern).unwrap_or_default();
            assert!(said.contains(why), "{pattern}: {said}");
        }
    }

    fn matches(pattern: &str, text: &str, at: &str) -> Result<bool, Failure> {
        Matcher::new(pattern, at)?.matches(&Value::from(text), at)
    }

    #[test]
    fn every_legal_pattern_is_matched() {
        for (pattern, text, expected) in [
            ("^[^]$", "\n", true),
            ("^[]$", "a", false),
            ("^[\\b]$", "\u{8}", true),
            ("^\\0$", "\0", true),
            ("^[\\d-x]$", "-", true),
            ("^[\\d-x]$", "a", false),
        ] {
            assert_eq!(refusal(pattern), None, "{pattern}");
            assert_eq!(matches(pattern, text, ""), Ok(expected), "{pattern}");
        }
    }

    #[test]
    fn the_budget_is_an_estimate() {
        assert_eq!(matches("^a+$", "aaa", ""), Ok(true));
        assert_eq!(matches("^a+$", "aab", ""), Ok(false));
        assert_eq!(matches("^(?:GET|POST)$", "POST", ""), Ok(true));
        assert_eq!(matches("^a$", "a\n", ""), Ok(false));
        let code = |pattern: &str, text: &str| matches(pattern, text, "").map_err(|f| f.code);
        // Two million steps of one quantifier and the match itself.
        assert_eq!(code("^a*$", &"a".repeat(1_000_000)), Err(Code::BudgetExhausted));
        assert_eq!(code("^a*$", &"a".repeat(500_000)), Ok(true));
        for nested in ["^(a+)+$", "^(?:a*b)*$", "^((a+)b)*$", "^(a{2,}){3}$"] {
            assert_eq!(code(nested, ""), Err(Code::BudgetExhausted), "{nested}");
        }
        // An escaped `+`, one in a class, and a lazy one do not multiply.
        for plain in ["^(?:a\\+)+$", "^(?:[+*])+$", "^(?:GET|POST)+$", "^a+?$"] {
            assert!(code(plain, "a+").is_ok(), "{plain}");
        }
        assert_eq!(Shape::of("^a+?b*[*]\\*c{2}$").quantifiers, 3);
    }
}
