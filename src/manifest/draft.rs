//! A listing while it is gathered: entries from one or several places of a document.

use super::entry::{self, Entry, Style};
use super::faults::Faults;
use super::{Completeness, LogLine, Manifest, Origin, Revision, Tool, digest};
use crate::error::{ErrorCode, InputError};
use crate::pointer;
use crate::source::Document;
use serde_json::Value;
use std::collections::BTreeMap;

/// The most tools of one listing. The largest known server has under 1,000.
pub const MAX_TOOLS: usize = 10_000;

/// A value with its place in the document.
#[derive(Debug, Clone)]
pub(super) struct At<'d> {
    pub value: &'d Value,
    pub segment: usize,
    pub pointer: String,
}

impl<'d> At<'d> {
    pub fn root(document: &'d Document, segment: usize) -> Option<At<'d>> {
        let value = &document.segments.get(segment)?.value;
        Some(At { value, segment, pointer: String::new() })
    }

    pub fn get(&self, key: &str) -> Option<At<'d>> {
        let value = self.value.get(key)?;
        Some(At { value, segment: self.segment, pointer: pointer::child(&self.pointer, key) })
    }

    /// The value at a pointer below this one.
    pub fn below(&self, below: &str) -> Option<At<'d>> {
        let value = self.value.pointer(below)?;
        Some(At { value, segment: self.segment, pointer: format!("{}{below}", self.pointer) })
    }

    pub fn str(&self, key: &str) -> Option<&'d str> {
        self.value.get(key)?.as_str()
    }

    /// Elements of an array; nothing for other values.
    pub fn items(&self) -> impl Iterator<Item = At<'d>> + use<'d> {
        let (segment, at) = (self.segment, self.pointer.clone());
        self.value.as_array().into_iter().flatten().enumerate().map(move |(i, value)| At {
            value,
            segment,
            pointer: pointer::index(&at, i),
        })
    }

    /// Members of an object; nothing for other values.
    pub fn members(&self) -> impl Iterator<Item = (&'d str, At<'d>)> + use<'d> {
        let (segment, at) = (self.segment, self.pointer.clone());
        self.value
            .as_object()
            .into_iter()
            .flatten()
            .map(move |(key, value)| (key.as_str(), At { value, segment, pointer: pointer::child(&at, key) }))
    }
}

/// A listing while it is gathered.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub server: Option<String>,
    pub protocol: Option<Revision>,
    pub instructions: Option<String>,
    pub prompts: Vec<Value>,
    pub resources: Vec<(String, Value)>,
    pub entries: Vec<(Entry, Origin)>,
    pub listing_fields: Vec<(String, Value)>,
    /// `nextCursor` of the last page: text, segment, pointer.
    pub cursor: Option<(String, usize, String)>,
    pub partial: Option<&'static str>,
    pub notes: Vec<String>,
    pub places: Vec<(String, usize, String)>,
    pub log_lines: Vec<LogLine>,
    pub log_line_count: usize,
    /// What a server sent is judged as it is: nothing is renamed.
    pub is_wire: bool,
    /// Tools beyond [`MAX_TOOLS`].
    beyond: usize,
    /// Hosted tools that were passed over, by kind.
    hosted: BTreeMap<String, usize>,
}

impl Draft {
    pub fn of_server(server: Option<&str>) -> Draft {
        Draft { server: server.map(str::to_string), ..Draft::default() }
    }

    /// Adds the entries of an array of tools.
    pub fn add_tools(&mut self, tools: &At<'_>) {
        for entry in tools.items() {
            self.add_entry(&entry);
        }
    }

    /// Forgets the tools so far: the transcript lists them once more, and the last listing is what a
    /// client has in hand.
    pub fn forget_tools(&mut self) {
        const NOTE: &str = "the transcript lists the tools more than once; the last listing was read";
        self.entries.clear();
        self.beyond = 0;
        self.listing_fields.clear();
        let is_field = |p: &str| p != "/instructions" && !p.starts_with("/prompts/");
        self.places.retain(|(p, _, _)| !is_field(p));
        if !self.notes.iter().any(|n| n == NOTE) {
            self.notes.push(NOTE.to_string());
        }
    }

    /// Adds one entry of an array of tools; a group of Gemini's is several.
    pub fn add_entry(&mut self, at: &At<'_>) {
        if self.is_wire {
            self.add_tool(at);
        } else if let Some((key, _)) = entry::declarations(at.value) {
            for declaration in at.get(key).iter().flat_map(At::items) {
                self.add(&declaration, true);
            }
        } else if let Some(kind) = entry::hosted(at.value) {
            *self.hosted.entry(kind.to_string()).or_default() += 1;
        } else {
            self.add_tool(at);
        }
    }

    /// Adds one tool.
    pub fn add_tool(&mut self, at: &At<'_>) {
        self.add(at, false);
    }

    fn add(&mut self, at: &At<'_>, in_group: bool) {
        if self.entries.len() >= MAX_TOOLS {
            self.beyond += 1; // refused in the end: no need to copy them all first
            return;
        }
        let mut entry =
            if self.is_wire { entry::verbatim(at.value) } else { entry::normalise(at.value, in_group) };
        let moved = std::mem::take(&mut entry.moved);
        let origin = Origin {
            document: 0,
            segment: at.segment,
            pointer: at.pointer.clone(),
            moved,
            name_is_key: false,
        };
        self.entries.push((entry, origin));
    }

    /// Adds the tools of a map from name to definition.
    pub fn add_map(&mut self, tools: &At<'_>) {
        for (name, at) in tools.members() {
            self.add_tool(&at);
            if let Some((entry, origin)) = self.entries.last_mut()
                && let Value::Object(members) = &mut entry.value
                && !members.contains_key("name")
            {
                members.shift_insert(0, "name".to_string(), Value::String(name.to_string()));
                origin.name_is_key = true;
            }
        }
    }

    /// Takes what a result or a listing object says beside its tools.
    pub fn add_fields(&mut self, listing: &At<'_>) {
        for (key, at) in listing.members() {
            match key {
                "tools" => {}
                "nextCursor" => self.set_cursor(Some(&at)),
                // As SDKs and wrappers write it.
                "next_cursor" if !self.is_wire => self.set_cursor(Some(&at)),
                "hasMore" | "has_more" if !self.is_wire && at.value == &Value::Bool(true) => {
                    self.set_cursor(Some(&at));
                }
                _ if self.listing_fields.iter().any(|(known, _)| known == key) => {}
                _ => {
                    self.listing_fields.push((key.to_string(), at.value.clone()));
                    self.place(pointer::child("", key), &at);
                }
            }
        }
    }

    /// Sets or clears the cursor: the last page decides. A null is an absent one; an empty string is a
    /// cursor (specification, pagination).
    pub fn set_cursor(&mut self, cursor: Option<&At<'_>>) {
        self.cursor = cursor.filter(|at| !at.value.is_null()).map(|at| {
            let text = at.value.as_str().map_or_else(|| at.value.to_string(), str::to_string);
            (text, at.segment, at.pointer.clone())
        });
    }

    pub fn set_instructions(&mut self, at: Option<At<'_>>) {
        if let Some((text, at)) = at.and_then(|at| Some((at.value.as_str()?, at))) {
            self.instructions = Some(text.to_string());
            self.place("/instructions".to_string(), &at);
        }
    }

    pub fn add_prompts(&mut self, prompts: Option<At<'_>>) {
        for at in prompts.iter().flat_map(At::items) {
            self.place(pointer::index("/prompts", self.prompts.len()), &at);
            self.prompts.push(at.value.clone());
        }
    }

    /// Adds the entries of a list of resources, or of templates for them.
    pub fn add_resources(&mut self, key: &str, resources: Option<At<'_>>) {
        let list = pointer::child("", key);
        for (i, at) in resources.iter().flat_map(At::items).enumerate() {
            let normalised = pointer::index(&list, i);
            self.place(normalised.clone(), &at);
            self.resources.push((normalised, at.value.clone()));
        }
    }

    pub fn set_protocol(&mut self, version: Option<&str>) {
        let Some(version) = version else { return };
        self.protocol = Revision::parse(version);
        if self.protocol.is_none() {
            self.notes.push(format!(
                "the listing states protocol version {}, which verity does not know; judged by {}",
                crate::error::cut(version),
                Revision::NEWEST.as_str()
            ));
        }
    }

    pub fn place(&mut self, normalised: String, at: &At<'_>) {
        self.places.push((normalised, at.segment, at.pointer.clone()));
    }

    pub fn has_no_tools(&self) -> bool {
        self.entries.is_empty() && self.hosted.is_empty()
    }

    /// Shape of a file with these entries: that of the API they are written for, else `own`.
    pub fn shape(&self, own: &'static str) -> &'static str {
        let styles = self.entries.iter().map(|(entry, _)| entry.style);
        styles.max().and_then(Style::shape).unwrap_or(own)
    }

    /// The manifest; entries get their numbers, what the document could not hold goes to its tool.
    pub fn finish(mut self, documents: &[Document], shape: &'static str) -> Result<Manifest, InputError> {
        if self.beyond > 0 {
            return Err(InputError::new(
                ErrorCode::TooLarge,
                format!(
                    "the listing has {} tools; verity reads at most {MAX_TOOLS}",
                    self.entries.len() + self.beyond
                ),
            )
            .help("Split the listing; no client hands so many tools to a model."));
        }
        self.note_hosted()?;
        if self.entries.iter().any(|(entry, _)| entry.types_lowered) {
            self.notes.push("Gemini's type names (OBJECT, STRING, …) were read as JSON Schema's".to_string());
        }
        let faults = Faults::of(documents);
        let tools: Vec<Tool> = self
            .entries
            .into_iter()
            .enumerate()
            .map(|(index, (entry, origin))| faults.tool(index, entry, origin))
            .collect();
        let rest = faults.rest(&tools, &mut self.places);
        let completeness = match self.cursor {
            Some((cursor, segment, pointer)) => {
                self.places.push(("/nextCursor".to_string(), segment, pointer.clone()));
                self.listing_fields.push(("nextCursor".to_string(), Value::String(cursor.clone())));
                Completeness::Truncated { cursor, segment, pointer }
            }
            None => Completeness::Complete,
        };
        let digest = digest::of_listing(self.instructions.as_deref(), &self.prompts, &self.resources, &tools);
        Ok(Manifest {
            path: documents.first().map(|d| d.path.clone()).unwrap_or_default(),
            shape,
            server: self.server,
            protocol: self.protocol,
            stated: self.protocol,
            is_wire: self.is_wire,
            instructions: self.instructions,
            prompts: self.prompts,
            resources: self.resources,
            tools,
            listing_fields: self.listing_fields,
            completeness,
            partial: self.partial,
            log_lines: self.log_lines,
            log_line_count: self.log_line_count,
            notes: self.notes,
            digest,
            places: self.places,
            defects: rest.defects,
            duplicate_keys: rest.duplicate_keys,
        })
    }

    fn note_hosted(&mut self) -> Result<(), InputError> {
        if self.hosted.is_empty() {
            return Ok(());
        }
        let kinds: Vec<String> = self.hosted.keys().map(|kind| crate::error::cut(kind)).collect();
        let kinds = kinds.join(", ");
        if self.entries.is_empty() {
            return Err(InputError::new(
                ErrorCode::NoTools,
                format!("the file names only tools that the API hosts ({kinds}); it defines none"),
            ));
        }
        let n: usize = self.hosted.values().sum();
        self.notes.push(format!("{n} hosted tools ({kinds}) have no definition here and were passed over"));
        Ok(())
    }
}
