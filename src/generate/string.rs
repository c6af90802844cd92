//! Strings: the author's words, a plausible word, then whatever the patterns, formats and lengths
//! leave, as a set of strings.

use super::facts::Facts;
use super::language::{Language, TooComplex, Wanted};
use super::pattern::Pattern;
use super::rng::mix;
use super::solver::{Edge, Fail, MAX_CHARS, Place, Solver};
use super::{format, hints, lengths, lexicon};
use crate::schema::judge::Formats;
use serde_json::Value;

/// Rounds after which the lists are known, and texts are varied.
pub(crate) const VARIED: u32 = 8;
/// Barred texts that are taken out of a language one by one.
const MOST_BARRED: usize = 100;
/// Texts of which every one is tried where a set is larger than what is meant.
const MOST_TRIED: usize = 500;
/// Strings taken from a language before giving up.
const MANY: usize = 40;

impl<'a> Solver<'a> {
    /// Whether the text satisfies the facts; `formats` asks for known formats even where they only annotate.
    pub(crate) fn fits_string(&mut self, facts: &Facts<'a>, text: &str, formats: bool) -> bool {
        let s = &facts.string;
        if s.min > 0 || s.max.is_some() {
            let length = text.chars().count() as u64;
            if length < s.min || s.max.is_some_and(|m| length > m) {
                return false;
            }
        }
        let matches = s.patterns.iter().all(|p| self.matches(p, text))
            && !s.barred.iter().any(|p| self.matches(p, text));
        let asserted = formats || self.formats == Formats::Assert;
        matches
            && (!asserted || s.formats.iter().all(|f| self.shared.has_format(f, text)))
            && !s.barred_formats.iter().any(|f| self.shared.has_format(f, text))
    }

    pub(crate) fn matches(&self, pattern: &str, text: &str) -> bool {
        let compiled = self.pattern(pattern);
        self.shared.spend(compiled.cost_for(text));
        compiled.matches(text)
    }

    pub(crate) fn realize_string(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Value, Fail> {
        let s = &facts.string;
        if s.max.is_some_and(|m| m < s.min) {
            return Err(Fail::Conflict);
        }
        if s.min > MAX_CHARS {
            return Err(Fail::TooBig(format!("a string of at least {} characters", s.min)));
        }
        let usual = self.policy.edge == Edge::Usual || !s.patterns.is_empty() || !s.formats.is_empty();
        if usual && let Some(text) = self.usual_string(facts, place)? {
            return Ok(Value::String(text));
        }
        let plain =
            s.patterns.is_empty() && s.barred.is_empty() && s.formats.iter().all(|f| !format::is_known(f));
        if plain && let Some(text) = self.plain_string(facts, place)? {
            return Ok(Value::String(text));
        }
        if let Some(text) = self.sampled_string(facts, place)? {
            return Ok(Value::String(text));
        }
        self.string_of_language(facts, place)
    }

    fn take(
        &mut self,
        facts: &Facts<'a>,
        texts: impl IntoIterator<Item = impl AsRef<str> + Into<String>>,
        formats: bool,
    ) -> Result<Option<String>, Fail> {
        for text in texts {
            self.step()?;
            let (shown, barred) = (text.as_ref(), facts.taken.is_some() || !facts.excluded.is_empty());
            self.spend(shown.len() / 64 + facts.excluded.len() / 8);
            if self.fits_string(facts, shown, formats) && !(barred && facts.bars(&Value::from(shown))) {
                return Ok(Some(text.into()));
            }
        }
        Ok(None)
    }

    /// Samples of the author, values that the description mentions, values of the format, words.
    fn usual_string(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Option<String>, Fail> {
        let s = &facts.string;
        let mut texts: Vec<String> = Vec::new();
        if self.policy.variant == 0 && facts.taken.is_none() {
            let samples =
                facts.notes.samples.iter().filter_map(|v| v.as_str()).filter(|t| !t.trim().is_empty());
            texts.extend(samples.map(str::to_string));
            for text in facts.notes.descriptions.iter().chain(&facts.notes.titles) {
                texts.extend(hints::values(text).into_iter().map(str::to_string));
            }
            if let Some(text) = self.take(facts, std::mem::take(&mut texts), true)? {
                return Ok(Some(text));
            }
        }
        if facts.taken.as_ref().is_some_and(|t| t.len() > 12) && s.patterns.is_empty() && s.formats.is_empty()
        {
            return Ok(None);
        }
        let turn = self.key.below(place.around, 3, 1 << 16) + self.policy.variant as usize + place.index;
        let words = lexicon::strings(facts, place, turn);
        if s.formats.contains(&"date") {
            // The name says which date is meant: a start, an end.
            texts.extend(words.iter().filter(|w| w.starts_with("20")).map(|w| (*w).to_string()));
        }
        for name in &s.formats {
            texts.extend(format::samples(name, turn));
        }
        if s.formats.is_empty() && self.policy.variant >= VARIED {
            let turn = turn / 4;
            texts.extend(words.first().and_then(|text| lexicon::varied(text, turn)));
        }
        if let Some(text) = self.take(facts, texts, true)? {
            return Ok(Some(text));
        }
        self.take(facts, words, true)
    }

    /// Without patterns and formats: words of the wanted length.
    fn plain_string(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Option<String>, Fail> {
        let s = &facts.string;
        let min = usize::try_from(s.min).unwrap_or(usize::MAX);
        let max = s.max.map_or(usize::MAX, |m| usize::try_from(m).unwrap_or(usize::MAX));
        let wish = match self.policy.edge {
            Edge::Least => min,
            Edge::Greatest if s.max.is_some_and(|m| m <= 10_000) => max,
            _ => min.max(8.min(max)),
        };
        let excluded = facts.barred();
        let turn = self.key.below(place.hash, 4, 1000) + self.policy.variant as usize + place.index;
        let mut texts = Vec::new();
        if let Some(taken) = facts.taken.as_ref().filter(|t| t.len() > 12) {
            // Counting on from the texts that are taken, as long as the length allows.
            texts.extend((0..8).map(|i| lexicon::numbered(taken.len() + i, min, max)));
            if let Some(text) = self.take(facts, std::mem::take(&mut texts), false)? {
                return Ok(Some(text));
            }
        }
        for i in 0..=excluded.min(5_000) {
            texts.push(lexicon::text_of_length(turn + i, wish));
        }
        // The short lengths hold few texts; all of them have their turn.
        texts.push(String::new());
        texts.extend(('a'..='z').map(|c| c.to_string()));
        texts.extend((0..=excluded.min(5_000)).map(|i| lexicon::numbered(i, min, max)));
        self.take(facts, texts, false)
    }

    /// One pattern walked at random, several times.
    fn sampled_string(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Option<String>, Fail> {
        let s = &facts.string;
        let asserted = self.formats == Formats::Annotate && s.formats.iter().any(|f| format::is_known(f));
        let mut second_best = None;
        for pattern in &s.patterns {
            let compiled = self.pattern(pattern);
            let Some(tree) = &compiled.tree else { continue };
            for round in 0..6u64 {
                let place = mix(place.hash ^ (round << 8) ^ (u64::from(self.policy.variant) << 20));
                let stretch = if round < 4 { 0 } else { u32::try_from(s.min.min(100_000)).unwrap_or(0) };
                let Some(text) = tree.sample(&self.key, place, stretch) else { continue };
                self.spend(text.len() / 16);
                let fits = self.take(facts, [text.as_str()], false)?.is_some();
                if fits && (s.formats.is_empty() || self.fits_string(facts, &text, true)) {
                    return Ok(Some(text));
                }
                if fits && second_best.is_none() {
                    second_best = Some(text);
                }
            }
        }
        if second_best.is_none() {
            second_best = self.fitted_string(facts, place)?;
        }
        // The set of strings with pattern and format decides whether both can be had.
        Ok(second_best.filter(|_| !asserted))
    }

    /// Where equal parts have to fill a length between them.
    fn fitted_string(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Option<String>, Fail> {
        let s = &facts.string;
        let bound = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        for pattern in &s.patterns {
            let compiled = self.pattern(pattern);
            let Some(tree) = compiled.tree.as_ref().filter(|t| t.root.refers_back()) else { continue };
            for round in 0..4u64 {
                self.spend(lengths::effort(tree));
                let at = mix(place.hash ^ (round << 8) ^ (u64::from(self.policy.variant) << 20));
                let text =
                    lengths::sample(tree, &self.key, at, bound(s.min), s.max.map_or(usize::MAX, bound));
                let Some(text) = text else { break };
                if let Some(text) = self.take(facts, [text], false)? {
                    return Ok(Some(text));
                }
            }
        }
        Ok(None)
    }

    /// The set that is left, and some strings of it; a set that is exact and empty is a proof.
    fn string_of_language(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Value, Fail> {
        let formats: Vec<&str> =
            facts.string.formats.iter().copied().filter(|f| format::language(f).is_some()).collect();
        if !formats.is_empty()
            && let Ok(set) = self.language(facts, &formats, Language::of)
            && let Some(text) = self.string_of(facts, &set, true, place)?
        {
            return Ok(Value::String(text));
        }
        let Ok(mut set) = self.language(facts, &[], Language::of) else { return Err(self.doubtful()) };
        if self.formats == Formats::Assert {
            // Where the whole of a format is known, nothing is lost by asking for it.
            for whole in facts.string.formats.iter().filter_map(|f| format::whole_language(f)) {
                match Language::whole(whole).and_then(|whole| set.and(&whole)) {
                    Ok(both) => set = both,
                    Err(_) => return Err(self.doubtful()),
                }
            }
        }
        if let Some(text) = self.string_of(facts, &set, false, place)? {
            return Ok(Value::String(text));
        }
        Err(Fail::Conflict)
    }

    fn string_of(
        &mut self,
        facts: &Facts<'a>,
        set: &Language,
        formats: bool,
        place: &Place<'_>,
    ) -> Result<Option<String>, Fail> {
        let s = &facts.string;
        self.steps = self.steps.saturating_add(50);
        self.spend(1_000);
        self.step()?;
        let excluded = facts.barred();
        let wanted = Wanted {
            min: usize::try_from(s.min).unwrap_or(usize::MAX),
            max: s.max.map(|m| usize::try_from(m).unwrap_or(usize::MAX)),
            usual: 8,
            count: MANY + excluded.min(5_000),
            seed: self.key.bits(place.hash, 5),
        };
        let mut texts = set.strings(&self.key, wanted);
        let mut found = self.take(facts, texts.clone().unwrap_or_default(), formats)?;
        if found.is_none()
            && (1..=MOST_BARRED).contains(&excluded)
            && texts.as_ref().is_ok_and(|t| !t.is_empty())
        {
            // All that were found are barred: what is left without them?
            self.spend(100 * excluded);
            texts = set.without(facts.barred_texts()).and_then(|rest| rest.strings(&self.key, wanted));
            found = self.take(facts, texts.clone().unwrap_or_default(), formats)?;
        }
        let mut nothing = set.complete && texts.is_ok_and(|t| t.is_empty());
        if found.is_none() && !nothing && !formats {
            // Few texts are left that could be meant: each of them is asked about.
            let around = self.language(facts, &[], Language::around).ok().filter(|set| set.complete);
            if let Some(all) = around.and_then(|set| set.every(wanted.min, wanted.max, MOST_TRIED)) {
                self.spend(20 * all.len());
                found = self.take(facts, all, false)?;
                nothing = found.is_none();
            }
        }
        let asserted = self.formats == Formats::Assert
            && !(s.formats.iter().all(|f| format::whole_language(f).is_some())
                && s.barred_formats.is_empty());
        self.doubt |= found.is_none() && (!nothing || asserted);
        Ok(found)
    }

    /// What patterns, `formats` and barred patterns leave; `read` makes the set of a pattern.
    fn language(
        &mut self,
        facts: &Facts<'a>,
        formats: &[&str],
        read: fn(&Pattern) -> Result<Language, TooComplex>,
    ) -> Result<Language, TooComplex> {
        let s = &facts.string;
        let mut language = Language::all();
        self.spend(300 * (formats.len() + s.patterns.len() + s.barred.len()));
        for name in formats {
            language = language.and(&Language::whole(format::language(name).unwrap_or(".*"))?)?;
        }
        for pattern in &s.patterns {
            let compiled = self.pattern(pattern);
            let Some(tree) = &compiled.tree else {
                continue;
            };
            language = language.and(&read(tree)?)?;
        }
        for pattern in &s.barred {
            let compiled = self.pattern(pattern);
            let barred = compiled.tree.as_ref().map(Language::of).transpose()?;
            if let Some(barred) = barred.filter(|b| b.exact) {
                language = language.minus(&barred)?;
            }
        }
        Ok(language)
    }
}
