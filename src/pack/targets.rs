//! Formats that packs are written in; one file a target.

pub mod tooltrace;
