//! Tests of the pack area.
