//! Tests of the reading area.

mod hostile;
mod property;
mod shapes;
