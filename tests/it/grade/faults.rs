//! Documents that make no sense: told with their place, never passed.

use super::*;

/// Line, column and message of what is wrong with `yaml`.
fn fault(yaml: &str) -> (usize, usize, String) {
    let bind = |raws: Vec<expect::Raw>| {
        raws.iter().try_for_each(|raw| expect::bind::bind(raw, &BTreeMap::new(), false).map(|_| ()))
    };
    let fault = expect::parse(yaml).and_then(bind).expect_err(yaml);
    (fault.line, fault.column, fault.message)
}

fn says_(yaml: &str, line: usize, what: &str) {
    let (at, _, message) = fault(yaml);
    assert!(at == line && message.contains(what), "{at}: {message}\n{yaml}");
}

const HEAD: &str = "session: s\nbehaviors:\n";

#[test]
fn keys_kinds_and_names() {
    says_("session: s\nbehaviours: []\n", 2, "did you mean `behaviors`");
    says_("session: s\n", 1, "needs `behaviors`");
    says_("behaviors: []\n", 1, "needs `session`");
    says_("- a\n", 1, "a list, not a mapping");
    says_("session: s\nabs_version: '0.3'\nbehaviors: [{actor: user, action: says}]", 2, "`abs_version` is");
    let behavior =
        |text: &str| format!("{HEAD}  - {{actor: assistant, action: calls, target: t}}\n  - {text}\n");
    says_(&behavior("{actor: asistant, action: calls, target: t}"), 4, "did you mean `assistant`");
    says_(&behavior("{actor: assistant, action: call, target: t}"), 4, "did you mean `calls`");
    says_(&behavior("{actor: assistant, action: calls}"), 4, "needs `target`");
    says_(&behavior("{actor: assistant, action: calls, target: t, wiht: {a: 1}}"), 4, "did you mean `with`");
    says_(
        &behavior("{actor: assistant, action: calls, target: t, with: [a]}"),
        4,
        "`with` is a list, not a mapping",
    );
    says_(
        &behavior("{actor: assistant, action: calls, target: t, with: {a: 1}, with_only: {a: 1}}"),
        4,
        "exclude each other",
    );
    says_(&behavior("{actor: tool, action: responds, target: t, with: {a: 1}}"), 4, "are for calls");
    says_(&behavior("{actor: assistant, action: hands_off, target: x}"), 4, "it is not judged");
    says_(&behavior("{actor: assistant, action: calls, target: t, optional: maybe}"), 4, "not true or false");
    says_(&behavior("{actor: assistant, action: calls, target: t, requires: x}"), 4, "unknown behavior `x`");
    says_(
        &behavior("{actor: assistant, action: calls, target: t, with: {a: {$regx: x}}}"),
        4,
        "did you mean `$regex`",
    );
    says_(
        "session: s\nx-verity: {faults: {t: broken}}\nbehaviors: [{actor: user, action: says}]",
        2,
        "unknown fault `broken`",
    );
}

#[test]
fn evaluators() {
    let step = |text: &str| {
        format!(
            "{HEAD}  - actor: assistant\n    action: calls\n    target: t\n    evaluations:\n      - {text}\n"
        )
    };
    says_(&step("{type: llm_judge, criteria: nice}"), 7, "it is not judged");
    says_(&step("{type: custom, id: x}"), 7, "it is not judged");
    says_(&step("{type: contain, value: x}"), 7, "did you mean `contains`");
    says_(&step("{value: x}"), 7, "needs `type`");
    says_(&step("{type: contains}"), 7, "`contains` needs `value`");
    says_(&step("{type: regex, pattern: '(a'}"), 7, "not a pattern");
    says_(&step("{type: schema, schema: {type: strin}}"), 7, "no JSON Schema");
    says_(&step("{type: schema, schema: {$ref: 'https://example.com/x'}}"), 7, "cannot be used");
    says_(&step("{type: never, match: {actor: assistant}}"), 7, "about the whole session");
    says_(&step("{type: all_of, evaluations: []}"), 7, "needs `evaluations`");
    says_(&step("{type: all_of, threshold: 2, evaluations: [{type: contains, value: x}]}"), 7, "from 0 to 1");
    let session = |text: &str| {
        format!("session: s\nbehaviors: [{{actor: user, action: says}}]\nevaluations:\n  - {text}\n")
    };
    says_(&session("{type: never, match: {}}"), 4, "a selector needs");
    says_(&session("{type: never, match: {actor: assistant, action: hands_off}}"), 4, "it is not judged");
    says_(&session("{type: never, match: {acter: assistant}}"), 4, "did you mean `actor`");
    says_(&session("{type: count, match: {actor: tool}}"), 4, "needs `min` or `max`");
    says_(&session("{type: count, match: {actor: tool}, min: 3, max: 2}"), 4, "more than `max`");
    says_(&session("{type: tool_call}"), 4, "needs `target`");
    says_(&session("{type: expected, behavior: x}"), 4, "unknown behavior");
    says_(&session("{type: variable_consistency, variable: x}"), 4, "unknown variable");
    let nested = (0..40).fold("{type: contains, value: x}".to_string(), |inner, _| {
        format!("{{type: all_of, evaluations: [{inner}]}}")
    });
    says_(&session(&nested), 4, "nest more than");
}

#[test]
fn settings_of_matching() {
    let with = |settings: &str| {
        format!("session: s\nx-verity:\n  {settings}\nbehaviors: [{{actor: user, action: says}}]\n")
    };
    says_(&with("matching: unorderd"), 3, "did you mean `unordered`");
    says_(&with("ignore: [id]"), 3, "begins with `/`");
    says_(&with("ignore: /id"), 3, "a list");
    says_(&with("ignore: [1]"), 3, "to be a text");
    says_(&with("defaults: yes please"), 3, "true or false");
}

#[test]
fn fragments_placeholders_and_yaml() {
    says_(
        "session: s\nfragments:\n  a: [{include: b}]\n  b:\n    - include: a\nbehaviors:\n  - include: a\n",
        5,
        "in a circle: a → b → a",
    );
    says_(
        "session: s\nfragments: {open: [{actor: user, action: says}]}\nbehaviors:\n  - include: opne\n",
        4,
        "did you mean `open`",
    );
    says_(
        "session: s\nbehaviors:\n  - {id: a, actor: user, action: says}\n  - {id: a, actor: user, action: says}\n",
        4,
        "is that of another",
    );
    says_(
        &format!(
            "{HEAD}  - actor: assistant\n    action: calls\n    target: t\n    with:\n      n: '{{{{nobody}}}}'\n"
        ),
        7,
        "nothing gives `{{nobody}}` a value",
    );
    says_(
        &format!("{HEAD}  - {{actor: user, action: says, content: '{{{{x}}}}', capture: {{x: 1}}}}\n"),
        3,
        "nothing gives `{{x}}`",
    );
    says_("session: s\nsession: t\n", 2, "occurs twice");
    says_("a: [\n", 1, "unclosed bracket");
    // Fragments that double each time: 2^40 behaviors.
    let mut bomb = "session: s\nfragments:\n  f0: [{actor: user, action: says}]\n".to_string();
    (1..=40).for_each(|i| bomb.push_str(&format!("  f{i}: [{{include: f{0}}}, {{include: f{0}}}]\n", i - 1)));
    bomb.push_str("behaviors: [{include: f40}]\n");
    assert!(fault(&bomb).2.contains("more than 10000 behaviors"));
    let aliases =
        "session: s\nx: &a [x, x, x, x, x, x, x, x, x, x]\ny: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n";
    assert!(fault(aliases).2.contains("unknown key `x`"));
    for path in ["../rows.jsonl", "/rows.jsonl", "C:rows.json", "a/../../b.json", "rows.csv"] {
        says_(
            &format!(
                "session: s\ndataset: {{id: d, path: '{path}'}}\nbehaviors: [{{actor: user, action: says}}]"
            ),
            2,
            "a dataset",
        );
    }
}
