//! Tests of the generate area.
