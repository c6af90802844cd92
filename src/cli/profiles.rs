//! `verity profiles`.

use super::today::{is_a_year_old, today};
use super::{Format, Outcome, Shared, out};
use crate::manifest::Revision;
use crate::profile::{self, Profile, Profiles, mcp_name};
use crate::rules::{self, page};
use serde_json::{Value, json};
use std::path::Path;

/// List the clients whose limits verity knows, or the limits of one.
///
/// Each limit is data with a date and a source. `verity lint --profile NAME` judges by it.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Show what this profile judges by: any name that `verity lint --profile` takes.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// How to print the list.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  verity profiles
  verity profiles openai
  verity profiles ./mine.yaml

Exit codes: 0 listed, 2 no such profile.";

pub(crate) fn run(args: &Args, _shared: &Shared) -> Outcome {
    let json = args.format == Format::Json;
    let today = today();
    let Some(name) = &args.name else {
        let text = if json { as_json(profile::clients(), &today) } else { table(&today) };
        return out::stdout(&text);
    };
    let mut asked = Profiles::default();
    match super::config::add_profile(&mut asked, name, Path::new(name)) {
        Err(e) => out::error(&e, json),
        Ok(()) if json => out::stdout(&as_json(asked.clients.iter().copied(), &today)),
        Ok(()) => match (asked.clients.as_slice(), asked.revisions.as_slice()) {
            ([one], _) => out::stdout(&limits(one, &today)),
            ([], revisions) => out::stdout(&specification(name, revisions)),
            _ => out::stdout(&table(&today)),
        },
    }
}

/// What a name that stands for a revision of the specification means.
fn specification(name: &str, revisions: &[Revision]) -> String {
    let newest = Revision::ALL.iter().max().map_or("", |r| r.as_str());
    let which = match revisions.first() {
        Some(revision) => format!("revision {} of the specification", revision.as_str()),
        None => {
            format!("the revision of the specification that the listing states, else the newest ({newest})")
        }
    };
    let rules = rules::core().count();
    format!(
        "{name}: {which}\nIt has no limits of its own: the {rules} rules that hold for every client judge by it. `verity rules` \
         lists them.\n"
    )
}

/// Said of a profile that nobody has looked at for a year; clients change without notice.
pub(crate) fn stale(profile: &Profile, today: &str) -> Option<String> {
    is_a_year_old(profile.observed, today).then(|| {
        format!(
            "the limits of {} were last looked at on {}, more than a year ago",
            profile.title, profile.observed
        )
    })
}

fn as_json<'p>(profiles: impl IntoIterator<Item = &'p Profile>, today: &str) -> String {
    let profiles: Vec<Value> = profiles
        .into_iter()
        .map(|p| {
            let limits: Vec<Value> = p
                .limits
                .iter()
                .map(|l| {
                    json!({"rule": l.rule, "severity": l.severity, "impact": l.impact, "summary": l.summary,
                        "observed": l.observed, "kind": l.kind.name(), "sources": l.sources, "fix": l.fix})
                })
                .collect();
            json!({"name": p.name, "title": p.title, "about": p.about, "observed": p.observed,
                "stale": stale(p, today).is_some(), "extends": p.extends, "limits": limits})
        })
        .collect();
    format!("{:#}\n", json!({"schema_version": 1, "profiles": profiles}))
}

fn table(today: &str) -> String {
    let mut text = String::from("REVISIONS OF THE SPECIFICATION\n");
    text.push_str("  mcp                 the revision that the listing states, else the newest\n");
    for revision in Revision::ALL {
        text.push_str(&format!("  {:<18}  the specification of that date\n", mcp_name(revision)));
    }
    text.push_str("\nCLIENTS AND APIS      limits  seen        \n");
    for p in profile::clients() {
        let extends = match p.extends.as_slice() {
            [] => String::new(),
            bases => format!(" (and those of {})", bases.join(", ")),
        };
        text.push_str(&format!(
            "  {:<18}  {:>6}  {}  {}{extends}\n",
            p.name,
            p.limits.len(),
            p.observed,
            p.title
        ));
    }
    for note in profile::clients().iter().filter_map(|p| stale(p, today)) {
        text.push_str(&format!("\n{}.\n", page::capitalised(&note)));
    }
    text.push_str("\n`verity profiles NAME` shows the limits; `verity lint --profile NAME[,NAME…]` judges by them, `all` by every one.\n");
    text
}

fn limits(profile: &Profile, today: &str) -> String {
    let width = super::explain::width();
    let fill = |text: &str, indent: &str| {
        let options = textwrap::Options::new(width).initial_indent(indent).subsequent_indent(indent);
        textwrap::fill(text, options)
    };
    let mut text = format!("{}: {}\n{}\n", profile.name, profile.title, fill(profile.about, ""));
    if !profile.extends.is_empty() {
        text.push_str(&format!("The limits of {} hold here, too.\n", profile.extends.join(", ")));
    }
    if let Some(note) = stale(profile, today) {
        text.push_str(&format!("{}.\n", page::capitalised(&note)));
    }
    for l in &profile.limits {
        text.push_str(&format!("\n{:<8} {}\n", page::severity(l.severity), l.rule));
        text.push_str(&fill(&page::capitalised(l.summary), "  "));
        text.push_str(&format!("\n  seen {} ({}): {}\n", l.observed, l.kind.name(), l.sources.join(" ")));
    }
    text
}
