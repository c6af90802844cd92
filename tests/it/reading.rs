//! Tests of the reading area.
