//! Tests of the rules area.
