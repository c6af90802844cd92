//! Schemas made to cost time, memory or a stack: each must be answered, and by the right rule.

use super::{check, tool};
use serde_json::{Map, Value, json};

/// Run on a stack like the command line's: the crates that judge schemas recurse.
fn deep(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(verity::threads::STACK_BYTES).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn rules_of(schema: Value) -> Vec<String> {
    let mut rules: Vec<String> = check(&tool(schema)).into_iter().map(|f| f.rule).collect();
    rules.sort();
    rules.dedup();
    rules
}

fn chain(n: usize, link: impl Fn(Value) -> Value, last: Value) -> Value {
    let mut definitions = Map::new();
    for i in 0..n {
        definitions.insert(format!("d{i}"), link(json!({"$ref": format!("#/$defs/d{}", i + 1)})));
    }
    definitions.insert(format!("d{n}"), last);
    json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "required": ["a"], "$defs": definitions})
}

#[test]
fn rings_and_chains_of_references() {
    deep(|| {
        let ring = rules_of(chain(10_000, |next| next, json!({"$ref": "#/$defs/d0"})));
        assert!(ring.contains(&"MCP-SCHEMA-REF-LOOP".to_string()), "{ring:?}");
        let long = rules_of(chain(10_000, |next| next, json!({"type": "string"})));
        assert_eq!(long, ["MCP-SCHEMA-UNJUDGED"]);
        rules_of(chain(
            10_000,
            |next| json!({"type": "object", "properties": {"x": next}}),
            json!({"type": "string"}),
        ));
    });
}

#[test]
fn references_that_multiply() {
    deep(|| {
        let twice = |next: Value| json!({"allOf": [next, next]});
        assert_eq!(
            rules_of(chain(60, twice, json!({"type": "string", "minLength": 3}))),
            ["MCP-SCHEMA-UNJUDGED"]
        );
        let tree = |next: Value| json!({"type": "object", "properties": {"l": next, "r": next}, "required": ["l", "r"]});
        assert!(
            !rules_of(chain(60, tree, json!({"type": "string"})))
                .contains(&"MCP-SCHEMA-UNJUDGED".to_string())
        );
    });
}

#[test]
fn unions_conditionals_and_dependencies_that_multiply() {
    deep(|| {
        let branch = |i: usize| json!({"type": "object", "properties": {format!("k{i}"): {"type": "string"}}, "required": [format!("k{i}")]});
        let wide: Vec<Value> = (0..1_999).map(branch).collect();
        rules_of(json!({"type": "object", "properties": {"a": {"oneOf": wide}}}));
        let too_wide: Vec<Value> = (0..5_000).map(|i| json!({"const": i})).collect();
        assert!(
            rules_of(json!({"type": "object", "properties": {"a": {"anyOf": too_wide}}}))
                .contains(&"MCP-SCHEMA-UNJUDGED".to_string())
        );
        let product: Vec<Value> = (0..20)
            .map(|i| json!({"anyOf": (0..8).map(|j| branch(i * 8 + j)).collect::<Vec<_>>()}))
            .collect();
        rules_of(json!({"type": "object", "properties": {"a": {"allOf": product}}}));
        let conditionals: Vec<Value> = (0..40).map(|i| json!({"if": {"required": [format!("p{i}")]},
            "then": {"required": [format!("p{}", (i + 1) % 40)]}, "else": {"required": [format!("p{}", (i + 2) % 40)]}})).collect();
        rules_of(json!({"type": "object", "properties": {}, "allOf": conditionals}));
        let dependent: Map<String, Value> =
            (0..5_000).map(|i| (format!("p{i}"), json!([format!("p{}", i + 1)]))).collect();
        rules_of(
            json!({"type": "object", "dependentRequired": dependent, "required": ["p0"], "maxProperties": 5_000}),
        );
    });
}

#[test]
fn patterns_that_backtrack_or_explode() {
    deep(|| {
        let p = |property: Value| json!({"type": "object", "properties": {"p": property}, "additionalProperties": false});
        let long = format!("{}!", "a".repeat(100_000));
        let slow = rules_of(p(json!({"type": "string", "pattern": "^(a+)+$", "default": long})));
        assert!(slow.contains(&"MCP-SCHEMA-PATTERN-SLOW".to_string()), "{slow:?}");
        assert!(slow.contains(&"MCP-SCHEMA-DEFAULT-REFUSED".to_string()), "{slow:?}");
        rules_of(p(json!({"type": "string", "pattern": r"^(?=(a+)+$)(a+)+\1$", "default": long})));
        rules_of(p(json!({"type": "string", "pattern": "a{1,1000000}", "default": "b"})));
        assert_eq!(
            rules_of(p(json!({"type": "string", "pattern": r"((\p{L}{1,100}){1,100}){1,100}"}))),
            ["MCP-SCHEMA-UNJUDGED"]
        );
        rules_of(p(
            json!({"type": "string", "pattern": format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000))}),
        ));
    });
}

#[test]
fn sizes() {
    deep(|| {
        let many: Map<String, Value> =
            (0..20_000).map(|i| (format!("p{i}"), json!({"type": "string"}))).collect();
        let names: Vec<&String> = many.keys().collect();
        rules_of(json!({"type": "object", "properties": many, "required": names}));
        let undeclared: Vec<String> = (0..5_000).map(|i| format!("q{i}")).collect();
        rules_of(json!({"type": "object", "properties": {"p": {"type": "string"}}, "required": undeclared}));
        rules_of(
            json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 1_000_000_000_u64},
            "b": {"type": "array", "minItems": 1_000_000_000_u64, "items": {"type": "array", "minItems": 1_000_000_000_u64}}},
            "required": ["a", "b"]}),
        );
        let identifiers: Map<String, Value> = (0..500)
            .map(|i| {
                (
                    format!("p{i}"),
                    json!({"$id": format!("http://x.example/b{i}"), "$ref": format!("b{}", (i + 1) % 500)}),
                )
            })
            .collect();
        rules_of(json!({"$id": "http://x.example/a", "type": "object", "properties": identifiers}));
        let mut nested = json!({"type": "string"});
        for keyword in ["not", "allOf", "anyOf", "items"].iter().cycle().take(60) {
            nested = if matches!(*keyword, "allOf" | "anyOf") {
                json!({*keyword: [nested]})
            } else {
                json!({*keyword: nested})
            };
        }
        rules_of(json!({"type": "object", "properties": {"a": nested}}));
    });
}
