//! LIST: the listing as a whole.

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[];
