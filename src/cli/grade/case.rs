//! Everything that a recording is judged by, in memory: it came from the command line, or from an attempt.

use super::super::expectations;
use crate::error::{ErrorCode, InputError};
use crate::expect::Session;
use crate::grade::attempt::Options;
use crate::grade::calls::{self, Judgements, Order, Sessions};
use crate::grade::listing::Listing;
use crate::grade::mutate::{self, Mutation};
use crate::grade::streams;
use crate::grade::verdict::{Outcome, Verdict};
use crate::suggest;
use crate::trace::Trace;
use serde_json::Value;

/// What a recording is judged by.
#[derive(Debug, Default)]
pub(in crate::cli) struct Case {
    pub(in crate::cli) expected: Option<expectations::File>,
    pub(in crate::cli) judgements: Option<Judgements>,
    /// Entries of the listing that was named.
    pub(in crate::cli) tools: Option<Vec<Value>>,
    /// The model's own stream.
    pub(in crate::cli) stream: Option<Trace>,
    pub(in crate::cli) options: Options,
}

/// A recording, judged.
#[derive(Debug)]
pub(in crate::cli) struct Judged {
    pub(in crate::cli) verdict: Verdict,
    /// The mutation score, where it was asked for and could be told.
    pub(in crate::cli) mutation: Option<Mutation>,
}

impl Case {
    /// Judge `trace`, which messages call `shown`.
    ///
    /// # Errors
    /// The expectations cannot be bound to it, or there is nothing to judge.
    pub(in crate::cli) fn judge(&self, trace: &Trace, shown: &str) -> Result<Judged, InputError> {
        let order = self.order(trace, shown)?;
        let mut verdict = calls::judge(trace, &order);
        let mutation = self.mutate(trace, &order, &mut verdict);
        // Changes are made to the recording alone, so that this check would notice every one of them.
        verdict.checks.extend(self.stream.as_ref().map(|stream| streams::agree(trace, stream)));
        Ok(Judged { verdict, mutation })
    }

    /// As [`Case::judge`], without the mutation score.
    pub(in crate::cli) fn verdict(&self, trace: &Trace, shown: &str) -> Result<Verdict, InputError> {
        let mut verdict = calls::judge(trace, &self.order(trace, shown)?);
        verdict.checks.extend(self.stream.as_ref().map(|stream| streams::agree(trace, stream)));
        Ok(verdict)
    }

    fn order(&self, trace: &Trace, shown: &str) -> Result<Order, InputError> {
        let options = &self.options;
        let sessions = match &self.expected {
            Some(file) => {
                let has_judgements = self.judgements.is_some();
                file.bind(&options.variables, options.row, calls::runs(trace), has_judgements)?
            }
            None if trace.is_empty() => {
                let message =
                    "the recording holds no call, and no expectations were given: there is nothing to judge";
                return Err(InputError::new(ErrorCode::NotJudged, message).at(shown));
            }
            None => Sessions::None,
        };
        self.check_judgements(&sessions)?;
        let listing = self.tools.as_ref().or(trace.listing.as_ref());
        Ok(Order {
            sessions,
            listing: listing.map(Listing::new),
            faults: options.faults.clone(),
            extra_calls: options.extra_calls,
            judgements: self.judgements.clone().unwrap_or_default(),
        })
    }

    /// A judgement is of a check that needs one: no other check is decided by it.
    fn check_judgements(&self, sessions: &Sessions) -> Result<(), InputError> {
        let asked: Vec<&str> = sessions.all().iter().flat_map(Session::asks_for_judgements).collect();
        let given = self.judgements.iter().flat_map(|all| all.keys());
        match given.into_iter().find(|id| !asked.contains(&id.as_str())) {
            None => Ok(()),
            Some(id) => {
                let said = suggest::unknown("check that needs a judgement", id, asked.iter().copied());
                Err(InputError::new(ErrorCode::NotAnExpectation, format!("judgements: {said}"))
                    .help("What is judged from the recording is decided by the recording alone."))
            }
        }
    }

    /// The mutation score, where it is asked for; only of a recording that passes can be said what was noticed.
    fn mutate(&self, trace: &Trace, order: &Order, verdict: &mut Verdict) -> Option<Mutation> {
        let least = self.options.min_mutation_score;
        if !self.options.mutate && least.is_none() {
            return None;
        }
        if verdict.outcome() != Outcome::Passed {
            verdict.notes.push("the recording does not pass, so there is no mutation score".to_string());
            return None;
        }
        let mutation = mutate::run(trace, order);
        verdict.checks.extend(least.map(|least| mutate::check(&mutation, least)));
        Some(mutation)
    }
}
