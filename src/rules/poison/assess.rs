//! What the POISON rules share: a tool's evidence, weighed once.

use super::evidence::{self, Evidence};
use super::job::{self, Job};
use super::names::Names;
use super::score::{self, Window};
use super::signal::Signal;
use crate::manifest::Tool;
use crate::text::{Role, Surface};
use std::collections::BTreeSet;

/// A text's evidence and the windows that weigh enough to be looked at.
pub struct Assessment {
    pub job: Job,
    pub evidence: Evidence,
    /// Every window with a leading signal, in order of place.
    pub windows: Vec<Window>,
}

impl Assessment {
    /// The windows of one surface, in order of place.
    #[must_use]
    pub fn of_surface(&self, surface: usize) -> &[Window] {
        evidence::run(&self.windows, |w| w.surface, surface)
    }
}

/// Weigh the texts of one tool; `siblings` holds the folded names of all tools of the server.
#[must_use]
pub fn of_tool(tool: &Tool, surfaces: &[Surface<'_>], siblings: &BTreeSet<String>) -> Assessment {
    let own = tool.name().map(fold_name).unwrap_or_default();
    let parameters =
        surfaces.iter().filter(|s| s.role == Role::ParameterName).map(|s| fold_name(s.text)).collect();
    let values = surfaces
        .iter()
        .filter(|s| s.role == Role::EnumValue && s.text.len() < 64 && s.text.contains(['_', '-']))
        .map(|s| fold_name(s.text))
        .collect();
    let names = Names { own, parameters, values };
    let is_sibling = |word: &str| word != names.own && siblings.contains(word);
    let evidence = evidence::observe(surfaces, &names, &is_sibling);
    let job = stated_job(surfaces, &evidence);
    let windows = score::windows(&evidence, surfaces, job);
    Assessment { job, evidence, windows }
}

/// Weigh texts that belong to no tool: instructions and prompts.
#[must_use]
pub fn of_listing(surfaces: &[Surface<'_>], siblings: &BTreeSet<String>) -> Assessment {
    let evidence = evidence::observe(surfaces, &Names::default(), &|word| siblings.contains(word));
    let windows = score::windows(&evidence, surfaces, Job::default());
    Assessment { job: Job::default(), evidence, windows }
}

/// A name as it is looked up: lower case.
#[must_use]
pub fn fold_name(name: &str) -> String {
    name.to_lowercase()
}

/// What the tool says it is for: its name and title, its parameters, and the first sentence of its
/// description. A text that is itself an order, or conceals, sends or overrides, is no witness.
fn stated_job(surfaces: &[Surface<'_>], evidence: &Evidence) -> Job {
    let (mut words, mut parameters) = (BTreeSet::new(), BTreeSet::new());
    for (i, surface) in surfaces.iter().enumerate() {
        let seen = evidence.of_surface(i);
        let clean =
            |end: usize| !seen.iter().any(|o| o.layer == 0 && o.range.start < end && disqualifies(o.signal));
        // `load_chat_messages`, `run_powershell`: a name is what the tool does, if it is no more than a name.
        let plain_name = || surface.text.len() <= 40 && !seen.iter().any(|o| disqualifies_name(o.signal));
        // An SSH tool says `~/.ssh` in prose; a parameter called after a key file is no one's job.
        let names_secret =
            |end: usize| seen.iter().any(|o| o.signal == Signal::SecretPath && o.range.start < end);
        match surface.role {
            Role::ToolName | Role::ToolTitle if clean(usize::MAX) || plain_name() => {
                job::words_of(head(surface.text, 120), &mut words)
            }
            Role::ParameterName
                if surface.text.len() <= 40 && clean(usize::MAX) && !names_secret(usize::MAX) =>
            {
                job::words_of(surface.text, &mut parameters);
            }
            Role::ToolDescription => {
                let first = first_sentence(surface.text);
                // Nor does a sentence that names a secret's place vouch for itself.
                if clean(first.len()) && !names_secret(first.len()) {
                    // A path is no statement of purpose: `.ssh` makes no SSH tool.
                    let is_path = |w: &&str| {
                        w.contains('/') || w.trim_start_matches(['`', '"', '\'', '(']).starts_with(['.', '~'])
                    };
                    let said: Vec<&str> = first.split_whitespace().filter(|w| !is_path(w)).collect();
                    job::words_of(&said.join(" "), &mut words);
                }
            }
            _ => {}
        }
    }
    Job::of(&words, &parameters)
}

/// Signals that no tool's honest statement of its purpose has.
fn disqualifies(signal: Signal) -> bool {
    use Signal as S;
    matches!(
        signal,
        S::Conceal
            | S::Hush
            | S::Quiet
            | S::Override
            | S::SafetyOff
            | S::AiNote
            | S::Template
            | S::Persona
            | S::FullTalk
            | S::HarvestTalk
            | S::HarvestPrompt
            | S::HarvestName
            | S::SendPrivate
            | S::FixedSink
            | S::SendUrl
            | S::AlsoSend
            | S::SendTalk
            | S::SendCollector
            | S::RunShell
            | S::Preflight
            | S::ReaderOrder
            | S::Trigger
    ) || (signal == S::TakeSecret)
}

/// Of these, signals that not even a short name may have.
fn disqualifies_name(signal: Signal) -> bool {
    use Signal as S;
    let deeds = matches!(
        signal,
        S::RunShell
            | S::HarvestTalk
            | S::FullTalk
            | S::HarvestName
            | S::Trigger
            | S::Preflight
            | S::TakeSecret
    );
    disqualifies(signal) && !deeds
}

/// The opening of a description: up to the first full stop or line break, and no more than 160 bytes.
fn first_sentence(text: &str) -> &str {
    let text = head(text.trim_start(), 160);
    let end = text.char_indices().zip(text.chars().skip(1)).find(|((_, c), next)| {
        matches!(c, '。' | '\n' | '<') || (matches!(c, '.' | '!' | '?' | ':') && next.is_whitespace())
    });
    end.map_or(text, |((i, _), _)| text.get(..i).unwrap_or(text))
}

fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}
