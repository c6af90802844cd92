//! Tests of the lint area.
