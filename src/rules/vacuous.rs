//! VACUOUS: schemas that promise or demand nothing.

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[];
