//! A recording with one change made, for finding out whether a judgement notices.

use super::store::{Kept, Piece};
use super::{Outcome, Trace};
use serde_json::Value;

/// One change; calls by index, from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// The call was not made.
    Drop(usize),
    /// The call was made again, after it was answered.
    Double(usize),
    /// The call and the one after it changed places.
    Swap(usize),
    /// It sent other arguments.
    Arguments(usize, Value),
    /// It ended otherwise; its answer stays.
    Outcome(usize, Outcome),
    /// Its answer was lost.
    Lose(usize),
    /// The text at this index among [`Trace::said`] is another one, or was not said.
    Text(usize, Option<String>),
}

impl Trace {
    /// This recording with `edit` made; `None` where there is no such call.
    #[must_use]
    pub fn edited(&self, edit: &Edit) -> Option<Trace> {
        let mut trace = self.clone();
        match edit {
            Edit::Drop(index) => {
                trace.calls.get(*index)?;
                trace.calls.remove(*index);
            }
            Edit::Double(index) => trace.double(*index)?,
            Edit::Swap(index) => trace.swap(*index)?,
            Edit::Arguments(index, value) => {
                let piece = trace.pool.add(&value.to_string());
                let call = trace.calls.get_mut(*index)?;
                (call.arguments, call.kept) = (piece, Kept::Json);
            }
            Edit::Outcome(index, outcome) => trace.calls.get_mut(*index)?.outcome = *outcome,
            Edit::Text(index, text) => {
                trace.said.get(*index)?;
                match text {
                    Some(text) => trace.said.get_mut(*index)?.text.clone_from(text),
                    None => drop(trace.said.remove(*index)),
                }
            }
            Edit::Lose(index) => {
                let call = trace.calls.get_mut(*index)?;
                (call.outcome, call.answered) = (Outcome::Lost, 0);
                (call.text, call.structured) = (Piece::default(), Piece::default());
            }
        }
        Some(trace)
    }

    fn double(&mut self, index: usize) -> Option<()> {
        // Room between the events for two more.
        self.calls
            .iter_mut()
            .for_each(|c| (c.made, c.answered) = (c.made.saturating_mul(3), c.answered.saturating_mul(3)));
        self.said.iter_mut().for_each(|s| s.at = s.at.saturating_mul(3));
        let mut again = *self.calls.get(index)?;
        let after = again.answered.max(again.made);
        again.answered = if again.answered > 0 { after + 2 } else { 0 };
        again.made = after + 1;
        let place = self.calls.partition_point(|c| c.made <= after);
        self.calls.insert(place, again);
        Some(())
    }

    fn swap(&mut self, index: usize) -> Option<()> {
        let (first, second) = (*self.calls.get(index)?, *self.calls.get(index + 1)?);
        let slots = self.calls.get_mut(index..index + 2)?;
        if let [a, b] = slots {
            (*a, *b) = (second, first);
            (a.made, a.answered) =
                (first.made, if second.answered > 0 { first.answered.max(first.made) } else { 0 });
            (b.made, b.answered) =
                (second.made, if first.answered > 0 { second.answered.max(second.made) } else { 0 });
        }
        Some(())
    }
}
