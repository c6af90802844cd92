//! LIST: the listing as a whole, and how it is written.

mod duplicate;
mod duplicate_key;
mod log_line;
mod lost_value;
mod result_field;
#[cfg(test)]
mod testing;
mod truncated;
mod unknown_field;

use super::Rule;

/// The rule about a listing that goes on elsewhere, which `--allow-incomplete` is about.
pub const TRUNCATED: &str = "MCP-MANIFEST-TRUNCATED";

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[
    &truncated::Truncated,
    &duplicate::Duplicate,
    &duplicate_key::DuplicateKey,
    &lost_value::LostValue,
    &log_line::LogLine,
    &result_field::ResultField,
    &unknown_field::UnknownField,
];
