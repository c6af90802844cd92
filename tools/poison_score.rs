//! Recall and false alarms of the POISON rules on labelled tools, and the features behind them.
//!
//! usage: cargo run --example poison_score -- FOLDER [--show] [--group GROUP] [--only ID,…] [--features FILE]
//!            [--terms FILE] [--rules FILE] [--notes FILE] [--lexicon FILE] [--weights FILE] [--constellations FILE]
//!            [--listings FOLDER] [--seeds FOLDER] [--manifests FILE]
//!
//! --features writes the features of each window, --terms the lexicon's terms in each tool, --rules the rules that
//! report each tool, --notes what each sentence speaks of; --lexicon, --weights and --constellations replace those of the tree;
//! --group looks at one source alone.
//!
//! --seeds also takes the tools that the tests hold (`tests/it/poison`): for the features. --manifests takes whole listings, one
//! `{"id", "set", "kind", "label", "manifest"}` a line, of which the label (`attack`, `honest`) holds as a whole.
//! --listings also takes each tool of the saved listings of a folder (`*.json`), among its siblings, for an honest one; a
//! listing of which FOLDER has a tool is of that tool's source.
//!
//! FOLDER holds `poisoned.jsonl`, `benign.jsonl`, `transforms.jsonl`: one `{"tool", "category", "source_group"}` a line.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::disallowed_macros)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use verity::finding::{Finding, Severity};
use verity::manifest::{self, Manifest, Tool};
use verity::rules::poison::constellation::weigh::{self, Note};
use verity::rules::poison::{lexicon, score};
use verity::rules::{self, ManifestView};
use verity::source;

/// One labelled tool: where it comes from, and its place in a listing.
struct Case {
    id: String,
    category: String,
    group: String,
    index: usize,
}

/// What a run writes to files.
#[derive(Default)]
struct Outputs {
    features: String,
    terms: String,
    rules: String,
    notes: String,
    show: bool,
    single: bool,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = &args[0];
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1));
    let read = |path: &String| std::fs::read_to_string(path).expect("a readable file");
    assert!(value("--lexicon").is_none_or(|path| lexicon::replace(read(path))));
    assert!(value("--weights").is_none_or(|path| score::replace(read(path))));
    assert!(value("--constellations").is_none_or(|path| weigh::replace(read(path))));
    let mut out = Outputs { show: has("--show"), single: value("--only").is_some(), ..Outputs::default() };
    let wanted = |id: &str, group: &str| {
        value("--group").is_none_or(|only| *only == group)
            && value("--only").is_none_or(|only| only.split(',').any(|o| id.contains(o)))
    };
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for name in ["poisoned", "benign", "transforms"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}.jsonl")).expect("the corpus is there");
        let mut by: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for line in text.lines() {
            let entry: Value = serde_json::from_str(line).expect("a JSON line");
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").to_string();
            let case =
                Case { id: text("id"), category: text("category"), group: text("source_group"), index: 0 };
            if name == "benign" {
                sources.insert(entry["tool"].to_string(), case.group.clone());
            }
            if wanted(&case.id, &case.group) {
                let hits =
                    judge(name, &Manifest::of_tools(vec![entry["tool"].clone()]), vec![case], &mut out);
                tally(&mut by, hits);
            }
        }
        summary(name, &by);
    }
    if let Some(seeds) = value("--seeds") {
        for (name, case, tool) in own(seeds) {
            if wanted(&case.id, &case.group) {
                judge(name, &Manifest::of_tools(vec![tool]), vec![case], &mut out);
            }
        }
    }
    if let Some(path) = value("--manifests") {
        let mut by = BTreeMap::new();
        for line in read(path).lines() {
            whole(&serde_json::from_str(line).expect("a JSON line"), &mut by, &mut out);
        }
        for (what, (hits, all)) in by {
            println!("{what}: {hits}/{all}");
        }
    }
    if let Some(listings) = value("--listings") {
        let mut paths: Vec<_> =
            std::fs::read_dir(listings).expect("a folder").map(|e| e.unwrap().path()).collect();
        paths.sort();
        let mut by = BTreeMap::new();
        for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "json")) {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let Ok(document) = source::parse(&stem, std::fs::read(path).expect("a readable file")) else {
                continue;
            };
            for listing in manifest::read(&document).unwrap_or_default() {
                let known = |t: &Tool| sources.get(&t.value.to_string()).cloned();
                let group = listing.tools.iter().find_map(known).unwrap_or_else(|| stem.clone());
                let cases: Vec<Case> = (0..listing.tools.len())
                    .filter(|i| known(&listing.tools[*i]).is_none())
                    .map(|index| Case {
                        id: format!("{stem}#{index}"),
                        category: "listing".into(),
                        group: group.clone(),
                        index,
                    })
                    .filter(|case| wanted(&case.id, &case.group))
                    .collect();
                if !cases.is_empty() {
                    tally(&mut by, judge("benign", &listing, cases, &mut out));
                }
            }
        }
        summary("listings", &by);
    }
    let Outputs { features, terms, rules, notes, .. } = out;
    for (option, text) in
        [("--features", features), ("--terms", terms), ("--rules", rules), ("--notes", notes)]
    {
        if let Some(path) = value(option) {
            std::fs::write(path, text).expect("a writable file");
        }
    }
}

/// A listing that is labelled as a whole: its tools, and the texts beside them.
fn whole(entry: &Value, by: &mut BTreeMap<String, (usize, usize)>, out: &mut Outputs) {
    let text = |key: &str| entry[key].as_str().unwrap_or("").to_string();
    let document =
        source::parse("listing", serde_json::to_vec(&entry["manifest"]).unwrap()).expect("a listing");
    for listing in manifest::read(&document).unwrap_or_default() {
        let (id, category, group) = (text("id"), text("kind"), text("set"));
        let name = if text("label") == "attack" { "own-attack" } else { "own-honest" };
        let case = |index| Case { id: id.clone(), category: category.clone(), group: group.clone(), index };
        let cases: Vec<Case> = (0..listing.tools.len()).map(case).collect();
        let mut hit = judge(name, &listing, cases, out).iter().any(|(_, hit)| *hit);
        let view = ManifestView::new(&listing);
        let poison: Vec<_> = rules::all().filter(|r| r.info().family() == "POISON").collect();
        hit |= rules::run_on_listing(&view, &poison).iter().any(|f| f.severity >= Severity::Warning);
        for note in &view.assessment().evidence.notes {
            out.note(&format!("{name}\t{group}\t{id}\t{category}"), 1 + listing.tools.len(), note);
        }
        let slot = by.entry(format!("{name} {group}")).or_default();
        *slot = (slot.0 + usize::from(hit), slot.1 + 1);
    }
}

impl Outputs {
    fn note(&mut self, head: &str, part: usize, note: &Note) {
        let flag = |on: bool, word: &'static str| if on { word } else { "" };
        let flags = [flag(note.acts, "acts"), flag(note.odd, "odd"), flag(note.decoded, "decoded")].join(" ");
        let at = format!("{part}.{}.{} {}", note.at.0, note.at.1, note.number);
        let _ = writeln!(self.notes, "{head}\t{at}\t{flags}\t{}", note.words().join(" "));
    }
}

/// The tools that the tests of the tree hold: split, case, tool.
fn own(folder: &str) -> Vec<(&'static str, Case, Value)> {
    let mut found = Vec::new();
    let text = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).expect("a readable file");
    for (file, name) in [("attacks.jsonl", "seed-attack"), ("honest.jsonl", "seed-honest")] {
        for (i, line) in text(file).lines().enumerate() {
            let entry: Value = serde_json::from_str(line).expect("a JSON line");
            let kind = entry["kind"].as_str().unwrap_or("").to_string();
            let group = format!("own {kind}");
            found.push((
                name,
                Case { id: format!("{file}#{i}"), category: kind, group, index: 0 },
                entry["tool"].clone(),
            ));
        }
    }
    for (i, line) in text("twins.jsonl").lines().enumerate() {
        let entry: Value = serde_json::from_str(line).expect("a JSON line");
        for (which, name) in [("attack", "seed-attack"), ("honest", "seed-honest")] {
            let kind = entry["kind"].as_str().unwrap_or("").to_string();
            let group = format!("own {kind}");
            let case = Case { id: format!("twins.jsonl#{i}"), category: kind, group, index: 0 };
            found.push((name, case, twin(&entry, which)));
        }
    }
    for (i, line) in text("kinds.jsonl").lines().enumerate() {
        let entry: Value = serde_json::from_str(line).expect("a JSON line");
        let kind = entry["kind"].as_str().unwrap_or("").to_string();
        // Of a listing, the first tool.
        let tool = entry["tool"].get(0).unwrap_or(&entry["tool"]).clone();
        let case =
            Case { id: format!("kinds.jsonl#{i}"), group: format!("own {kind}"), category: kind, index: 0 };
        found.push(("seed-honest", case, tool));
    }
    for (i, line) in text("attacks.txt").lines().enumerate() {
        if let Some((language, order)) = line.split_once('\t') {
            let tool = serde_json::json!({"name": "lookup", "description": format!("Looks up an entry. {order}"),
                "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}, "note": {"type": "string"}}}});
            let case = Case {
                id: format!("attacks.txt#{i}"),
                category: language.into(),
                group: format!("own {language}"),
                index: 0,
            };
            found.push(("seed-attack", case, tool));
        }
    }
    found
}

/// The tool of a line of `twins.jsonl`, with its attack or with the honest text in the same place.
fn twin(line: &Value, which: &str) -> Value {
    let text = &line[which];
    let params: Vec<&str> =
        line["params"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut made = serde_json::json!({"name": line["name"], "description": line["job"],
        "inputSchema": {"type": "object", "properties": {}}});
    for name in &params {
        made["inputSchema"]["properties"][*name] = serde_json::json!({"type": "string"});
    }
    let (first, last) = (params[0], params[params.len() - 1]);
    let schema = &mut made["inputSchema"];
    match line["place"].as_str().unwrap_or("") {
        "param" => schema["properties"][last]["description"] = text.clone(),
        "enum" => schema["properties"][last]["enum"] = serde_json::json!(["quiet", text]),
        "default" => schema["properties"][last]["default"] = text.clone(),
        "example" => schema["properties"][first]["examples"] = serde_json::json!([text]),
        "pattern" => schema["properties"][first]["pattern"] = text.clone(),
        "const" => {
            schema["properties"][first]["oneOf"] = serde_json::json!([{"const": "b", "description": text}])
        }
        "comment" => schema["$comment"] = text.clone(),
        "meta" => made["_meta"] = serde_json::json!({"note": text}),
        "output" => {
            made["outputSchema"] = serde_json::json!({"properties": {"result": {"description": text}}})
        }
        "title" => made["title"] = text.clone(),
        _ => {
            let job = line["job"].as_str().unwrap_or("");
            made["description"] = format!("{job} {}", text.as_str().unwrap_or("")).into();
        }
    }
    made
}

fn tally(by: &mut BTreeMap<String, (usize, usize)>, hits: Vec<(String, bool)>) {
    for (category, hit) in hits {
        let slot = by.entry(category).or_default();
        slot.0 += usize::from(hit);
        slot.1 += 1;
    }
}

fn summary(name: &str, by: &BTreeMap<String, (usize, usize)>) {
    if name != "benign" {
        for (category, (k, n)) in by {
            println!("  {category:32} {k:4}/{n}");
        }
    }
    let sum = |plain: bool| {
        let some = by.iter().filter(|(category, _)| plain || *category != "plain");
        some.fold((0, 0), |(k, n), (_, slot)| (k + slot.0, n + slot.1))
    };
    let ((hits, all), (hard_hits, hard)) = (sum(true), sum(false));
    println!("{name}: {hits}/{all} = {:.4} (hard {hard_hits}/{hard})", hits as f64 / all.max(1) as f64);
}

/// Category of each case, and whether it is reported.
fn judge(name: &str, manifest: &Manifest, cases: Vec<Case>, out: &mut Outputs) -> Vec<(String, bool)> {
    let poison = rules::all().filter(|r| r.info().family() == "POISON");
    let findings = rules::run_rules(manifest, poison);
    let view = rules::ManifestView::new(manifest);
    cases.into_iter().map(|case| (case.category.clone(), one(name, &case, &view, &findings, out))).collect()
}

fn one(name: &str, case: &Case, view: &ManifestView<'_>, findings: &[Finding], out: &mut Outputs) -> bool {
    let Case { id, category, group, index } = case;
    let tool = &view.tools()[*index];
    let at = tool.tool.pointer();
    let own = |f: &&Finding| {
        f.rule.starts_with("MCP-POISON-") && (f.pointer == at || f.pointer.starts_with(&format!("{at}/")))
    };
    let flagged: Vec<_> = findings.iter().filter(own).filter(|f| f.severity >= Severity::Warning).collect();
    let assessment = tool.assessment(view);
    let best = assessment.windows.iter().max_by(|a, b| a.score.total_cmp(&b.score));
    let hit = !flagged.is_empty() || best.is_some_and(|w| w.score >= 1.0);
    let names = |w: &score::Window| {
        let names = w.features.iter().map(|(s, j)| format!("{}{}", s.word(), if *j { "@job" } else { "" }));
        names.collect::<Vec<_>>().join(" ")
    };
    for window in &assessment.windows {
        let _ = writeln!(out.features, "{name}\t{group}\t{id}\t{}", names(window));
    }
    let weighed = flagged.iter().any(|f| f.message.contains("is reported)"));
    let _ = writeln!(out.features, "{name}\t{group}\t{id}\t{}", if hit && !weighed { "!" } else { "" });
    for note in &assessment.evidence.notes {
        out.note(&format!("{name}\t{group}\t{id}\t{category}"), 1 + *index, note);
    }
    let mut found = BTreeSet::new();
    for layer in assessment.evidence.layers.iter().flat_map(|l| &l.layers) {
        found.extend(lexicon::terms(&layer.text.replace('\n', " ")));
    }
    for term in found {
        let _ = writeln!(out.terms, "{name}\t{group}\t{id}\t{term}");
    }
    let rules: BTreeSet<_> = flagged.iter().map(|f| f.rule.to_string()).collect();
    let rules = rules.into_iter().collect::<Vec<_>>().join(" ");
    let _ = writeln!(out.rules, "{name}\t{group}\t{id}\t{category}\t{rules}");
    let wrong = (name == "benign") == hit;
    if out.show && wrong {
        let what = if hit { "FALSE ALARM" } else { "MISSED" };
        println!("{what} {id} {category} {group} {:?}", tool.tool.name());
        if let Some(w) = best {
            println!("    {:.2} {}", w.score, names(w));
        }
        for f in &flagged {
            let message = f.message.replace('\n', " ");
            println!("    {} {} {message}\n      {:?}", f.rule, f.pointer, f.evidence);
        }
    }
    if out.single {
        println!("{id} {}", tool.tool.value);
        for f in findings.iter().filter(own) {
            println!("    {:?} {} {} {}\n      {:?}", f.severity, f.rule, f.pointer, f.message, f.evidence);
        }
    }
    hit
}
