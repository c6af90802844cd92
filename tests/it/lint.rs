//! Tests of the lint area.

mod command;
mod human;
mod json;
mod made;
