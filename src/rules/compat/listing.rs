//! Limits on the listing as a whole.

use super::{Report, sizes, texts};
use crate::profile::{Check, Over};
use crate::rules::{ManifestView, say};

pub(super) fn check(check: &Check, manifest: &ManifestView<'_>, out: &mut Report<'_, '_>) {
    match check {
        Check::ToolCount { max } => {
            let n = manifest.tools().len();
            if n > *max {
                out.emit(
                    "/tools",
                    format!("the listing has {n} tools, {} more than the {max} allowed", n - max),
                );
            }
        }
        Check::DescriptionLength { max, unit, instructions: true } => {
            if let Some(text) = &manifest.manifest.instructions {
                texts::too_long(
                    text,
                    *max,
                    *unit,
                    "/instructions",
                    "the text of the server's instructions",
                    out,
                );
            }
        }
        Check::Count { of, max, over: Over::Listing } => {
            let mut counts: Vec<(usize, _)> = manifest
                .tools()
                .iter()
                .filter_map(|t| Some((sizes::count(*of, &t.input()?.view), t)))
                .collect();
            let total: usize = counts.iter().map(|(n, _)| n).sum();
            if total <= *max {
                return;
            }
            counts.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
            let most: Vec<String> =
                counts.iter().take(3).map(|(n, t)| format!("{} ({n})", say::tool(t))).collect();
            let what = sizes::counted(*of);
            out.emit(
                "/tools",
                format!(
                    "the tools have {total} {what}, {} more than the {max} allowed; most of them {}",
                    total - max,
                    say::list(&most, 3)
                ),
            );
        }
        _ => {}
    }
}
