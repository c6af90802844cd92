//! How large a pattern becomes once its repetitions are written out, which is what compiling costs.

/// Estimate in characters to tell apart: `a{1,1000}` is 1,000, `(a{100}){100}` 10,000, `\p{L}` 200. Never
/// recurses, and never exceeds the time that reading the pattern takes.
#[must_use]
pub fn cost(pattern: &str) -> usize {
    const PROPERTY_CLASS: usize = 200;
    const CLASS: usize = 5;
    // Cost of each open group so far, and of the last atom in it.
    let mut open: Vec<(usize, usize)> = vec![(0, 0)];
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        let atom = match c {
            '\\' => match chars.next() {
                Some(letter @ ('p' | 'P' | 'u')) => {
                    if chars.peek() == Some(&'{') {
                        chars.by_ref().find(|c| *c == '}');
                    }
                    if letter == 'u' { 1 } else { PROPERTY_CLASS }
                }
                Some('w' | 'W' | 'd' | 'D' | 's' | 'S') => CLASS,
                _ => 1,
            },
            '[' if !in_class => {
                in_class = true;
                CLASS
            }
            ']' if in_class => {
                in_class = false;
                continue;
            }
            '(' if !in_class => {
                open.push((0, 0));
                continue;
            }
            ')' if !in_class => {
                let (inside, last) = open.pop().unwrap_or_default();
                match open.last_mut() {
                    Some((sum, atom)) => {
                        *sum = sum.saturating_add(*atom);
                        *atom = inside.saturating_add(last);
                    }
                    None => open.push((inside, last)),
                }
                continue;
            }
            '{' if !in_class => {
                if let (Some(times), Some((_, atom))) = (repetitions(&mut chars), open.last_mut()) {
                    *atom = atom.saturating_mul(times.max(1));
                }
                continue;
            }
            '*' | '+' | '?' | '|' if !in_class => continue,
            _ => 1,
        };
        let Some((sum, last)) = open.last_mut() else { continue };
        if in_class && c != '[' {
            *last = last.saturating_add(atom.saturating_sub(1));
        } else {
            *sum = sum.saturating_add(*last);
            *last = atom;
        }
    }
    open.into_iter().fold(0, |all, (sum, last)| all.saturating_add(sum).saturating_add(last))
}

/// The larger bound behind `{`; `None` (and nothing taken) where no digits stand.
fn repetitions(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<usize> {
    let mut bounds = [0usize, 0];
    let mut at = 0;
    let mut seen = false;
    while let Some(c) = chars.peek().copied() {
        match (c, c.to_digit(10)) {
            (_, Some(digit)) => {
                seen = true;
                if let Some(bound) = bounds.get_mut(at) {
                    *bound = bound.saturating_mul(10).saturating_add(digit as usize);
                }
            }
            (',', _) if at == 0 => at = 1,
            ('}', _) => {
                chars.next();
                break;
            }
            _ => break,
        }
        chars.next();
    }
    let [least, most] = bounds;
    seen.then_some(least.max(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_multiply() {
        assert_eq!(cost("abc"), 3);
        assert_eq!(cost("a{1,1000}b"), 1001);
        assert_eq!(cost("((a{10}){10}){10}"), 1000);
        assert_eq!(cost(r"(\p{L}{100}|x){5}"), 100_005, "200 × 100 + 1, five times");
        assert_eq!(cost("[a-z]{3}"), 15, "a class counts 5");
        assert_eq!(cost("a{,5}{x"), 6);
        assert_eq!(cost(&"(".repeat(100_000)), 0);
        assert_eq!(cost(&format!("a{{{}}}", "9".repeat(40))), usize::MAX);
    }
}
