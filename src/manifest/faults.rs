//! What the documents could not hold as written, handed to the tool (or the listing) that it belongs to.

use super::entry::Entry;
use super::{LostText, Origin, Tool};
use crate::pointer;
use crate::source::{Defect, Document};
use std::collections::BTreeMap;

/// Document, segment, source pointer.
type Place<'d> = (usize, usize, &'d str);

/// Defects and duplicate keys of all segments, by place.
pub(super) struct Faults<'d> {
    defects: BTreeMap<Place<'d>, Vec<&'d Defect>>,
    duplicates: BTreeMap<Place<'d>, usize>,
}

/// What belongs to no tool.
#[derive(Debug, Default)]
pub(super) struct Rest {
    pub defects: Vec<LostText>,
    pub duplicate_keys: Vec<(String, usize)>,
}

impl<'d> Faults<'d> {
    pub fn of(documents: &'d [Document]) -> Faults<'d> {
        let mut faults = Faults { defects: BTreeMap::new(), duplicates: BTreeMap::new() };
        for (d, document) in documents.iter().enumerate() {
            for (s, segment) in document.segments.iter().enumerate() {
                for defect in &segment.defects {
                    faults.defects.entry((d, s, &defect.pointer)).or_default().push(defect);
                }
                for (pointer, times) in &segment.duplicate_keys {
                    faults.duplicates.insert((d, s, pointer), *times);
                }
            }
        }
        faults
    }

    /// The tool of an entry, with its faults under normalised pointers.
    pub fn tool(&self, index: usize, entry: Entry, origin: Origin) -> Tool {
        let at = |source: &str| format!("/tools/{index}{}", origin.normalised(source));
        let from: Place<'_> = (origin.document, origin.segment, &origin.pointer);
        let mut defects = Vec::new();
        for (_, p, found) in within(&self.defects, from) {
            defects.extend(found.iter().map(|d| (d.kind, at(p), d.text.clone())));
        }
        let duplicate_keys = within(&self.duplicates, from).map(|(_, p, times)| (at(p), *times)).collect();
        Tool {
            index,
            value: entry.value,
            api: entry.style.shape(),
            foreign: entry.foreign,
            defects,
            duplicate_keys,
            origin,
        }
    }

    /// What belongs to no tool, under its normalised pointer if it has one, else under that of the
    /// source, which then becomes one of `places`.
    pub fn rest(&self, tools: &[Tool], places: &mut Vec<(String, usize, String)>) -> Rest {
        let mut rest = Rest::default();
        if self.defects.is_empty() && self.duplicates.is_empty() {
            return rest;
        }
        let mut entries: Vec<Place<'_>> =
            tools.iter().map(|t| (t.origin.document, t.origin.segment, t.origin.pointer.as_str())).collect();
        entries.sort_unstable();
        let of_no_tool = |(document, segment, p): Place<'_>| {
            !ancestors(p).any(|at| entries.binary_search(&(document, segment, at)).is_ok())
        };
        let known: BTreeMap<(usize, String), String> =
            places.iter().map(|(to, segment, from)| ((*segment, from.clone()), to.clone())).collect();
        let mut normalised = |(_, segment, source): Place<'_>| {
            let to = ancestors(source).find_map(|at| Some((at, known.get(&(segment, at.to_string()))?)));
            if let Some((from, to)) = to {
                return format!("{to}{}", source.strip_prefix(from).unwrap_or_default());
            }
            places.push((source.to_string(), segment, source.to_string()));
            source.to_string()
        };
        for (place, found) in &self.defects {
            if of_no_tool(*place) {
                let pointer = normalised(*place);
                rest.defects.extend(found.iter().map(|d| (d.kind, pointer.clone(), d.text.clone())));
            }
        }
        for (place, times) in &self.duplicates {
            if of_no_tool(*place) {
                rest.duplicate_keys.push((normalised(*place), *times));
            }
        }
        rest
    }
}

/// The entries at and below a place. Their pointers begin with its pointer, so they stand together but
/// for siblings whose names go on where it ends (`/tools/a` and `/tools/a-b`).
fn within<'m, V>(
    map: &'m BTreeMap<Place<'_>, V>,
    from: Place<'m>,
) -> impl Iterator<Item = (usize, &'m str, &'m V)> {
    map.range(from..)
        .take_while(move |((d, s, p), _)| (*d, *s) == (from.0, from.1) && p.starts_with(from.2))
        .filter(move |((_, _, p), _)| pointer::is_within(p, from.2))
        .map(|((_, s, p), v)| (*s, *p, v))
}

/// A pointer and those of the values around it, innermost first.
fn ancestors(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |at| at.get(..at.rfind('/')?))
}
