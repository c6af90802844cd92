//! A name or a text as words: `getUserByID`, `get-user-by-id` and "Get user by ID" are the same four.

/// The words of `text` in lower case. Letters and digits make words; everything else, and the
/// step from a small letter to a capital one, parts them (`HTTPServer` is `http`, `server`).
#[must_use]
pub fn of(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            // `don't` is one word
            if matches!(c, '\'' | '’') && !word.is_empty() {
                continue;
            }
            flush(&mut word, &mut words);
            continue;
        }
        let before = i.checked_sub(1).and_then(|j| chars.get(j)).copied();
        let after = chars.get(i + 1).copied();
        let rises = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || b.is_ascii_digit()
                    // `HTTPServer`: the last capital starts a word, unless it is a plural (`IDs`)
                    || (b.is_uppercase() && after.is_some_and(char::is_lowercase) && !is_plural_end(&chars, i))
            });
        if rises {
            flush(&mut word, &mut words);
        }
        word.extend(c.to_lowercase());
    }
    flush(&mut word, &mut words);
    words
}

/// Whether position `i` is the last capital of an abbreviation in the plural: the `D` of `IDs`.
fn is_plural_end(chars: &[char], i: usize) -> bool {
    chars.get(i + 1) == Some(&'s') && !chars.get(i + 2).is_some_and(|c| c.is_lowercase())
}

fn flush(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn every_way_to_write_a_name() {
        let expected = ["get", "user", "by", "id"];
        for name in [
            "getUserByID",
            "get_user_by_id",
            "get-user-by-id",
            "Get user by ID.",
            "GET/user.by:id",
            "GetUserById",
        ] {
            assert_eq!(of(name), expected, "{name}");
        }
    }

    #[test]
    fn abbreviations_and_digits() {
        assert_eq!(of("HTTPServer"), ["http", "server"]);
        assert_eq!(of("listIDs"), ["list", "ids"]);
        assert_eq!(of("oauth2Token"), ["oauth2", "token"]);
        assert_eq!(of("Don't"), ["dont"]);
        assert_eq!(of("!?"), Vec::<String>::new());
    }
}
