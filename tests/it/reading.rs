//! Tests of the reading area.

mod shapes;
