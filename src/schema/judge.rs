//! The one judge: the only module that names the `jsonschema` crate.
//!
//! [`Judge`] decides whether a value is valid, [`Algebra`] treats schemas as sets of values. Both
//! are bounded before the crate is called (see [`limits`]), never reach the network, and do not
//! assert `format` unless asked to: the packs' grader does not either (design §4).

mod algebra;
mod cases;
pub mod limits;
mod patterns;
mod places;
mod resolver;
mod work;

pub use algebra::{Algebra, EmptyBecause, Proof, accept_nothing, empty_subschemas};
pub use places::PlaceJudges;
pub use resolver::{Destination, Resolver};

use super::dialect::Dialect;
use serde_json::Value;

pub use jsonschema::canonical::{
    ArrayView, CanonicalKind, CanonicalSchema, CanonicalView, ContainsView, Distinctness, IntegerView,
    NumberView, ObjectView, ObjectViolationView, RawReason, StringView, TypedGroupView,
};
pub use jsonschema::{JsonType, JsonTypeSet};

/// Whether `format` is an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    Annotate,
    Assert,
}

/// Why a schema cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Larger than the bounds in [`limits`]; the text says which.
    #[error("{0}")]
    TooLarge(String),
    /// A `$ref` leads nowhere, or outside the document.
    #[error("{0}")]
    Reference(String),
    /// A `pattern` that the judge's engine refuses.
    #[error("{0}")]
    Pattern(String),
    /// Anything else that makes the schema unusable, such as a metaschema violation.
    #[error("{0}")]
    Invalid(String),
}

/// One reason why the judge refuses a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// Keyword that refused (`minimum`, `required`, `additionalProperties`, …).
    pub keyword: String,
    /// Pointer of the keyword in the schema, through the `$ref`s that were followed
    /// (`/properties/a/$ref/minimum`).
    pub evaluation_path: String,
    /// Pointer of the keyword where it stands in the document (`/$defs/a/minimum`).
    pub schema_pointer: String,
    /// Pointer of the refused value in the instance.
    pub instance_pointer: String,
    pub message: String,
}

/// A compiled schema.
#[derive(Debug)]
pub struct Judge {
    validator: jsonschema::Validator,
    looks: u64,
}

fn draft(dialect: Dialect) -> jsonschema::Draft {
    match dialect {
        Dialect::Draft4 => jsonschema::Draft::Draft4,
        Dialect::Draft6 => jsonschema::Draft::Draft6,
        Dialect::Draft7 => jsonschema::Draft::Draft7,
        Dialect::Draft201909 => jsonschema::Draft::Draft201909,
        Dialect::Draft202012 | Dialect::Unknown => jsonschema::Draft::Draft202012,
    }
}

impl Judge {
    /// Compile `schema` under `dialect`.
    ///
    /// # Errors
    /// See [`CompileError`].
    pub fn compile(schema: &Value, dialect: Dialect, formats: Formats) -> Result<Judge, CompileError> {
        let looks = limits::check(schema)?;
        options(dialect, formats)
            .build(schema)
            .map(|validator| Judge { validator, looks })
            .map_err(|e| compile_error(&e))
    }

    /// Whether the judge accepts `instance`.
    #[must_use]
    pub fn accepts(&self, instance: &Value) -> bool {
        self.validator.is_valid(instance)
    }

    /// Whether `instance` is refused, and for nothing but `keyword` at `pointer` in the schema. Of a name that
    /// `propertyNames` refuses, one reason is looked at.
    #[must_use]
    pub fn breaks_only(&self, instance: &Value, keyword: &str, pointer: &str) -> bool {
        let mut errors = self.validator.iter_errors(instance).peekable();
        errors.peek().is_some()
            && errors.all(|e| {
                let said = innermost(&e);
                let path = said.schema_path().to_string();
                keyword_of(said, &path) == keyword && path == pointer
            })
    }

    /// The only reason why `instance` is refused; `None` if it is accepted, or refused for several.
    #[must_use]
    pub fn only_violation(&self, instance: &Value) -> Option<Violation> {
        let mut errors = self.validator.iter_errors(instance);
        let first = errors.next()?;
        errors.next().is_none().then(|| violation(&first))
    }

    /// How often one value may be looked at, where references multiply; what a verdict costs grows with it.
    #[must_use]
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// Every reason why `instance` is refused, in the judge's order; empty if it is accepted.
    #[must_use]
    pub fn violations(&self, instance: &Value) -> Vec<Violation> {
        self.first_violations(instance, usize::MAX)
    }

    /// The first `most` of them.
    #[must_use]
    pub fn first_violations(&self, instance: &Value, most: usize) -> Vec<Violation> {
        self.validator.iter_errors(instance).take(most).map(|e| violation(&e)).collect()
    }
}

fn options(dialect: Dialect, formats: Formats) -> jsonschema::ValidationOptions<'static> {
    let patterns = jsonschema::PatternOptions::fancy_regex()
        .backtrack_limit(limits::BACKTRACKS)
        .size_limit(limits::PATTERN_BYTES);
    let options = jsonschema::options()
        .with_draft(draft(dialect))
        .should_validate_formats(formats == Formats::Assert)
        .with_pattern_options(patterns)
        .without_content_media_type_support("application/json")
        .offline();
    // The crate asserts them in drafts 6 and 7. No other judge does, and the algebra does not either.
    ["base64", "base64url", "base32", "base32hex", "base16"]
        .into_iter()
        .fold(options, jsonschema::ValidationOptions::without_content_encoding_support)
}

/// The keyword as it stands in the schema: the crate says `required` for a name that another one asks for, and
/// `falseSchema` for a closed object without properties but with a rule for names.
fn keyword_of<'e>(e: &'e jsonschema::ValidationError<'_>, schema_path: &str) -> &'e str {
    let mut path = schema_path.rsplit('/');
    let (last, before) = (path.next(), path.next());
    match (e.kind().keyword(), last) {
        ("required", Some("dependentRequired")) => "dependentRequired",
        ("required", Some("dependencies")) => "dependencies",
        ("falseSchema", Some("additionalProperties")) if before != Some("properties") => {
            "additionalProperties"
        }
        (keyword, _) => keyword,
    }
}

/// Of an error of `propertyNames`, what of the name is wrong.
fn innermost<'e, 'i>(e: &'e jsonschema::ValidationError<'i>) -> &'e jsonschema::ValidationError<'i> {
    match e.kind() {
        jsonschema::error::ValidationErrorKind::PropertyNames { error } => error,
        _ => e,
    }
}

fn violation(e: &jsonschema::ValidationError<'_>) -> Violation {
    let said = innermost(e);
    let schema_pointer = said.schema_path().to_string();
    Violation {
        keyword: keyword_of(said, &schema_pointer).to_string(),
        evaluation_path: said.evaluation_path().to_string(),
        schema_pointer,
        instance_pointer: e.instance_path().to_string(),
        message: e.to_string(),
    }
}

fn compile_error(e: &jsonschema::ValidationError<'_>) -> CompileError {
    use jsonschema::error::ValidationErrorKind as Kind;
    match e.kind() {
        Kind::Referencing(r) => reference_error(r),
        Kind::Format { format } if format == "regex" => CompileError::Pattern(e.to_string()),
        _ => CompileError::Invalid(e.to_string()),
    }
}

/// The crate names one of the documents that it lacks, in no fixed order: none is named here.
fn reference_error(e: &jsonschema::ReferencingError) -> CompileError {
    CompileError::Reference(match e {
        jsonschema::ReferencingError::Unretrievable { .. } => {
            "a reference leads to another document, and nothing is fetched".to_string()
        }
        other => other.to_string(),
    })
}

/// Violations of the metaschema of `dialect`, every place of them.
#[must_use]
pub fn metaschema_violations(schema: &Value, dialect: Dialect) -> Vec<Violation> {
    let meta = match dialect {
        Dialect::Draft4 => jsonschema::draft4::meta::validator(),
        Dialect::Draft6 => jsonschema::draft6::meta::validator(),
        Dialect::Draft7 => jsonschema::draft7::meta::validator(),
        Dialect::Draft201909 => jsonschema::draft201909::meta::validator(),
        Dialect::Draft202012 | Dialect::Unknown => jsonschema::draft202012::meta::validator(),
    };
    meta.iter_errors(schema).map(|e| violation(&e)).collect()
}
