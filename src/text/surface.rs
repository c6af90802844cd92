//! Text surfaces: every string of a tool that an agent may read, with its place.
//!
//! A text's role comes from its *position*: a property called `description` is a parameter's name,
//! and what stands under `default` or `enum` is data, whatever its keys are called.

use crate::finding::Part;
use crate::manifest::{Manifest, Tool};
use crate::pointer;
use serde_json::{Map, Value};

/// What a text is to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Instructions,
    Prompt,
    /// Anything of a resource, or of a template for resources.
    Resource,
    ToolName,
    /// `title` or `annotations.title` of the tool.
    ToolTitle,
    ToolDescription,
    ParameterName,
    /// `title` of a subschema.
    Title,
    /// `description` of a subschema.
    Description,
    EnumValue,
    ConstValue,
    Default,
    Example,
    Comment,
    Pattern,
    /// Name of a definition, or a key in data.
    OtherKey,
    Meta,
    IconUrl,
    /// Any other string: unknown keywords and fields included.
    Other,
}

impl Role {
    /// Whether the text is an identifier: its words are joined by `_`, `-` or case.
    #[must_use]
    pub fn is_identifier(self) -> bool {
        matches!(self, Role::ToolName | Role::ParameterName | Role::OtherKey)
    }

    /// Whether the place is one where prose for the agent belongs.
    #[must_use]
    pub fn is_prose(self) -> bool {
        matches!(
            self,
            Role::Instructions
                | Role::Prompt
                | Role::Resource
                | Role::ToolDescription
                | Role::Description
                | Role::Comment
        )
    }

    /// For messages: "the description", "an enum value".
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Role::Instructions => "the instructions text",
            Role::Prompt => "a prompt",
            Role::Resource => "a resource",
            Role::ToolName => "the name",
            Role::ToolTitle => "the title",
            Role::ToolDescription => "the description",
            Role::ParameterName => "a parameter's name",
            Role::Title => "a parameter's title",
            Role::Description => "a parameter's description",
            Role::EnumValue => "an enum value",
            Role::ConstValue => "a const value",
            Role::Default => "a default value",
            Role::Example => "an example",
            Role::Comment => "a `$comment`",
            Role::Pattern => "a pattern",
            Role::OtherKey => "a key",
            Role::Meta => "`_meta`",
            Role::IconUrl => "an icon's address",
            Role::Other => "an unusual field",
        }
    }
}

/// One text, as written.
#[derive(Debug, Clone)]
pub struct Surface<'m> {
    /// Pointer in the normalised listing.
    pub pointer: String,
    /// [`Part::Value`] or [`Part::Key`].
    pub part: Part,
    pub role: Role,
    pub text: &'m str,
}

/// Values nested deeper than this are not read; the reader refuses such files anyway.
const MAX_DEPTH: usize = 512;

/// Every text surface of `tool`, in document order.
#[must_use]
pub fn of_tool(tool: &Tool) -> Vec<Surface<'_>> {
    let mut walk = Walk { found: Vec::new() };
    let at = tool.pointer();
    match &tool.value {
        Value::Object(fields) => walk.tool(fields, &at),
        other => walk.data(other, &at, Role::Other, 0),
    }
    walk.found
}

/// The text surfaces of the listing outside its tools: instructions, prompts, its own fields.
#[must_use]
pub fn of_manifest(manifest: &Manifest) -> Vec<Surface<'_>> {
    let mut walk = Walk { found: Vec::new() };
    if let Some(text) = &manifest.instructions {
        walk.text("/instructions".to_string(), Role::Instructions, text);
    }
    for (i, prompt) in manifest.prompts.iter().enumerate() {
        walk.data(prompt, &format!("/prompts/{i}"), Role::Prompt, 0);
    }
    for (place, resource) in &manifest.resources {
        walk.data(resource, place, Role::Resource, 0);
    }
    for (name, value) in &manifest.listing_fields {
        // A cursor is opaque by specification; the instructions have been read.
        let read = name == "instructions" && manifest.instructions.is_some();
        if name != "nextCursor" && !read {
            let role = if name == "_meta" { Role::Meta } else { Role::Other };
            walk.data(value, &pointer::child("", name), role, 0);
        }
    }
    walk.found
}

struct Walk<'m> {
    found: Vec<Surface<'m>>,
}

impl<'m> Walk<'m> {
    fn text(&mut self, pointer: String, role: Role, text: &'m str) {
        if !text.is_empty() {
            self.found.push(Surface { pointer, part: Part::Value, role, text });
        }
    }

    fn key(&mut self, pointer: String, role: Role, text: &'m str) {
        if !text.is_empty() {
            self.found.push(Surface { pointer, part: Part::Key, role, text });
        }
    }

    fn tool(&mut self, fields: &'m Map<String, Value>, at: &str) {
        for (name, value) in fields {
            let place = pointer::child(at, name);
            match name.as_str() {
                "name" => self.data(value, &place, Role::ToolName, 0),
                "title" => self.data(value, &place, Role::ToolTitle, 0),
                "description" => self.data(value, &place, Role::ToolDescription, 0),
                "inputSchema" | "outputSchema" => self.schema(value, &place, 0),
                "annotations" => self.annotations(value, &place),
                "icons" => self.icons(value, &place),
                "_meta" => self.data(value, &place, Role::Meta, 0),
                // The protocol's own fields, whose names are no text.
                "execution" => self.data(value, &place, Role::Other, 0),
                _ => {
                    self.key(place.clone(), Role::OtherKey, name);
                    self.data(value, &place, Role::Other, 0);
                }
            }
        }
    }

    fn annotations(&mut self, value: &'m Value, at: &str) {
        let Value::Object(fields) = value else {
            return self.data(value, at, Role::Other, 0);
        };
        for (name, value) in fields {
            let place = pointer::child(at, name);
            match name.as_str() {
                "title" => self.data(value, &place, Role::ToolTitle, 0),
                "readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint" => {
                    self.data(value, &place, Role::Other, 0);
                }
                _ => {
                    self.key(place.clone(), Role::OtherKey, name);
                    self.data(value, &place, Role::Other, 0);
                }
            }
        }
    }

    fn icons(&mut self, value: &'m Value, at: &str) {
        for (i, icon) in value.as_array().into_iter().flatten().enumerate() {
            self.data(icon, &pointer::index(at, i), Role::IconUrl, 0);
        }
        if !value.is_array() {
            self.data(value, at, Role::IconUrl, 0);
        }
    }

    /// Strings and keys of data. Keys of the tool's own scalar fields never get here.
    fn data(&mut self, value: &'m Value, at: &str, role: Role, depth: usize) {
        if depth >= MAX_DEPTH {
            return;
        }
        match value {
            Value::String(text) => self.text(at.to_string(), role, text),
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    // Numbers and booleans say nothing; do not pay for their pointers.
                    if holds_text(item) {
                        self.data(item, &pointer::index(at, i), role, depth + 1);
                    }
                }
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    let place = pointer::child(at, name);
                    if !is_plain_field(role, name) {
                        self.key(place.clone(), Role::OtherKey, name);
                    }
                    if holds_text(value) {
                        self.data(value, &place, role, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    fn schema(&mut self, value: &'m Value, at: &str, depth: usize) {
        if depth >= MAX_DEPTH {
            return;
        }
        let Value::Object(members) = value else {
            return self.data(value, at, Role::Other, depth);
        };
        for (keyword, value) in members {
            let place = || pointer::child(at, keyword);
            match keyword.as_str() {
                "title" => self.data(value, &place(), Role::Title, depth + 1),
                "description" => self.data(value, &place(), Role::Description, depth + 1),
                "$comment" => self.data(value, &place(), Role::Comment, depth + 1),
                "pattern" => self.data(value, &place(), Role::Pattern, depth + 1),
                "enum" => self.data(value, &place(), Role::EnumValue, depth + 1),
                "const" => self.data(value, &place(), Role::ConstValue, depth + 1),
                "default" => self.data(value, &place(), Role::Default, depth + 1),
                "examples" | "example" => self.data(value, &place(), Role::Example, depth + 1),
                "type" => self.types(value, &place(), depth),
                "required" => self.required(value, members, &place()),
                _ => self.applicator(keyword, value, &place(), depth),
            }
        }
    }

    /// Keywords with subschemas below them; anything else is an unknown keyword.
    fn applicator(&mut self, keyword: &'m str, value: &'m Value, place: &str, depth: usize) {
        let names = match keyword {
            "properties" => Some(Role::ParameterName),
            "patternProperties" => Some(Role::Pattern),
            "$defs" | "definitions" | "dependentSchemas" | "dependencies" => Some(Role::OtherKey),
            _ => None,
        };
        if let (Some(role), Value::Object(members)) = (names, value) {
            for (name, sub) in members {
                let below = pointer::child(place, name);
                self.key(below.clone(), role, name);
                self.schema(sub, &below, depth + 1);
            }
            return;
        }
        match keyword {
            "allOf" | "anyOf" | "oneOf" | "prefixItems" | "items" if value.is_array() => {
                for (i, sub) in value.as_array().into_iter().flatten().enumerate() {
                    self.schema(sub, &pointer::index(place, i), depth + 1);
                }
            }
            "items"
            | "additionalItems"
            | "unevaluatedItems"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contentSchema" => self.schema(value, place, depth + 1),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
            | "maxLength" | "minItems" | "maxItems" | "uniqueItems" | "minProperties" | "maxProperties"
            | "$ref" | "$id" | "$schema" | "$anchor" | "format" | "readOnly" | "writeOnly" | "deprecated"
            | "dependentRequired" | "contentMediaType" | "contentEncoding" | "nullable" => {
                self.data(value, place, Role::Other, depth + 1);
            }
            _ => {
                self.key(place.to_string(), Role::OtherKey, keyword);
                self.data(value, place, Role::Other, depth + 1);
            }
        }
    }

    /// The seven type names are no text; anything else in their place is.
    fn types(&mut self, value: &'m Value, place: &str, depth: usize) {
        let known = |v: &Value| {
            matches!(
                v.as_str(),
                Some("string" | "number" | "integer" | "boolean" | "object" | "array" | "null")
            )
        };
        match value {
            v if known(v) => {}
            Value::Array(items) if items.iter().all(known) => {}
            v => self.data(v, place, Role::Other, depth + 1),
        }
    }

    /// Names in `required` are seen where they are declared; undeclared ones here.
    fn required(&mut self, value: &'m Value, siblings: &'m Map<String, Value>, place: &str) {
        let declared = siblings.get("properties").and_then(Value::as_object);
        for (i, name) in value.as_array().into_iter().flatten().enumerate() {
            if let Value::String(name) = name
                && !declared.is_some_and(|d| d.contains_key(name))
            {
                self.text(pointer::index(place, i), Role::ParameterName, name);
            }
        }
        if value.is_string() {
            self.data(value, place, Role::Other, 0);
        }
    }
}

fn holds_text(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_))
}

/// Field names of the protocol itself.
fn is_plain_field(role: Role, name: &str) -> bool {
    match role {
        Role::Prompt => {
            matches!(name, "name" | "title" | "description" | "arguments" | "required" | "messages")
        }
        Role::Resource => matches!(
            name,
            "name"
                | "title"
                | "description"
                | "uri"
                | "uriTemplate"
                | "mimeType"
                | "size"
                | "annotations"
                | "icons"
        ),
        Role::IconUrl => matches!(name, "src" | "mimeType" | "sizes" | "theme"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(value: Value) -> Tool {
        Tool { value, ..Tool::default() }
    }

    fn roles(value: Value) -> Vec<(Role, String)> {
        let tool = tool(value);
        of_tool(&tool).into_iter().map(|s| (s.role, s.text.to_string())).collect()
    }

    #[test]
    fn position_decides_the_role() {
        let found = roles(json!({"name": "n", "description": "d", "inputSchema": {"properties": {
            "description": {"description": "inner", "default": {"description": "data"}},
            "enum": {"enum": ["one", 2, {"title": "three"}], "type": "string"}}}}));
        let expected = [
            (Role::ToolName, "n"),
            (Role::ToolDescription, "d"),
            (Role::ParameterName, "description"),
            (Role::Description, "inner"),
            (Role::OtherKey, "description"),
            (Role::Default, "data"),
            (Role::ParameterName, "enum"),
            (Role::EnumValue, "one"),
            (Role::OtherKey, "title"),
            (Role::EnumValue, "three"),
        ];
        assert_eq!(found, expected.map(|(r, t)| (r, t.to_string())));
    }

    #[test]
    fn every_corner_is_read() {
        let value = json!({"name": "n", "title": "a1", "icons": [{"src": "a2"}], "_meta": {"k": ["a3"]},
            "annotations": {"title": "a4", "note": "a5"}, "extra": "a6",
            "inputSchema": {"$comment": "a7", "x-hint": "a8", "required": ["a9"], "type": "a10",
                "patternProperties": {"a11": {"pattern": "a12"}}, "additionalProperties": {"description": "a13"},
                "anyOf": [{"items": {"const": "a14"}}], "$defs": {"z": {"examples": ["a15"], "title": "a16"}},
                "if": {"format": "a17"}},
            "outputSchema": {"items": [{"description": "a18"}]}});
        let texts: Vec<String> = roles(value).into_iter().map(|(_, t)| t).collect();
        for i in 1..=18 {
            assert!(texts.contains(&format!("a{i}")), "a{i} of {texts:?}");
        }
    }

    #[test]
    fn a_tool_that_is_no_object_is_read_too() {
        assert_eq!(roles(json!("words")), [(Role::Other, "words".to_string())]);
    }
}
