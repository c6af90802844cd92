//! `verity explain`.

use super::{Outcome, Shared, out, usage_error};
use crate::rules::{self, RuleInfo, page};
use crate::suggest;

/// Show one rule's page: why it exists, how it decides, an example, what to do.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Id of the rule, in any case, such as MCP-POISON-INSTRUCTION.
    #[arg(value_name = "RULE")]
    rule: String,
}

const EXAMPLES: &str = "\
Examples:
  verity explain MCP-POISON-INSTRUCTION
  verity explain dead-branch          a part that only one id has

Exit codes: 0 shown, 2 no such rule.";

pub(crate) fn run(args: &Args, shared: &Shared) -> Outcome {
    match find(&args.rule) {
        Ok(info) => out::stdout(&render(&page::page(info), width(), out::is_coloured(shared))),
        Err(message) => usage_error(message, false),
    }
}

/// The rule that was meant: by its id, or by a part that only one id has.
fn find(typed: &str) -> Result<&'static RuleInfo, String> {
    if let Some(rule) = rules::find(typed.trim()) {
        return Ok(rule.info());
    }
    let ids: Vec<&'static RuleInfo> = rules::all().map(|r| r.info()).collect();
    let part = typed.trim().to_ascii_uppercase().replace(['_', ' '], "-");
    let with_part: Vec<_> = ids.iter().filter(|i| part.len() >= 3 && i.id.contains(&part)).collect();
    match with_part.as_slice() {
        [] => {
            let hint = "`verity rules` lists them all";
            Err(format!("{}; {hint}", suggest::unknown("rule", typed, ids.iter().map(|i| i.id))))
        }
        [one] => Ok(one),
        several => {
            let names: Vec<_> = several.iter().map(|i| i.id).collect();
            Err(format!("`{typed}` is no rule, but a part of {} ids: {}", names.len(), names.join(", ")))
        }
    }
}

/// Columns for prose: the terminal's, but no more than is good to read.
pub(super) fn width() -> usize {
    out::width().clamp(40, 100)
}

/// A page for the terminal: paragraphs and lists wrapped, headings set off, code as it is.
fn render(markdown: &str, width: usize, coloured: bool) -> String {
    let mut text = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            for code in lines.by_ref().take_while(|l| !l.starts_with("```")) {
                text.push_str(&format!("    {code}\n"));
            }
        } else if let Some(heading) = line.strip_prefix("## ").or_else(|| line.strip_prefix("# ")) {
            text.push_str(&if coloured {
                format!("\u{1b}[1m{heading}\u{1b}[0m\n")
            } else {
                format!("{heading}\n")
            });
        } else if line.is_empty() {
            text.push('\n');
        } else {
            // The source breaks its lines where it likes: a paragraph goes on until something else begins.
            let mut paragraph = line.to_string();
            while let Some(next) = lines.next_if(|l| continues(l)) {
                paragraph.push(' ');
                paragraph.push_str(next.trim_start());
            }
            let hang = if paragraph.starts_with("- ") { "    " } else { "  " };
            text.push_str(&wrap(&plain(&paragraph), width, hang));
            text.push('\n');
        }
    }
    text
}

/// Identifiers, dates and addresses keep their hyphens: lines break at blanks alone.
fn wrap(text: &str, width: usize, hang: &str) -> String {
    let options = textwrap::Options::new(width)
        .initial_indent("  ")
        .subsequent_indent(hang)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}

/// Markdown without the marks that only a renderer needs.
fn plain(text: &str) -> String {
    match text.strip_prefix("- <").and_then(|rest| rest.strip_suffix('>')) {
        Some(link) => format!("- {link}"),
        None => text.replace("**", ""),
    }
}

/// Whether a line goes on with the paragraph before it.
fn continues(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("- ") && !line.starts_with("```") && !line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_however_they_are_typed() {
        for typed in ["MCP-TOOL-INVALID", "mcp-tool-invalid", "tool-invalid", " MCP_TOOL_INVALID "] {
            assert_eq!(find(typed).unwrap().id, "MCP-TOOL-INVALID", "{typed}");
        }
        let slip = find("MCP-TOOL-INVLAID").unwrap_err();
        assert!(slip.contains("did you mean `MCP-TOOL-INVALID`?"), "{slip}");
        let several = find("header").unwrap_err();
        assert!(
            several.contains("MCP-TOOL-HEADER-NAME") && several.contains("MCP-TOOL-HEADER-PLACE"),
            "{several}"
        );
        assert!(find("xyzzy").is_err());
    }

    #[test]
    fn pages_fit_the_terminal_and_keep_their_code() {
        let page = "# ID\n\nOne two three\nfour **five** six.\n\n- an item that is\n  rather long\n- another\n\n```json\n{\n  \"a\": 1\n}\n```\n";
        assert_eq!(
            render(page, 20, false),
            "ID\n\n  One two three four\n  five six.\n\n  - an item that is\n    rather long\n  - another\n\n    {\n      \"a\": 1\n    }\n"
        );
        assert!(render(page, 20, true).starts_with("\u{1b}[1mID\u{1b}[0m\n"));
    }
}
