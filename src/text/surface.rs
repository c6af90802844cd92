//! Text surfaces: every string of a tool that an agent may read, with its place.

use crate::finding::Part;
use crate::manifest::{Manifest, Tool};

/// What a text is to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    Instructions,
    Prompt,
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

/// Every text surface of `tool`, in document order.
#[must_use]
pub fn of_tool(tool: &Tool) -> Vec<Surface<'_>> {
    let _ = tool;
    Vec::new()
}

/// The text surfaces of the listing outside its tools: instructions, prompts.
#[must_use]
pub fn of_manifest(manifest: &Manifest) -> Vec<Surface<'_>> {
    let _ = manifest;
    Vec::new()
}
