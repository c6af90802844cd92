//! What a limit demands: the vocabulary of `src/profiles/*.yaml`. A new limit of a kind that is here
//! is data alone.

use serde::Deserialize;
use serde_json::Value;

/// The mechanical repairs that a limit can name in `fix`.
pub const REPAIRS: &[&str] = &[
    "add-properties",
    "add-items",
    "add-type",
    "boolean-schema",
    "inline-refs",
    "split-types",
    "into-branches",
    "replace-keyword",
];

/// One demand. The rules in `rules::compat` know how to look for it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Check {
    /// The whole tool name matches `pattern`.
    NamePattern { pattern: String },
    /// The tool name has at most `max` characters, together with what the client puts beside it:
    /// `prefix`, in which `{server}` stands for the server's name.
    NameLength {
        max: usize,
        #[serde(default)]
        prefix: Option<String>,
    },
    /// At most `max` tools in the listing.
    ToolCount { max: usize },
    /// The description (with `instructions`, the server's instructions too) is no longer than `max`.
    DescriptionLength {
        max: usize,
        #[serde(default)]
        unit: Unit,
        #[serde(default)]
        instructions: bool,
    },
    /// A description that is there is not empty.
    DescriptionNotEmpty,
    /// None of these keywords at the root of the schema.
    RootKeywords {
        forbidden: Vec<String>,
        #[serde(default)]
        of: Side,
    },
    /// The root says `type: object`.
    RootType { of: Side },
    /// The root (or every schema) of type object has `properties`.
    PropertiesMember { everywhere: bool },
    /// `properties` is an object.
    PropertiesMap,
    /// Every schema of type array has `items`.
    ItemsMember,
    /// `items` is one schema, not a list of them.
    ItemsSchema,
    /// Property names match `pattern`: those of the root, or everywhere.
    PropertyKeys { pattern: String, everywhere: bool },
    /// No other keywords than these.
    KeywordsAllowed { allowed: Vec<String> },
    /// None of these keywords.
    KeywordsForbidden { forbidden: Vec<String> },
    /// The keyword has one of these values, where it is there.
    KeywordValues { keyword: String, allowed: Vec<Value> },
    /// What `additionalProperties` of every object schema must be.
    AdditionalProperties { must: MustBe },
    /// Every property is required.
    AllRequired,
    /// Every schema has `type`, or one of these keywords instead.
    TypeMember { unless: Vec<String> },
    /// `type` is no list.
    SingleType,
    /// Enums hold strings alone.
    EnumOfStrings,
    /// A schema with `enum` has `type`.
    EnumType,
    /// No enum is empty or holds an empty string.
    EnumNotEmpty,
    /// The formats that are taken, by type of value.
    Formats {
        #[serde(default)]
        string: Vec<String>,
        #[serde(default)]
        integer: Option<Vec<String>>,
        #[serde(default)]
        number: Option<Vec<String>>,
        #[serde(default)]
        of: Side,
    },
    /// Each name in `required` stands in `properties` beside it.
    RequiredDeclared,
    /// Nothing stands beside the keyword.
    Alone { keyword: String },
    /// These keywords, inside a parameter, offer objects or arrays.
    NestedComposition { keywords: Vec<String> },
    /// Objects and arrays nest at most `max` levels deep.
    Depth { max: usize },
    /// At most `max` of something, in one tool or in all.
    Count {
        of: Counted,
        max: usize,
        #[serde(default)]
        over: Over,
    },
    /// An enum of more than `values_over` values has at most `max` characters.
    EnumCharacters {
        #[serde(rename = "values-over")]
        values_over: usize,
        max: usize,
    },
    /// No references, or none that lead back to themselves.
    References { forbidden: Which, of: Side },
    /// No property has `true` or `false` as its schema.
    BooleanSchemas,
    /// Patterns use none of these.
    PatternSyntax { forbidden: Vec<Syntax> },
    /// Patterns begin with `^` and end with `$`.
    PatternAnchored,
    /// Patterns are ECMA-262 with the Unicode flag.
    PatternUnicode { of: Side },
    /// Bounds on lengths and sizes are at most `max`, multiplied along nesting.
    Repetitions { max: u64 },
    /// `$schema` is one of these drafts (`2020-12`), or absent.
    Dialects { allowed: Vec<String> },
    /// Each of these hints (with `any`, one of them) is true or false.
    ExplicitHints {
        hints: Vec<String>,
        #[serde(default)]
        any: bool,
    },
    /// The tool has a title.
    TitleMember,
}

/// In what a text is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    #[default]
    Characters,
    Bytes,
}

/// Which schema of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    #[default]
    Input,
    Output,
}

/// What `additionalProperties` must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MustBe {
    /// There, and false.
    False,
    /// True, false or absent, but no schema.
    Boolean,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    Properties,
    EnumValues,
    /// Characters of property names, definition names, enum and const values.
    NameCharacters,
    OptionalParameters,
    /// Parameters with several types.
    UnionParameters,
    /// What all `maxItems` come to.
    MaxItems,
}

/// Over what is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    #[default]
    Tool,
    Listing,
}

/// Which references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    Any,
    Recursive,
}

/// A construct of regular expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syntax {
    LookAround,
    BackReference,
    WordBoundary,
    UnicodeProperty,
    /// `\d`, `\w`, `\s` and their opposites.
    ClassEscape,
}
