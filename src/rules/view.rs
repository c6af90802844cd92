//! What rules see: one prepared view a tool, built lazily and once, so that sixty rules cost one
//! walk each and not sixty parses.

use super::poison::assess::{self, Assessment};
use crate::generate::{self, GenerateVerdict, Options};
use crate::manifest::{Manifest, Revision, Tool};
use crate::schema::judge::Formats;
use crate::schema::{Satisfiability, SchemaView};
use crate::text::{Surface, surface};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// A listing with its prepared tools.
pub struct ManifestView<'m> {
    pub manifest: &'m Manifest,
    tools: Vec<ToolView<'m>>,
    surfaces: OnceCell<Vec<Surface<'m>>>,
    names: OnceCell<BTreeSet<String>>,
    assessment: OnceCell<Assessment>,
}

impl<'m> ManifestView<'m> {
    #[must_use]
    pub fn new(manifest: &'m Manifest) -> Self {
        let tools = manifest.tools.iter().map(ToolView::new).collect();
        ManifestView {
            manifest,
            tools,
            surfaces: OnceCell::new(),
            names: OnceCell::new(),
            assessment: OnceCell::new(),
        }
    }

    #[must_use]
    pub fn tools(&self) -> &[ToolView<'m>] {
        &self.tools
    }

    /// The tools by their names, those of one name in the listing's order; without the tools that have none. For
    /// rules that tell one of two tools: which one, must not depend on how a server happens to sort its listing.
    #[must_use]
    pub fn tools_by_name(&self) -> Vec<(&str, &ToolView<'m>)> {
        let mut tools: Vec<_> = self.tools.iter().filter_map(|t| Some((t.tool.name()?, t))).collect();
        tools.sort_by_key(|(name, _)| *name);
        tools
    }

    #[must_use]
    pub fn revision(&self) -> Revision {
        self.manifest.revision()
    }

    /// Texts outside the tools: instructions, prompts.
    pub fn surfaces(&self) -> &[Surface<'m>] {
        self.surfaces.get_or_init(|| surface::of_manifest(self.manifest))
    }

    /// The names of all tools, in lower case.
    pub fn names(&self) -> &BTreeSet<String> {
        self.names.get_or_init(|| {
            self.manifest.tools.iter().filter_map(|t| t.name()).map(assess::fold_name).collect()
        })
    }

    /// What the texts outside the tools amount to, for the POISON rules.
    pub fn assessment(&self) -> &Assessment {
        self.assessment.get_or_init(|| assess::of_listing(self.surfaces(), self.names()))
    }
}

/// A schema of a tool, with its place in the listing.
pub struct SchemaSite<'m> {
    /// `/tools/N/inputSchema` or `/tools/N/outputSchema`.
    pub pointer: String,
    pub is_input: bool,
    pub view: SchemaView<'m>,
    search: OnceCell<Option<Search>>,
}

/// What the generator found where the algebra cannot tell whether any value is valid.
pub struct Search {
    pub verdict: GenerateVerdict,
    /// What was tried and where it stopped.
    pub reason: String,
}

impl SchemaSite<'_> {
    /// Pointer in the listing of a place in the schema.
    #[must_use]
    pub fn at(&self, below: &str) -> String {
        format!("{}{below}", self.pointer)
    }

    /// The generator's answer where the algebra has none; `None` where it was not needed. It is asked for one
    /// value and only then: few schemas leave the algebra in doubt, and the search is bounded.
    pub fn search(&self) -> Option<&Search> {
        let search = || {
            let unknown = matches!(self.view.verdict().satisfiability, Satisfiability::Unknown(_));
            if !unknown || self.view.judge().is_err() || !self.view.metaschema_violations().is_empty() {
                return None;
            }
            let options = Options { seed: "", name: "", count: 1, invalid: 0, formats: Formats::Annotate };
            let found = generate::generate(&self.view, &options);
            Some(Search { verdict: found.verdict, reason: found.reason.unwrap_or_default() })
        };
        self.search.get_or_init(search).as_ref()
    }
}

/// One tool, prepared.
pub struct ToolView<'m> {
    pub tool: &'m Tool,
    schemas: OnceCell<Vec<SchemaSite<'m>>>,
    surfaces: OnceCell<Vec<Surface<'m>>>,
    assessment: OnceCell<Assessment>,
}

impl<'m> ToolView<'m> {
    #[must_use]
    pub fn new(tool: &'m Tool) -> Self {
        ToolView { tool, schemas: OnceCell::new(), surfaces: OnceCell::new(), assessment: OnceCell::new() }
    }

    /// Pointer in the listing of a place in the tool: `at("/name")`.
    #[must_use]
    pub fn at(&self, below: &str) -> String {
        format!("/tools/{}{below}", self.tool.index)
    }

    /// Input and output schema, where they are an object or a boolean.
    pub fn schemas(&self) -> &[SchemaSite<'m>] {
        self.schemas.get_or_init(|| {
            let input = self.tool.input_schema().map(|s| ("/inputSchema", true, s));
            let output = self.tool.output_schema().map(|s| ("/outputSchema", false, s));
            [input, output]
                .into_iter()
                .flatten()
                .filter(|(_, _, schema)| schema.is_object() || schema.is_boolean())
                .map(|(below, is_input, schema)| SchemaSite {
                    pointer: self.at(below),
                    is_input,
                    view: SchemaView::new(schema),
                    search: OnceCell::new(),
                })
                .collect()
        })
    }

    /// The input schema, if it is an object or a boolean.
    pub fn input(&self) -> Option<&SchemaSite<'m>> {
        self.schemas().iter().find(|s| s.is_input)
    }

    pub fn output(&self) -> Option<&SchemaSite<'m>> {
        self.schemas().iter().find(|s| !s.is_input)
    }

    /// Every text of the tool that an agent may read.
    pub fn surfaces(&self) -> &[Surface<'m>] {
        self.surfaces.get_or_init(|| surface::of_tool(self.tool))
    }

    /// What the tool's texts amount to, for the POISON rules.
    pub fn assessment(&self, manifest: &ManifestView<'_>) -> &Assessment {
        self.assessment.get_or_init(|| assess::of_tool(self.tool, self.surfaces(), manifest.names()))
    }
}
