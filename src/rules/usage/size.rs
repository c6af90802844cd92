//! How much of a model's context a tool takes.

use crate::rules::ToolView;
use serde_json::Value;
use std::fmt::{self, Write};

/// Estimated tokens of what clients put before the model: name, description and input schema as compact JSON. Four ASCII
/// characters count as one token and every other character as one; no tokenizer is asked, since each model has its own.
pub(super) fn tokens(tool: &ToolView<'_>) -> usize {
    let mut count = Count::default();
    for field in ["name", "description", "inputSchema"] {
        if let Some(value) = tool.tool.value.get(field) {
            count.add(value);
        }
    }
    count.tokens()
}

/// As [`tokens`], of one text.
pub(super) fn tokens_of_text(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    ascii / 4 + text.chars().filter(|c| !c.is_ascii()).count()
}

/// Counts what is written to it.
#[derive(Default)]
struct Count {
    ascii: usize,
    other: usize,
}

impl Count {
    fn add(&mut self, value: &Value) {
        // writing into a counter cannot fail
        let _ = write!(self, "{value}");
    }

    fn tokens(&self) -> usize {
        self.ascii / 4 + self.other
    }
}

impl Write for Count {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.ascii += text.bytes().filter(u8::is_ascii).count();
        // every character outside ASCII has one byte that is not a continuation
        self.other += text.bytes().filter(|b| *b >= 0xc0).count();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::manifest;
    use serde_json::json;

    #[test]
    fn four_ascii_characters_or_one_other_are_a_token() {
        let size = |tool: Value| {
            let manifest = manifest(&tool);
            tokens(&ToolView::new(&manifest.tools[0]))
        };
        // "abcd" with its quotes has six characters
        assert_eq!(size(json!({"name": "abcd"})), 1);
        assert_eq!(size(json!({"name": "abcdef", "title": "not counted"})), 2);
        assert_eq!(size(json!({"name": "天气", "description": "天气预报"})), 1 + 6);
        assert_eq!(tokens_of_text("abcdefgh天"), 3);
    }
}
