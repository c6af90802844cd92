//! POISON: instructions to the agent, hidden or plain.
//!
//! One pass a tool ([`evidence`]) finds signals by the concepts of a lexicon; [`score`] weighs what
//! stands together, in the light of what the tool says its job is; each rule reports its own attack.

pub mod assess;
pub mod evidence;
mod excuse;
pub mod job;
pub mod lexicon;
mod matching;
pub mod measured;
mod names;
pub mod pattern;
mod quotation;
pub mod score;
pub mod shape;
pub mod signal;
mod structure;
pub mod terms;
mod tongue;
mod work;

mod command;
mod concealment;
mod consent;
pub mod constellation;
mod credential_path;
mod cross_tool;
mod description_outsized;
mod encoded_text;
mod exfiltration;
mod forced_call;
mod harvest;
mod hidden_markup;
mod homoglyph_name;
mod instruction;
mod invisible_text;
mod preference;
mod report;
mod rug_pull_bait;
mod scripted;
mod tampering;
mod terminal_escape;
mod tone;

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[
    &invisible_text::InvisibleText,
    &credential_path::CredentialPath,
    &instruction::Instruction,
    &concealment::Concealment,
    &consent::Consent,
    &harvest::Harvest,
    &exfiltration::Exfiltration,
    &cross_tool::CrossTool,
    &forced_call::ForcedCall,
    &tampering::Tampering,
    &command::Command,
    &scripted::Scripted,
    &rug_pull_bait::RugPull,
    &preference::Preference,
    &hidden_markup::HiddenMarkup,
    &encoded_text::EncodedText,
    &terminal_escape::TerminalEscape,
    &homoglyph_name::HomoglyphName,
    &description_outsized::DescriptionOutsized,
    &constellation::Constellation,
    &tone::Tone,
];
