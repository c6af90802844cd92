//! Verdict + seed → instances, and mutants that break exactly one keyword. Pure; no IO.
//!
//! Randomness is ChaCha keyed by domain, seed and tool name, with bounded draws of our own: the same
//! bytes on every platform. Every value that leaves this room was accepted (or, for a mutant,
//! refused for the claimed reason) by the judge.

mod allowed;
mod array;
mod assert;
#[cfg(test)]
mod bounds;
mod coverage;
mod distinct;
mod facts;
mod format;
mod fresh;
mod grow;
mod hints;
mod hold;
mod instances;
mod keys;
mod keyset;
mod keywords;
mod language;
mod lengths;
mod lexicon;
mod mix;
mod mutate;
mod num;
mod number;
mod object;
mod parse;
mod pattern;
mod refute;
mod rng;
mod shared;
mod sites;
mod size;
mod solver;
mod split;
mod string;
mod walk;

use crate::schema::SchemaView;
use crate::schema::judge::Formats;
use serde::Serialize;
use serde_json::Value;

/// What to generate.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// Same schema, seed and name: the same values.
    pub seed: &'a str,
    /// Name of the tool (or of the line), part of the key of the randomness.
    pub name: &'a str,
    /// How many distinct valid instances, at most.
    pub count: usize,
    /// How many mutants, at most.
    pub invalid: usize,
    pub formats: Formats,
}

/// Verdict of a schema as `verity generate` prints it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GenerateVerdict {
    Satisfiable,
    /// Satisfiable, and proven to accept every object.
    Vacuous,
    Unsatisfiable,
    #[default]
    Unknown,
}

/// An instance that the judge refuses for one reason alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mutant {
    pub instance: Value,
    /// The broken keyword.
    pub keyword: String,
    /// Pointer of that keyword in the schema.
    pub pointer: String,
}

/// What was generated for one schema.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Generated {
    pub verdict: GenerateVerdict,
    pub valid: Vec<Value>,
    pub invalid: Vec<Mutant>,
    /// Number of keyword sites (design §4).
    pub sites: usize,
    /// Pointers of keywords that change nothing.
    pub redundant: Vec<String>,
    /// Pointers of keywords that cannot be broken alone.
    pub unisolated: Vec<String>,
    /// Pointers of the schema places that the valid instances exercise.
    pub covered: Vec<String>,
    /// For `unknown`, and for lists shorter than asked: what was tried and where it stopped.
    pub reason: Option<String>,
}

/// Instances and mutants of `view`.
#[must_use]
pub fn generate(view: &SchemaView<'_>, options: &Options<'_>) -> Generated {
    instances::generate(view, options)
}
