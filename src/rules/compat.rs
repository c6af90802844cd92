//! MCP-COMPAT-*: the limits of clients and model APIs. The rules are made of the profiles' data; a new
//! limit of a known kind needs no code.

mod branches;
mod examples;
mod fixes;
mod inline;
mod keywords;
mod listing;
mod patterns;
mod references;
mod sizes;
mod split;
mod strict;
mod texts;
mod types;

use super::fix::Fixer;
use super::{ManifestView, Rule, RuleInfo, SchemaSite, Sink, ToolView};
use crate::finding::{Finding, Impact};
use crate::profile::{self, Check, Limit, Profile, Side};
use regex::Regex;
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

/// A limit as a rule.
pub struct Compat {
    pub profile: &'static Profile,
    pub limit: &'static Limit,
    info: &'static RuleInfo,
    /// The pattern of the limit, for a whole name; compiled when it is first asked for.
    pattern: OnceLock<Option<Regex>>,
}

/// The rules of the clients that verity knows.
static RULES: LazyLock<Vec<Compat>> = LazyLock::new(|| {
    profile::clients().iter().flat_map(|p| p.limits.iter().map(|l| Compat::new(p, l))).collect()
});

/// Every limit that comes with verity, as a rule, profile by profile.
pub fn all() -> impl Iterator<Item = &'static Compat> {
    RULES.iter()
}

/// The limits of one profile, which need not be one of verity's own.
#[must_use]
pub fn of(profile: &'static Profile) -> Vec<&'static Compat> {
    let known: Vec<_> = all().filter(|r| std::ptr::eq(r.profile, profile)).collect();
    match known.is_empty() {
        false => known,
        true => profile.limits.iter().map(|l| &*Box::leak(Box::new(Compat::new(profile, l)))).collect(),
    }
}

impl Compat {
    fn new(profile: &'static Profile, limit: &'static Limit) -> Compat {
        let rationale = format!(
            "{}\n\nA limit of **{}**, last looked at on {}; known from: {}.",
            limit.why,
            profile.title,
            limit.observed,
            limit.kind.name()
        );
        // Profiles live as long as the program, and so do the rules that are made of them.
        let info = Box::leak(Box::new(RuleInfo {
            id: limit.rule,
            severity: limit.severity,
            confidence: limit.kind.confidence(),
            impact: limit.impact,
            summary: limit.summary,
            rationale: rationale.leak(),
            help: limit.help,
            bad: "",
            good: "",
            sources: limit.sources,
        }));
        Compat { profile, limit, info, pattern: OnceLock::new() }
    }

    fn report<'o, 'i>(&'o self, out: &'o mut Sink<'i>) -> Report<'o, 'i> {
        let pattern = self.pattern.get_or_init(|| match &self.limit.check {
            Check::NamePattern { pattern } | Check::PropertyKeys { pattern, .. } => {
                Regex::new(&format!("^(?:{pattern})$")).ok()
            }
            _ => None,
        });
        Report { profile: self.profile, impact: self.limit.impact, pattern: pattern.as_ref(), out }
    }

    /// Whether the limit is about this schema of a tool.
    fn is_about(&self, is_input: bool) -> bool {
        let side = match &self.limit.check {
            Check::RootKeywords { of, .. }
            | Check::RootType { of }
            | Check::Formats { of, .. }
            | Check::References { of, .. }
            | Check::PatternUnicode { of } => *of,
            _ => Side::Input,
        };
        is_input == (side == Side::Input)
    }
}

/// Where a limit puts its findings: they name the client and end with what it does about them.
struct Report<'o, 'i> {
    profile: &'static Profile,
    impact: Impact,
    pattern: Option<&'o Regex>,
    out: &'o mut Sink<'i>,
}

impl Report<'_, '_> {
    /// What the client is called.
    fn client(&self) -> &'static str {
        self.profile.title
    }

    /// Emit "`message`: what follows of it".
    fn emit(&mut self, pointer: impl Into<String>, message: impl std::fmt::Display) -> &mut Finding {
        let text = format!("{message}; {}", consequence(self.impact, self.client()));
        let name = self.profile.name;
        let finding = self.out.emit(pointer, text);
        finding.profile = Some(name.to_string());
        finding
    }
}

fn consequence(impact: Impact, client: &str) -> String {
    match impact {
        Impact::Tool => format!("{client} cannot use the tool, or not as meant"),
        Impact::Server => format!("{client} drops or refuses the whole server"),
        Impact::Request => format!("{client} refuses the whole request"),
        Impact::Constraint => format!("{client} loses it without a word"),
        Impact::Agent => format!("the agent of {client} is led astray"),
    }
}

impl Rule for Compat {
    fn info(&self) -> &'static RuleInfo {
        self.info
    }

    fn examples(&self) -> (Cow<'static, str>, Cow<'static, str>) {
        let (bad, good) = examples::of(&self.limit.check);
        (bad.into(), good.into())
    }

    fn fixer(&self) -> Option<Fixer> {
        fixes::named(self.limit.fix?)
    }

    fn manifest(&self, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        listing::check(&self.limit.check, manifest, &mut self.report(out));
    }

    fn tool(&self, tool: &ToolView<'_>, manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        texts::check(&self.limit.check, tool, manifest, &mut self.report(out));
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        if !self.is_about(site.is_input) {
            return;
        }
        let (check, mut out) = (&self.limit.check, self.report(out));
        keywords::check(check, site, &mut out);
        types::check(check, site, &mut out);
        strict::check(check, site, &mut out);
        sizes::check(check, site, &mut out);
        patterns::check(check, site, &mut out);
        references::check(check, site, &mut out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::run_rules;
    use crate::{manifest, source};

    fn found(rule: &'static Compat, text: &str) -> Vec<Finding> {
        let document = source::parse("tools.json", text.as_bytes().to_vec()).unwrap();
        let manifest = manifest::read(&document).unwrap().remove(0);
        run_rules(&manifest, [rule as &dyn Rule])
    }

    #[test]
    fn every_limit_fires_on_its_bad_example_alone() {
        for rule in all() {
            let examples = rule.examples();
            let (bad, good) = (found(rule, &examples.0), found(rule, &examples.1));
            assert!(!bad.is_empty(), "{}: quiet on {}", rule.info.id, examples.0);
            assert!(good.is_empty(), "{}: fires on {}: {good:?}", rule.info.id, examples.1);
            let finding = &bad[0];
            assert_eq!(finding.profile.as_deref(), Some(rule.profile.name));
            assert!(finding.message.contains(rule.profile.title), "{}", finding.message);
        }
    }

    #[test]
    fn every_limit_has_its_texts() {
        for rule in all() {
            let (id, info) = (rule.info.id, rule.info);
            assert!(info.summary.len() <= 120 && !info.summary.ends_with('.'), "{id}: {}", info.summary);
            assert!(!info.help.ends_with('.') && !info.help.contains('\n'), "{id}: {}", info.help);
            assert!(rule.limit.why.len() > 40, "{id}: why?");
            assert!(info.sources.iter().all(|s| s.starts_with("https://")), "{id}: {:?}", info.sources);
            assert!(!info.sources.is_empty(), "{id}: no source");
        }
    }
}
