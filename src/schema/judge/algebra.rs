//! Schemas as sets of values.

use super::super::dialect::Dialect;
use super::{CompileError, Formats, draft, limits, reference_error};
use jsonschema::canonical::CanonicalSchema;
use serde_json::Value;
use std::collections::BTreeMap;

/// Whether the algebra proves that no value is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    Yes,
    No,
    Unknown,
}

/// A schema as a set of values.
#[derive(Debug, Clone)]
pub struct Algebra {
    canonical: CanonicalSchema,
    dialect: Dialect,
    formats: Formats,
}

/// Why a subschema admits no value: pointers of the parts (with their keywords) that conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmptyBecause {
    /// It is `false`, as written.
    Literal,
    /// One part admits nothing by itself, or several conflict: (pointer, keywords).
    Parts(Vec<(String, Vec<String>)>),
}

impl Algebra {
    /// The set that `schema` accepts.
    ///
    /// # Errors
    /// See [`CompileError`]; a schema over [`limits::algebra`] is not tried.
    pub fn of(schema: &Value, dialect: Dialect, formats: Formats) -> Result<Algebra, CompileError> {
        limits::check_algebra(schema)?;
        let canonical = canonical_options(dialect, formats).canonicalize(schema).map_err(canonical_error)?;
        Ok(Algebra { canonical, dialect, formats })
    }

    /// The set that the subschema at `pointer` accepts, in the context of `schema`.
    ///
    /// # Errors
    /// See [`Algebra::of`].
    pub fn at(
        schema: &Value,
        pointer: &str,
        dialect: Dialect,
        formats: Formats,
    ) -> Result<Algebra, CompileError> {
        limits::check_algebra(schema)?;
        let prepared = canonical_options(dialect, formats).prepare(schema).map_err(canonical_error)?;
        let canonical = prepared.canonicalize_at(pointer).map_err(canonical_error)?;
        Ok(Algebra { canonical, dialect, formats })
    }

    /// The typed view for the solver.
    #[must_use]
    pub fn canonical(&self) -> &CanonicalSchema {
        &self.canonical
    }

    /// A schema that accepts exactly this set.
    #[must_use]
    pub fn to_schema(&self) -> Value {
        self.canonical.to_json_schema()
    }

    /// Whether any value is accepted.
    #[must_use]
    pub fn satisfiable(&self) -> Proof {
        match self.canonical.satisfiability() {
            jsonschema::canonical::Satisfiability::Yes => Proof::Yes,
            jsonschema::canonical::Satisfiability::No => Proof::No,
            jsonschema::canonical::Satisfiability::Unknown => Proof::Unknown,
        }
    }

    /// Whether every value that `other` accepts is accepted here.
    #[must_use]
    pub fn covers(&self, other: &Algebra) -> Proof {
        match self.canonical.covers(&other.canonical) {
            Ok(jsonschema::canonical::Containment::Yes) => Proof::Yes,
            Ok(jsonschema::canonical::Containment::No) => Proof::No,
            _ => Proof::Unknown,
        }
    }

    /// Whether every value of the set that `schema` (a plain schema without references, in this
    /// dialect and format setting) accepts is accepted here: `covers_plain(&json!({"type": "object"}))`.
    #[must_use]
    pub fn covers_plain(&self, schema: &Value) -> Proof {
        match Algebra::of(schema, self.dialect, self.formats) {
            Ok(other) => self.covers(&other),
            Err(_) => Proof::Unknown,
        }
    }

    /// What is accepted here and not there; `None` where the algebra cannot write it.
    #[must_use]
    pub fn minus(&self, other: &Algebra) -> Option<Algebra> {
        self.combine(self.canonical.subtract(&other.canonical).ok()?)
    }

    /// What both accept.
    #[must_use]
    pub fn and(&self, other: &Algebra) -> Option<Algebra> {
        self.combine(self.canonical.intersect(&other.canonical).ok()?)
    }

    fn combine(&self, canonical: CanonicalSchema) -> Option<Algebra> {
        Some(Algebra { canonical, dialect: self.dialect, formats: self.formats })
    }
}

/// Every subschema that provably admits no value, by pointer, with why. Empty where undecided.
///
/// # Errors
/// See [`Algebra::of`].
pub fn empty_subschemas(
    schema: &Value,
    dialect: Dialect,
) -> Result<BTreeMap<String, EmptyBecause>, CompileError> {
    use jsonschema::canonical::UnsatisfiableReason as Reason;
    limits::check_algebra(schema)?;
    let prepared = canonical_options(dialect, Formats::Annotate).prepare(schema).map_err(canonical_error)?;
    let found = prepared.unsatisfiable().map_err(canonical_error)?;
    let parts = |causes: Vec<jsonschema::canonical::Cause>| {
        EmptyBecause::Parts(causes.into_iter().map(|c| (c.pointer, c.keywords)).collect())
    };
    Ok(found
        .into_iter()
        .map(|(pointer, reason)| match reason {
            Reason::Literal => (pointer, EmptyBecause::Literal),
            Reason::Empty(cause) => (pointer, parts(vec![cause])),
            Reason::Conflict(causes) => (pointer, parts(causes)),
        })
        .collect())
}

/// For each of `places` (pointers in `schema`): whether the subschema there provably accepts nothing.
///
/// # Errors
/// See [`Algebra::of`].
pub fn accept_nothing(schema: &Value, dialect: Dialect, places: &[&str]) -> Result<Vec<bool>, CompileError> {
    limits::check_algebra(schema)?;
    let prepared = canonical_options(dialect, Formats::Annotate).prepare(schema).map_err(canonical_error)?;
    let nothing = |place: &&str| {
        let canonical = prepared.canonicalize_at(place).map_err(canonical_error)?;
        Ok(canonical.satisfiability() == jsonschema::canonical::Satisfiability::No)
    };
    places.iter().map(nothing).collect()
}

fn canonical_options(
    dialect: Dialect,
    formats: Formats,
) -> jsonschema::canonical::CanonicalizeOptions<'static> {
    jsonschema::canonical::options()
        .with_draft(draft(dialect))
        .should_validate_formats(formats == Formats::Assert)
        .offline()
}

fn canonical_error(e: jsonschema::CanonicalizationError) -> CompileError {
    use jsonschema::CanonicalizationError as E;
    match e {
        E::ReferenceResolution(r) => reference_error(&r),
        E::InvalidPattern { .. } => CompileError::Pattern(e.to_string()),
        other => CompileError::Invalid(other.to_string()),
    }
}
