//! Which dialect a schema is written in.

use serde_json::Value;

/// The drafts that verity judges by. MCP's default is 2020-12 (SEP-1613).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
    /// `$schema` names a dialect that nobody here knows; judged as 2020-12, and said.
    Unknown,
}

impl Dialect {
    /// The dialect that `schema` declares with `$schema`, else 2020-12.
    #[must_use]
    pub fn of(schema: &Value) -> Dialect {
        match schema.get("$schema") {
            None => Dialect::Draft202012,
            Some(Value::String(uri)) => Dialect::from_uri(uri),
            Some(_) => Dialect::Unknown,
        }
    }

    /// The dialect of a `$schema` URI, with or without a trailing `#`, http or https.
    #[must_use]
    pub fn from_uri(uri: &str) -> Dialect {
        let bare = uri.trim_end_matches('#');
        match bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")) {
            Some("json-schema.org/draft-04/schema") => Dialect::Draft4,
            Some("json-schema.org/draft-06/schema") => Dialect::Draft6,
            Some("json-schema.org/draft-07/schema") => Dialect::Draft7,
            Some("json-schema.org/draft/2019-09/schema") => Dialect::Draft201909,
            Some("json-schema.org/draft/2020-12/schema") => Dialect::Draft202012,
            _ => Dialect::Unknown,
        }
    }

    /// Short name for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Draft4 => "draft-04",
            Dialect::Draft6 => "draft-06",
            Dialect::Draft7 => "draft-07",
            Dialect::Draft201909 => "2019-09",
            Dialect::Draft202012 => "2020-12",
            Dialect::Unknown => "an unknown dialect (judged as 2020-12)",
        }
    }

    /// Keyword that holds the reusable definitions.
    #[must_use]
    pub fn definitions_keyword(self) -> &'static str {
        if self < Dialect::Draft201909 { "definitions" } else { "$defs" }
    }

    /// Whether keywords beside `$ref` are ignored (draft 7 and older).
    #[must_use]
    pub fn ref_hides_siblings(self) -> bool {
        self < Dialect::Draft201909
    }

    /// Whether the keyword applies as an assertion or applicator in this dialect, by its specification
    /// (and in the packs' grader). For `dependencies` see [`Dialect::judge_applies`].
    #[must_use]
    pub fn knows(self, keyword: &str) -> bool {
        use Dialect::{Draft4, Draft6, Draft7, Draft201909};
        match keyword {
            "const" | "contains" | "propertyNames" => self >= Draft6,
            "if" | "then" | "else" => self >= Draft7,
            "minContains"
            | "maxContains"
            | "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "$defs"
            | "$anchor" => self >= Draft201909,
            "$recursiveRef" | "$recursiveAnchor" => self == Draft201909,
            "prefixItems" | "$dynamicRef" | "$dynamicAnchor" => self > Draft201909,
            "additionalItems" => self <= Draft201909,
            "dependencies" => self < Draft201909,
            "id" => self == Draft4,
            _ => true,
        }
    }

    /// Whether verity's judge applies the keyword. `dependencies` left the vocabulary in 2019-09, and the
    /// judge applies it all the same, as Ajv does; the packs' grader does not.
    #[must_use]
    pub fn judge_applies(self, keyword: &str) -> bool {
        keyword == "dependencies" || self.knows(keyword)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn declared_dialects() {
        assert_eq!(Dialect::of(&json!({})), Dialect::Draft202012);
        assert_eq!(
            Dialect::of(&json!({"$schema": "http://json-schema.org/draft-07/schema#"})),
            Dialect::Draft7
        );
        assert_eq!(
            Dialect::of(&json!({"$schema": "https://json-schema.org/draft-07/schema"})),
            Dialect::Draft7
        );
        assert_eq!(Dialect::of(&json!({"$schema": "https://example.org/mine"})), Dialect::Unknown);
        assert_eq!(Dialect::of(&json!({"$schema": 7})), Dialect::Unknown);
        assert_eq!(Dialect::of(&json!(true)), Dialect::Draft202012);
    }
}
