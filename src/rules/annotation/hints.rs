//! The hints of a tool, as stated and as they count.

use crate::rules::ToolView;
use serde_json::{Map, Value};

/// What a tool states. A hint that is not a boolean counts as left out: clients read it so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

impl Hints {
    /// The hints of a tool whose `annotations` are an object.
    pub fn of(tool: &ToolView<'_>) -> Option<Hints> {
        let annotations: &Map<String, Value> = tool.tool.value.get("annotations")?.as_object()?;
        let hint = |name: &str| annotations.get(name).and_then(Value::as_bool);
        Some(Hints {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        })
    }

    pub fn says_nothing(self) -> bool {
        [self.read_only, self.destructive, self.idempotent, self.open_world].iter().all(Option::is_none)
    }

    /// Whether a client takes the tool for one that may destroy: the specification's defaults are
    /// "not read-only" and "destructive".
    pub fn counts_as_destructive(self) -> bool {
        self.read_only != Some(true) && self.destructive != Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::manifest;
    use serde_json::json;

    fn hints(annotations: Value) -> Option<Hints> {
        let manifest = manifest(&json!({"name": "a", "annotations": annotations}));
        Hints::of(&ToolView::new(&manifest.tools[0]))
    }

    #[test]
    fn defaults_are_the_specifications() {
        assert!(hints(json!({})).unwrap().counts_as_destructive());
        assert!(hints(json!({"readOnlyHint": false})).unwrap().counts_as_destructive());
        assert!(
            !hints(json!({"readOnlyHint": true, "destructiveHint": true})).unwrap().counts_as_destructive()
        );
        assert!(!hints(json!({"destructiveHint": false})).unwrap().counts_as_destructive());
    }

    #[test]
    fn what_is_no_boolean_is_left_out() {
        assert!(
            hints(json!({"readOnlyHint": "true", "destructiveHint": null, "title": "x"}))
                .unwrap()
                .says_nothing()
        );
        assert!(!hints(json!({"openWorldHint": false})).unwrap().says_nothing());
        assert_eq!(hints(json!(null)), None);
    }
}
