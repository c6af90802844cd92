//! Tests of the lint area.

mod command;
mod hostile;
mod human;
mod json;
mod made;
mod pointers;
