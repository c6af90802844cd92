//! Tests of the lint area.

mod human;
mod json;
mod made;
