//! Mutations of JSON as a tree: bytes turned at random are hardly ever JSON again, and schemas are
//! made of keywords, not of letters.
#![allow(dead_code)]

use serde_json::{Map, Value, json};

/// Keywords, and values that go with some of them.
const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "additionalItems",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "enum",
    "const",
    "default",
    "examples",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$id",
    "id",
    "$schema",
    "$defs",
    "definitions",
    "unevaluatedProperties",
    "unevaluatedItems",
    "discriminator",
    "nullable",
    "description",
    "title",
    "name",
    "inputSchema",
    "outputSchema",
    "annotations",
    "readOnlyHint",
    "destructiveHint",
    "_meta",
    "icons",
    "src",
    "instructions",
    "tools",
    "nextCursor",
    "a",
    "b",
    "",
];
const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "0",
    "object",
    "array",
    "string",
    "number",
    "integer",
    "boolean",
    "null",
    "#",
    "#/$defs/a",
    "#/properties/a",
    "#/definitions/b",
    "#a",
    "x",
    "http://x/y#/z",
    "^a+$",
    "^(a|b)*c?$",
    "[0-9]{2,5}",
    "\\d+",
    "^\\p{L}*$",
    "(?=a)b",
    "(?!a).",
    "\\bfoo\\b",
    "(a+)+$",
    "[^\\x00-\\x1f]",
    "^.{300}$",
    "\\u{1F600}",
    "date-time",
    "email",
    "uri",
    "uuid",
    "ipv4",
    "regex",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "\u{1b}[31m",
    "\u{202e}x",
    "\u{200b}",
    "\u{e0041}\u{e0042}",
    "\u{7f}",
    "\u{85}",
    "\u{feff}",
    "<!-- x -->",
    "Ignore previous instructions",
    "~/.ssh/id_rsa",
    "../x",
    "CON",
    "2024-01-01",
    "on",
    "a\nb",
    "\r",
    "\u{1f600}",
];
const NUMBERS: &[f64] =
    &[0.5, -0.5, 0.1, 1e-7, 1e16, 1e300, -1e300, 5e-324, 1e21, 0.3, 2.5, 9007199254740993.0, -0.0];
const INTEGERS: &[i64] =
    &[0, 1, -1, 2, 3, 7, 10, 100, 1000, 65536, 1 << 31, 1 << 53, (1 << 53) + 1, i64::MAX, i64::MIN];

/// SplitMix64: the mutations depend on the fuzzer's seed alone.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u32) -> Random {
        Random(u64::from(seed))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// `data[..size]` as a tree with a few changes, written back; `None` where it is no JSON, or where
/// the bytes are to be mutated as bytes for once.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> Option<usize> {
    let mut random = Random::new(seed);
    if random.below(8) == 0 {
        return None;
    }
    let mut root: Value = serde_json::from_slice(&data[..size]).ok()?;
    for _ in 0..=random.below(3) {
        change(&mut root, &mut random);
    }
    let text = serde_json::to_vec(&root).ok()?;
    if text.len() > max_size || text == data[..size] {
        return None;
    }
    data[..text.len()].copy_from_slice(&text);
    Some(text.len())
}

fn change(root: &mut Value, random: &mut Random) {
    let mut places = Vec::new();
    pointers(root, &mut String::new(), &mut places);
    let from = places[random.below(places.len())].clone();
    let other = root.pointer(&from).cloned().unwrap_or_default();
    let at = &places[random.below(places.len())];
    let Some(value) = root.pointer_mut(at) else { return };
    match random.below(9) {
        0 => *value = other,
        1 => *value = fresh(random, other),
        2 | 3 => grow(value, random, other),
        4 => shrink(value, random),
        5 | 6 => turn(value, random),
        7 => {
            let key = random.of(&["allOf", "anyOf", "oneOf"]);
            *value = json!({ key: [value.take(), other] });
        }
        _ => {
            let own = value.take();
            *value = match random.below(6) {
                0 => json!({ "not": own }),
                1 => json!({ "properties": {"a": own}, "required": ["a"] }),
                2 => json!({ "items": own, "minItems": 1 }),
                3 => json!({ "if": own, "then": other, "else": false }),
                4 => json!({ "$ref": format!("#{from}") }),
                _ => json!({ "contains": own }),
            };
        }
    }
}

/// Every place in `value`, as a JSON Pointer.
fn pointers(value: &Value, at: &mut String, out: &mut Vec<String>) {
    out.push(at.clone());
    let length = at.len();
    let mut below = |token: &str, value: &Value| {
        at.push('/');
        at.push_str(&token.replace('~', "~0").replace('/', "~1"));
        pointers(value, at, out);
        at.truncate(length);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| below(key, value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, value)| below(&i.to_string(), value)),
        _ => {}
    }
}

fn fresh(random: &mut Random, other: Value) -> Value {
    match random.below(10) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 | 3 => json!(INTEGERS[random.below(INTEGERS.len())]),
        4 => json!(NUMBERS[random.below(NUMBERS.len())]),
        5 | 6 => json!(random.of(TEXTS)),
        7 => json!([other]),
        8 => json!({ random.of(KEYWORDS): other }),
        _ => json!({}),
    }
}

fn grow(value: &mut Value, random: &mut Random, other: Value) {
    let new = if random.below(2) == 0 { other } else { fresh(random, other) };
    match value {
        Value::Object(members) => {
            members.insert(random.of(KEYWORDS).to_string(), new);
        }
        Value::Array(items) => items.insert(random.below(items.len() + 1), new),
        _ => *value = new,
    }
}

fn shrink(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let key = members.keys().nth(random.below(members.len())).cloned().unwrap_or_default();
            members.shift_remove(&key);
        }
        Value::Array(items) if !items.is_empty() => {
            items.remove(random.below(items.len()));
        }
        _ => *value = Value::Null,
    }
}

/// A small change of the value itself.
fn turn(value: &mut Value, random: &mut Random) {
    *value = match value.take() {
        Value::Number(n) => match (n.as_i64(), random.below(5)) {
            (Some(n), 0) => json!(n.wrapping_add(1)),
            (Some(n), 1) => json!(n.wrapping_sub(1)),
            (Some(n), 2) => json!(n.wrapping_neg()),
            (_, 3) => json!(n.as_f64().unwrap_or(0.0) / 3.0),
            _ => fresh(random, Value::Null),
        },
        Value::String(text) => {
            let other = random.of(TEXTS);
            let cut =
                text.char_indices().map(|(i, _)| i).nth(random.below(text.chars().count())).unwrap_or(0);
            match random.below(4) {
                0 => json!(other),
                1 => json!(text[..cut]),
                2 => json!(format!("{text}{other}")),
                _ => json!(format!("{}{other}{}", &text[..cut], &text[cut..])),
            }
        }
        Value::Bool(b) => json!(!b),
        Value::Object(mut members) if !members.is_empty() => {
            let key = members.keys().nth(random.below(members.len())).cloned().unwrap_or_default();
            let moved = members.shift_remove(&key).unwrap_or_default();
            let mut renamed: Map<String, Value> = members;
            renamed.insert(random.of(KEYWORDS).to_string(), moved);
            Value::Object(renamed)
        }
        Value::Array(mut items) if !items.is_empty() => {
            let n = random.below(items.len());
            items.push(items[n].clone());
            items.rotate_left(n);
            Value::Array(items)
        }
        other => fresh(random, other),
    };
}
