//! What the keywords of JSON Schema are: annotations or assertions, and for which type of value.

use super::judge::JsonType;

/// Keywords that say something to a reader and nothing to a judge.
pub const ANNOTATIONS: [&str; 14] = [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$vocabulary",
];

/// Keywords that assert or apply something, in any draft from 4 on. `format` and `content…` are
/// annotations to verity's judge.
pub const ASSERTIONS: [&str; 46] = [
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "prefixItems",
    "items",
    "additionalItems",
    "contains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "dependentSchemas",
    "dependencies",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];

/// Keywords that hold or name schemas and assert nothing themselves.
pub const STRUCTURE: [&str; 4] = ["$defs", "definitions", "$dynamicAnchor", "$recursiveAnchor"];

/// Whether any draft knows the keyword.
#[must_use]
pub fn is_keyword(name: &str) -> bool {
    ANNOTATIONS.contains(&name) || ASSERTIONS.contains(&name) || STRUCTURE.contains(&name)
}

/// Whether verity's judge may refuse a value because of the keyword.
#[must_use]
pub fn asserts(keyword: &str) -> bool {
    ASSERTIONS.contains(&keyword)
        && !matches!(keyword, "format" | "contentEncoding" | "contentMediaType" | "contentSchema")
}

/// The only type of value that the keyword says anything about; `None` for keywords about any value.
#[must_use]
pub fn about(keyword: &str) -> Option<JsonType> {
    Some(match keyword {
        "minLength" | "maxLength" | "pattern" | "contentEncoding" | "contentMediaType" | "contentSchema" => {
            JsonType::String
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => JsonType::Number,
        "items" | "prefixItems" | "additionalItems" | "minItems" | "maxItems" | "uniqueItems"
        | "contains" | "minContains" | "maxContains" | "unevaluatedItems" => JsonType::Array,
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "dependencies"
        | "unevaluatedProperties" => JsonType::Object,
        _ => return None,
    })
}

/// Formats that JSON Schema defines, in any draft from 4 on.
pub const FORMATS: [&str; 20] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "color",
];
