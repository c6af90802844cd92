//! TOOL: the entry of a tool.

mod description_missing;
mod description_repeats_name;
mod field_type;
mod header;
mod header_duplicate;
mod header_name;
mod header_place;
mod header_secret;
mod icon_field;
mod icon_source;
mod invalid;
mod meta;
mod meta_key;
mod meta_reserved;
mod name_missing;
mod task_support;

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[
    &invalid::Invalid,
    &name_missing::NameMissing,
    &description_missing::DescriptionMissing,
    &description_repeats_name::DescriptionRepeatsName,
    &field_type::FieldType,
    &icon_source::IconSource,
    &icon_field::IconField,
    &meta_key::MetaKey,
    &meta_reserved::MetaReserved,
    &task_support::TaskSupport,
    &header_name::HeaderName,
    &header_place::HeaderPlace,
    &header_duplicate::HeaderDuplicate,
    &header_secret::HeaderSecret,
];
