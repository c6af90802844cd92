//! NAME: names that agents and clients must tell apart.

mod charset;
mod collision;
mod control;
mod length;
mod lookalike;
mod reserved;
pub mod words;

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[
    &control::Control,
    &charset::Charset,
    &length::Length,
    &collision::Collision,
    &lookalike::Lookalike,
    &reserved::Reserved,
];
