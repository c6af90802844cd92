//! Expectation files from disk, with their datasets and judgements.

use super::input;
use crate::error::{ErrorCode, InputError};
use crate::expect::{self, Bindings, Fault, Raw};
use crate::grade::calls::{self, Judgement, Judgements, Sessions};
use crate::source;
use crate::suggest;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Rows of a dataset.
const MAX_ROWS: usize = 10_000;

/// An expectation file, as it was read.
#[derive(Debug)]
pub(super) struct File {
    shown: String,
    documents: Vec<Document>,
    /// What was read: the file itself first, then the datasets by the paths that the documents name.
    pub(super) bytes: Vec<u8>,
    pub(super) datasets: BTreeMap<String, Vec<u8>>,
}

#[derive(Debug)]
struct Document {
    raw: Raw,
    /// The rows of its dataset, where it has one.
    rows: Option<Vec<Bindings>>,
}

/// `NAME=JSON`; what is no JSON is text.
pub(super) fn variable(text: &str) -> Result<(String, Value), String> {
    let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
        return Err("write NAME=JSON, such as orderId='\"8291\"' or limit=5".to_string());
    };
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_string()));
    Ok((name.to_string(), value))
}

fn placed(fault: &Fault, shown: &str) -> InputError {
    let code = if fault.is_not_judged { ErrorCode::NotJudged } else { ErrorCode::NotAnExpectation };
    InputError::new(code, &fault.message).at(shown).line_column(fault.line, fault.column)
}

/// The documents of `path`; of several, the one called `session` alone.
pub(super) fn read(path: &Path, session: Option<&str>) -> Result<File, InputError> {
    let shown = path.display().to_string();
    let bytes = input::bytes(path)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| InputError::new(ErrorCode::NotAnExpectation, "the file is not UTF-8").at(&shown))?;
    let mut raws =
        expect::parse(text.trim_start_matches('\u{feff}')).map_err(|fault| placed(&fault, &shown))?;
    if let Some(name) = session {
        let names: Vec<String> = raws.iter().map(|r| r.name.clone()).collect();
        raws.retain(|r| r.name == name);
        if raws.is_empty() {
            let message = suggest::unknown("session", name, names.iter().map(String::as_str));
            return Err(InputError::new(ErrorCode::Usage, message).at(&shown));
        }
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut datasets = BTreeMap::new();
    let document = |raw: Raw| {
        let rows = raw.dataset.as_ref().map(|d| {
            rows(d, folder, &mut datasets)
                .map_err(|e| if e.path.is_none() { e.at(&shown).line_column(d.line, 1) } else { e })
        });
        Ok(Document { rows: rows.transpose()?, raw })
    };
    let documents = raws.into_iter().map(document).collect::<Result<Vec<_>, InputError>>()?;
    Ok(File { shown, documents, bytes, datasets })
}

/// The rows of a dataset: a JSON list of objects, or an object a line.
fn rows(
    dataset: &expect::Dataset,
    folder: &Path,
    read: &mut BTreeMap<String, Vec<u8>>,
) -> Result<Vec<Bindings>, InputError> {
    let path = folder.join(&dataset.path);
    let shown = path.display().to_string();
    // A link may lead out of the folder; where it leads, the user has put it.
    let bytes = input::bytes(&path)?;
    read.insert(dataset.path.clone(), bytes.clone());
    let document = source::parse(&shown, bytes)?;
    let rows: Vec<&Value> = match document.segments.as_slice() {
        [one] if one.value.is_array() => one.value.as_array().into_iter().flatten().collect(),
        many => many.iter().map(|s| &s.value).collect(),
    };
    let wrong = |message: String| Err(InputError::new(ErrorCode::NotAnExpectation, message).at(&shown));
    if rows.is_empty() || rows.len() > MAX_ROWS {
        return wrong(format!("the dataset has {} rows; verity takes 1 to {MAX_ROWS}", rows.len()));
    }
    let mut all = Vec::with_capacity(rows.len());
    for (i, row) in rows.iter().enumerate() {
        let Value::Object(members) = row else {
            return wrong(format!("row {} of the dataset is no object", i + 1));
        };
        let named = |(column, value): (&String, &Value)| (format!("{}.{column}", dataset.id), value.clone());
        all.push(members.iter().map(named).collect());
    }
    Ok(all)
}

impl File {
    /// The sessions for a recording of so many runs, with their placeholders bound.
    ///
    /// # Errors
    /// With their place: placeholders without values, what a recording cannot show. And where nobody can tell which
    /// row of a dataset a run is.
    pub(super) fn bind(
        &self,
        variables: &BTreeMap<String, Value>,
        row: Option<usize>,
        runs: usize,
        has_judgements: bool,
    ) -> Result<Sessions, InputError> {
        let bind = |document: &Document, row: Option<&Bindings>| {
            let mut bindings = row.cloned().unwrap_or_default();
            bindings.extend(variables.iter().map(|(k, v)| (k.clone(), v.clone())));
            let session = expect::bind::bind(&document.raw, &bindings, has_judgements)
                .map_err(|f| placed(&f, &self.shown))?;
            match calls::refusal(&session) {
                None => Ok(session),
                Some(why) => Err(InputError::new(ErrorCode::NotJudged, why)
                    .at(&self.shown)
                    .line_column(document.raw.line, 1)),
            }
        };
        let with_rows = self.documents.iter().find_map(|d| Some((d, d.rows.as_ref()?)));
        let Some((_, rows)) = with_rows else {
            if row.is_some() {
                return Err(self.usage("--row is about a dataset, and the expectation file names none"));
            }
            // A run a document, where there are as many of both.
            let sessions = self.documents.iter().map(|d| bind(d, None)).collect::<Result<Vec<_>, _>>()?;
            return Ok(if sessions.len() > 1 && sessions.len() == runs {
                Sessions::Pairs(sessions)
            } else {
                Sessions::All(sessions)
            });
        };
        let chosen = match row {
            Some(n) => match n.checked_sub(1).and_then(|i| rows.get(i)) {
                Some(row) => vec![row],
                None => {
                    return Err(self.usage(&format!("--row {n}: the dataset has rows 1 to {}", rows.len())));
                }
            },
            None => rows.iter().collect(),
        };
        match (chosen.as_slice(), self.documents.as_slice()) {
            ([row], documents) => {
                let all = documents
                    .iter()
                    .map(|d| bind(d, d.rows.is_some().then_some(*row)))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Sessions::All(all))
            }
            (rows, [document]) if rows.len() == runs => Ok(Sessions::Pairs(
                rows.iter().map(|row| bind(document, Some(row))).collect::<Result<Vec<_>, _>>()?,
            )),
            (rows, _) => {
                let message = format!(
                    "the dataset has {} rows and the recording {runs} runs: which run is which row, nobody can tell",
                    rows.len()
                );
                Err(self.usage(&message).help(
                    "Choose one with --row N, and with --session NAME where there are several documents.",
                ))
            }
        }
    }

    fn usage(&self, message: &str) -> InputError {
        InputError::new(ErrorCode::Usage, message).at(&self.shown)
    }
}

/// Recorded judgements: an object of `{"passed": …, "reason": …}` by check. `shown` names the file that `bytes` are of.
pub(super) fn judgements(shown: &str, bytes: Vec<u8>) -> Result<Judgements, InputError> {
    let document = source::parse(shown, bytes)?;
    let wrong =
        |what: &str| InputError::new(ErrorCode::NotAnExpectation, format!("judgements: {what}")).at(shown);
    let value = document.segments.first().map(|s| &s.value);
    let Some(Value::Object(members)) = value else {
        return Err(wrong("an object of judgements by check was expected"));
    };
    let one = |(id, judgement): (&String, &Value)| {
        let passed = judgement.get("passed").and_then(Value::as_bool);
        let passed = passed.ok_or_else(|| {
            wrong(&format!("`{}` says neither passed nor failed (`passed`)", crate::error::cut(id)))
        })?;
        let reason = judgement.get("reason").and_then(Value::as_str).unwrap_or("no reason given").to_string();
        Ok((id.clone(), Judgement { passed, reason }))
    };
    members.iter().map(one).collect()
}
