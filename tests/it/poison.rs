//! Tests of the poison area.
