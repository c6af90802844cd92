//! Are caps on the number of results kept?

use super::{Checked, OfTool, rules};
use crate::error::cut;
use crate::pointer::child;
use crate::probe::caps::{self, Cap};
use crate::probe::suite::Round;
use std::collections::BTreeSet;

impl OfTool<'_> {
    /// The arguments that were seen to cap nothing.
    pub(super) fn caps(&mut self) -> BTreeSet<String> {
        const KIND: &str = "caps-kept";
        let (run, name) = (self.run, self.name());
        let mut exceeded = BTreeSet::new();
        if run.base().is_none() {
            return exceeded;
        }
        let (mut kept, mut open) = (0, Vec::new());
        for argument in caps::caps(self.tool) {
            let shown = cut(&argument);
            let Some(pair) = caps::pair(run, &argument) else {
                let none = format!("no call with a small `{shown}` stands beside one that brought more");
                open.push(run.why_stopped(Round::Capped).map_or(none, str::to_string));
                continue;
            };
            match caps::kept(self.tool, &argument, &pair) {
                Cap::Kept => kept += 1,
                Cap::Unclear => open.push(format!("which list `{shown}` is a cap of cannot be told")),
                Cap::Exceeded { place, items } => {
                    let place = if place.is_empty() {
                        "the result".to_string()
                    } else {
                        format!("`{}`", cut(&place))
                    };
                    let message = format!(
                        "argument `{shown}` of tool `{name}` is {}, and {place} holds {items} items",
                        pair.cap
                    );
                    let below = child("/inputSchema/properties", &argument);
                    self.find(&rules::LIMIT_EXCEEDED, &below, message, &[pair.long, pair.capped]);
                    exceeded.insert(argument);
                }
            }
        }
        match (exceeded.is_empty(), open.is_empty()) {
            (false, _) => {
                let names: Vec<String> =
                    exceeded.iter().map(|argument| format!("`{}`", cut(argument))).collect();
                self.check(
                    KIND,
                    Checked::Failed,
                    Some(format!("more came back than {} allows", names.join(", "))),
                );
            }
            (true, false) => self.check(KIND, Checked::Exempt, Some(open.join("; "))),
            (true, true) if kept > 0 => self.check(KIND, Checked::Satisfied, None),
            (true, true) => {} // it has no caps
        }
        exceeded
    }
}
