//! SCHEMA: schemas that are broken, contradictory or unportable.

mod boolean_property;
mod dead_branch;
mod dead_value;
mod default_refused;
mod dialect_unknown;
mod enum_duplicate;
mod example_refused;
mod foreign_keyword;
mod format_unknown;
mod impossible;
mod invalid;
mod keyword_typo;
mod meant;
mod mend;
mod missing;
mod no_effect;
mod not_object;
mod output_not_object;
mod parameter_unsatisfiable;
mod pattern_invalid;
mod pattern_slow;
mod pattern_unanchored;
pub mod place;
mod property_forbidden;
mod redundant;
mod ref_dangling;
mod ref_external;
mod ref_loop;
mod required_undeclared;
mod sample_refused;
mod undecided;
mod unjudged;
mod unsatisfiable;

use super::Rule;
pub(in crate::rules) use boolean_property::boolean_as_object;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[
    &missing::Missing,
    &not_object::NotObject,
    &output_not_object::OutputNotObject,
    &boolean_property::BooleanProperty,
    &dialect_unknown::DialectUnknown,
    &invalid::Invalid,
    &ref_dangling::RefDangling,
    &ref_external::RefExternal,
    &ref_loop::RefLoop,
    &unsatisfiable::Unsatisfiable,
    &parameter_unsatisfiable::ParameterUnsatisfiable,
    &required_undeclared::RequiredUndeclared,
    &property_forbidden::PropertyForbidden,
    &dead_branch::DeadBranch,
    &dead_value::DeadValue,
    &default_refused::DefaultRefused,
    &example_refused::ExampleRefused,
    &pattern_invalid::PatternInvalid,
    &pattern_slow::PatternSlow,
    &pattern_unanchored::PatternUnanchored,
    &enum_duplicate::EnumDuplicate,
    &no_effect::NoEffect,
    &redundant::Redundant,
    &keyword_typo::KeywordTypo,
    &foreign_keyword::ForeignKeyword,
    &format_unknown::FormatUnknown,
    &unjudged::Unjudged,
    &undecided::Undecided,
];
