//! SCHEMA: schemas that are broken, contradictory or unportable.

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[];
