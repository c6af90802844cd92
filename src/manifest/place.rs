//! Where a pointer of the normalised listing stands in the file.

use super::Manifest;
use crate::finding::{Part, Span};
use crate::pointer;
use crate::source::Document;

impl Manifest {
    /// Where a pointer of the normalised listing stands in the file. For a place that the file does not
    /// have (a schema that is missing) it is the nearest value around it; for one outside any listing
    /// (`""`), the first text of the file.
    #[must_use]
    pub fn locate(&self, document: &Document, pointer: &str, part: &Part) -> Option<Span> {
        let mut at = pointer;
        let mut part = part;
        loop {
            if let Some(span) = self.exactly(document, at, part) {
                return Some(span);
            }
            match at.rfind('/') {
                Some(cut) => at = at.get(..cut)?,
                None => return document.segments.first().map(|first| document.span(&first.range)),
            }
            part = &Part::Value;
        }
    }

    /// The pointer, in the file's own JSON text, of the place to which [`Manifest::locate`] leads; `None` for what is no
    /// JSON. Of a file with several texts, it is the one in which that place stands.
    #[must_use]
    pub fn source_pointer(&self, document: &Document, pointer: &str) -> Option<String> {
        let mut at = pointer;
        if at.starts_with("/log/") {
            return None;
        }
        loop {
            if let Some((segment, source, _)) = self.source(at)
                && document.locate(segment, &source, &Part::Value).is_some()
            {
                return Some(source);
            }
            match at.rfind('/') {
                Some(cut) => at = at.get(..cut)?,
                None => return (!document.segments.is_empty()).then(String::new),
            }
        }
    }

    /// Segment and pointer of a place, and whether it is the key that leads there.
    fn source(&self, at: &str) -> Option<(usize, String, bool)> {
        if let Some(rest) = at.strip_prefix("/tools/") {
            let (index, below) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let origin = &self.tools.get(index.parse::<usize>().ok()?)?.origin;
            if origin.name_is_key && below == "/name" {
                return Some((origin.segment, origin.pointer.clone(), true));
            }
            return Some((origin.segment, origin.source(below), false));
        }
        let (normalised, segment, source) = self
            .places
            .iter()
            .filter(|(normalised, _, _)| pointer::is_within(at, normalised))
            .max_by_key(|(normalised, _, _)| normalised.len())?;
        let below = at.strip_prefix(normalised.as_str())?;
        Some((*segment, format!("{source}{below}"), false))
    }

    fn exactly(&self, document: &Document, at: &str, part: &Part) -> Option<Span> {
        if let Some(index) = at.strip_prefix("/log/") {
            return Some(document.span(&self.log_lines.get(index.parse::<usize>().ok()?)?.range));
        }
        let (segment, source, is_key) = self.source(at)?;
        match part {
            Part::Range(range) if is_key => document.locate(segment, &source, &Part::KeyRange(range.clone())),
            _ if is_key => document.locate(segment, &source, &Part::Key),
            _ => document.locate(segment, &source, part),
        }
    }

    /// Which of the documents that were read together a pointer is about.
    #[must_use]
    pub fn document_of(&self, pointer: &str) -> usize {
        let tool = pointer.strip_prefix("/tools/").and_then(|rest| {
            let index = rest.split('/').next()?.parse::<usize>().ok()?;
            self.tools.get(index)
        });
        tool.map_or(0, |t| t.origin.document)
    }
}
