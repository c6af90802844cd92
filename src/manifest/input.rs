//! What was read together: one file, or a folder of snapshots with a file a tool.

use super::draft::{At, Draft};
use super::{Manifest, entry, foreign, read};
use crate::error::InputError;
use crate::finding::{Part, Span};
use crate::source::{self, Document};

/// One input with its manifests, one a server.
#[derive(Debug, Clone)]
pub struct Input {
    /// The file or folder, as the user named it.
    pub path: String,
    /// One, but for a folder of snapshots: then one a tool.
    pub documents: Vec<Document>,
    pub manifests: Vec<Manifest>,
}

impl Input {
    /// The manifests of one document.
    ///
    /// # Errors
    /// As [`read`].
    pub fn of_document(mut document: Document) -> Result<Input, InputError> {
        let manifests = read(&document)?;
        // The tools hold copies of their values; places are looked up in the text.
        document.segments.iter_mut().for_each(|s| s.value = serde_json::Value::Null);
        Ok(Input { path: document.path.clone(), documents: vec![document], manifests })
    }

    /// A folder of snapshots (`__toolsnaps__`) as one manifest, a tool a document.
    ///
    /// # Errors
    /// `TooLarge` for more tools than a listing may have.
    pub fn of_snapshots(folder: &str, documents: Vec<Document>) -> Result<Input, InputError> {
        let mut draft = Draft::default();
        for (i, document) in documents.iter().enumerate() {
            let before = draft.entries.len();
            if let Some(root) = At::root(document, 0) {
                draft.add_entry(&root);
            }
            for (_, origin) in draft.entries.iter_mut().skip(before) {
                origin.document = i;
            }
        }
        let shape = draft.shape("toolsnaps");
        let mut manifest = draft.finish(&documents, shape).map_err(|e| e.at(folder))?;
        manifest.path = folder.to_string();
        Ok(Input { path: folder.to_string(), documents, manifests: vec![manifest] })
    }

    /// The same input with other texts in its documents, read anew.
    ///
    /// # Errors
    /// As for the reading itself.
    pub fn with_texts(&self, texts: &[Option<String>]) -> Result<Input, InputError> {
        let mut documents = Vec::with_capacity(self.documents.len());
        for (i, document) in self.documents.iter().enumerate() {
            let text = texts.get(i).and_then(Option::as_deref).unwrap_or(&document.text);
            documents.push(source::parse(&document.path, document.encoded(text))?);
        }
        let is_folder = self.manifests.iter().any(|m| m.path != documents.first().map_or("", |d| &d.path));
        match (documents.len(), is_folder) {
            (1, false) => documents.into_iter().next().map_or_else(
                || Err(InputError::new(crate::error::ErrorCode::NoTools, "there is no document")),
                Input::of_document,
            ),
            _ => Input::of_snapshots(&self.path, documents),
        }
    }

    /// Whether `document` is the snapshot of one tool.
    ///
    /// # Errors
    /// `NotAManifest`, saying what it is.
    pub fn is_snapshot(document: &Document) -> Result<(), InputError> {
        match document.segments.as_slice() {
            [one] if entry::is_surely_tool(&one.value) || entry::is_plain_tool(&one.value) => Ok(()),
            [one, ..] => Err(foreign::error(&one.value, &document.path).at(&document.path)),
            [] => Err(foreign::error(&serde_json::Value::Null, &document.path).at(&document.path)),
        }
    }

    /// The document that a pointer of `manifest` is about.
    #[must_use]
    pub fn document(&self, manifest: &Manifest, pointer: &str) -> Option<&Document> {
        self.documents.get(manifest.document_of(pointer))
    }

    /// Where a pointer of `manifest` stands in its document.
    #[must_use]
    pub fn locate(&self, manifest: &Manifest, pointer: &str, part: &Part) -> Option<Span> {
        manifest.locate(self.document(manifest, pointer)?, pointer, part)
    }
}
