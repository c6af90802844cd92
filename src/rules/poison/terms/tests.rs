//! Each term is found, and only where it stands.
#![allow(clippy::string_slice)] // a test may panic

use super::*;

/// Every place of every term, by looking for it letter by letter.
fn slowly(parsed: &[Parsed], flat: &str) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    for (at, _) in flat.char_indices() {
        let border = |c: Option<char>| c.is_none_or(|c| !is_word(c) || is_unspaced(c));
        let [last, second, third] = {
            let mut before = flat[..at].chars().rev();
            [before.next(), before.next(), before.next()]
        };
        let particle = |c: Option<char>| c.is_some_and(is_particle);
        let here =
            border(last) || (particle(last) && (border(second) || (particle(second) && border(third))));
        for (i, term) in parsed.iter().enumerate() {
            if (here || !term.kind.borders.0)
                && let Some(size) = term.kind.measure(term.folded.as_bytes(), &flat[at..])
                && let Some(end) = right_border(flat, at + size, &term.kind)
            {
                found.push((i, at, end));
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn the_table_finds_what_a_search_for_each_term_finds() {
    let parsed = parse(LEXICON, STRUCTURE);
    let table = Table::of_parsed(&parsed);
    // Every term in a row, so that each one is met, with borders and without.
    let terms: Vec<&str> = parsed.iter().step_by(7).map(|t| t.folded.as_str()).collect();
    for flat in [terms.join(" "), terms.join("s, "), terms.concat(), "a\u{e9}".to_string()] {
        let flat: String = flat.chars().take(20_000).collect();
        let mut found = Vec::new();
        table.each(&flat, &mut |i, _, at, end| found.push((i, at, end)));
        found.sort_unstable();
        assert_eq!(found, slowly(&parsed, &flat));
    }
}

#[test]
fn each_term_is_found_in_a_text_made_of_it() {
    let parsed = parse(LEXICON, STRUCTURE);
    let table = Table::of_parsed(&parsed);
    let mut deaf = Vec::new();
    for (i, term) in parsed.iter().enumerate() {
        // As it is written, and with an ending at each star: of the same script, or it would be a disguise.
        let last = |piece: &str| piece.chars().next_back().filter(|c| c.is_alphabetic());
        let bare = term.raw.strip_suffix('+').unwrap_or(&term.raw).to_string();
        let (mut plain, mut spread) = (bare.clone(), bare.clone());
        if !bare.starts_with('*') {
            plain = bare.replace('*', "");
            spread = String::new();
            for piece in bare.split_inclusive('*') {
                let stem = piece.trim_end_matches('*');
                spread.push_str(stem);
                if stem.len() < piece.len() {
                    spread.extend(last(stem).or(Some('e')));
                }
            }
        }
        for text in [format!("{plain}."), format!("{plain} {plain}"), format!("({spread})")] {
            let flat = crate::text::fold::fold(&text, false).text;
            let mut heard = false;
            table.each(&flat, &mut |found, _, _, _| heard |= found == i);
            if !heard {
                deaf.push(format!("{}: {} in {flat:?}", term.name, term.raw));
            }
        }
    }
    assert!(deaf.is_empty(), "{deaf:#?}");
}

#[test]
fn a_star_within_a_term_stands_for_an_ending() {
    let found = |flat: &str| occurring(flat).iter().any(|t| t.contains("lass* alles beiseite"));
    assert!(found("lass alles beiseite") && found("lasst alles beiseite"));
    assert!(
        !found("lassunsnurbald alles beiseite")
            && !found("lass_t alles beiseite")
            && !found("lasst es beiseite")
    );
}

#[test]
fn no_stem_of_another_language_stands_in_a_common_english_word() {
    let words = include_str!("english.txt").lines().filter(|l| !l.starts_with('#'));
    let wrong: Vec<String> = words.flat_map(|l| l.split(' ')).flat_map(foreign_stems).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(foreign_stems("mencionar").len(), 2, "a Spanish word is told");
}

#[test]
fn terms_begin_at_word_borders_but_for_scripts_without_spaces() {
    let found = |flat: &str| occurring(flat);
    assert!(found("mentioned it").contains("TELL: mention+"));
    assert!(!found("foremention it").contains("TELL: mention+"));
    assert!(found("不要告诉用户").contains("TELL: 告诉"));
    assert!(found("backup_id_rsa").contains("SECRETPATH: id_rsa"));
}

#[test]
fn a_kind_reads_as_it_is_written() {
    for term in parse(LEXICON, STRUCTURE) {
        let head = term.kind.write(term.name);
        let read = Kind::read(&head).unwrap();
        assert_eq!(read.write(term.name), head);
        assert_eq!((read.concept, read.lexis), (term.kind.concept, term.kind.lexis));
    }
}
