//! A file → its documents, checked as far as they can be before placeholders have values.

use super::Fault;
use super::strict::At;
use crate::pointer;
use crate::suggest;
use crate::yaml::{self, Loaded};
use serde_json::Value;
use std::collections::BTreeMap;

const KEYS: [&str; 8] =
    ["session", "description", "abs_version", "dataset", "fragments", "behaviors", "evaluations", "x-verity"];
const BEHAVIOR: [&str; 11] = [
    "id",
    "actor",
    "action",
    "target",
    "content",
    "capture",
    "with",
    "with_only",
    "evaluations",
    "optional",
    "requires",
];
/// Behaviors of a session, fragments expanded.
const MAX_STEPS: usize = 10_000;

/// One document as it was read: fragments expanded, placeholders not bound.
#[derive(Debug)]
pub struct Raw {
    pub(super) loaded: Loaded,
    /// Line of the document in the file, from 1.
    pub line: usize,
    pub name: String,
    /// Pointers of the behaviors in order, those of fragments where they are included.
    pub(super) behaviors: Vec<String>,
    pub dataset: Option<Dataset>,
}

/// Rows that a session is judged with, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    /// `{{id.column}}`.
    pub id: String,
    /// Relative to the expectation file, and below its folder.
    pub path: String,
    pub line: usize,
}

/// The documents of an expectation file: YAML or JSON.
///
/// # Errors
/// Broken YAML; what ABS does not allow; unknown keys; fragments that are not there or run in a circle.
pub fn parse(text: &str) -> Result<Vec<Raw>, Fault> {
    let fault = |e: yaml::YamlError| Fault {
        line: e.line,
        column: e.column,
        message: e.message,
        is_not_judged: false,
    };
    let mut documents = yaml::read_all(text).map_err(fault)?;
    // A file may end with `---`.
    if documents.len() > 1 && documents.last().is_some_and(|d| d.value.is_null()) {
        documents.pop();
    }
    documents.into_iter().map(document).collect()
}

fn document(loaded: Loaded) -> Result<Raw, Fault> {
    let root = At::new(&loaded, &loaded.value, "");
    root.mapping("the document", &KEYS)?;
    let name = root.needed_text("the document", "session")?.to_string();
    root.text("description")?;
    match root.value.get("abs_version") {
        None => {}
        Some(Value::String(version)) if version == "0.1" || version == "0.2" => {}
        // Without quotes it is a number.
        Some(Value::Number(n)) if ["0.1", "0.2"].contains(&n.to_string().as_str()) => {}
        Some(_) => return Err(root.fault("/abs_version", "`abs_version` is \"0.1\" or \"0.2\"")),
    }
    let fragments = fragments(&loaded)?;
    let mut behaviors = Vec::new();
    let list = root.list("behaviors")?;
    if list.is_empty() {
        return Err(root.fault("", "the document needs `behaviors`, one at least"));
    }
    expand(&loaded, &list, &fragments, &mut Vec::new(), &mut behaviors)?;
    unique_ids(&loaded, &behaviors)?;
    let dataset = dataset(&loaded)?;
    let line = root.place("").line;
    Ok(Raw { line, name, behaviors, dataset, loaded })
}

/// Pointers of the fragments' behaviors, by name.
type Fragments = BTreeMap<String, Vec<String>>;

fn fragments(loaded: &Loaded) -> Result<Fragments, Fault> {
    let root = At::new(loaded, &loaded.value, "");
    let Some(Value::Object(members)) = root.object("fragments")? else { return Ok(Fragments::new()) };
    let mut all = Fragments::new();
    for (name, value) in members {
        let at = pointer::child("/fragments", name);
        match value {
            Value::Array(items) if !items.is_empty() => {
                all.insert(name.clone(), (0..items.len()).map(|i| pointer::index(&at, i)).collect());
            }
            _ => return Err(root.fault(&at, "a fragment is a list of behaviors, one at least")),
        }
    }
    Ok(all)
}

/// Behaviors in order, `include` replaced by what the fragment holds; `open` are the fragments that are being expanded.
fn expand(
    loaded: &Loaded,
    items: &[(String, &Value)],
    fragments: &Fragments,
    open: &mut Vec<String>,
    out: &mut Vec<String>,
) -> Result<(), Fault> {
    for (pointer, value) in items {
        let at = At::new(loaded, value, pointer);
        if value.get("include").is_none() {
            behavior(at)?;
            out.push(pointer.clone());
            if out.len() > MAX_STEPS {
                return Err(at.fault("", format!("more than {MAX_STEPS} behaviors, fragments included")));
            }
            continue;
        }
        at.mapping("an include", &["include"])?;
        let name = at.needed_text("an include", "include")?;
        let Some(pointers) = fragments.get(name) else {
            let said = suggest::unknown("fragment", name, fragments.keys().map(String::as_str));
            return Err(at.fault("/include", said));
        };
        if open.iter().any(|n| n == name) {
            let chain = open.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(" → ");
            return Err(at.fault("/include", format!("fragments include each other in a circle: {chain}")));
        }
        open.push(name.to_string());
        let value = |p: &String| Some((p.clone(), loaded.value.pointer(p)?));
        let inner: Vec<(String, &Value)> = pointers.iter().filter_map(value).collect();
        expand(loaded, &inner, fragments, open, out)?;
        open.pop();
    }
    Ok(())
}

/// What can be said of a behavior before its placeholders have values.
fn behavior(at: At<'_>) -> Result<(), Fault> {
    let known: Vec<&str> = BEHAVIOR.iter().copied().chain(["matches_when"]).collect();
    at.mapping("a behavior", &known)?;
    at.needed_text("a behavior", "actor")?;
    at.needed_text("a behavior", "action")?;
    for key in ["id", "target", "requires"] {
        at.text(key)?;
    }
    if let Some(Value::Object(members)) = at.object("capture")?
        && members.is_empty()
    {
        return Err(at.fault("/capture", "`capture` needs a variable"));
    }
    at.flag("optional")?;
    at.list("evaluations")?;
    Ok(())
}

fn unique_ids(loaded: &Loaded, behaviors: &[String]) -> Result<(), Fault> {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for pointer in behaviors {
        let Some(id) = loaded.value.pointer(pointer).and_then(|b| b.get("id")).and_then(Value::as_str) else {
            continue;
        };
        // A fragment that is included twice has its ids twice, and nobody can refer to one of them.
        if seen.insert(id, pointer).is_some() {
            let at = At::new(loaded, &loaded.value, "");
            return Err(
                at.fault(&format!("{pointer}/id"), format!("the id `{id}` is that of another behavior, too"))
            );
        }
    }
    Ok(())
}

fn dataset(loaded: &Loaded) -> Result<Option<Dataset>, Fault> {
    let root = At::new(loaded, &loaded.value, "");
    let Some(value) = root.object("dataset")? else { return Ok(None) };
    let at = At::new(loaded, value, "/dataset");
    at.mapping("`dataset`", &["id", "path"])?;
    let id = at.needed_text("`dataset`", "id")?.to_string();
    let path = at.needed_text("`dataset`", "path")?.to_string();
    let is_below = !path.starts_with(['/', '\\'])
        && !path.contains(':')
        && !path.contains('\0')
        && !path.split(['/', '\\']).any(|part| part == "..");
    if !is_below {
        return Err(at.fault("/path", "a dataset lies in the folder of the expectation file, or below it"));
    }
    if !(path.ends_with(".json") || path.ends_with(".jsonl")) {
        return Err(at.fault("/path", "a dataset is a .json or a .jsonl file"));
    }
    Ok(Some(Dataset { id, path, line: at.place("").line }))
}
