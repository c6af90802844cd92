//! Verity: is an MCP tool surface sound, and can agents be measured on it?
//!
//! Data flows one way:
//! bytes → [`source`] → [`manifest`] → [`schema`] / [`text`] → [`rules`] → [`finding`] → [`report`];
//! [`manifest`] → [`schema`] → [`generate`] → [`pack`] → disk. See ARCHITECTURE.md for the invariants.
#![forbid(unsafe_code)]

mod bounds;
mod calendar;
pub mod cli;
pub mod config;
pub mod conformance;
pub mod contract;
pub mod diff;
pub mod error;
pub mod expect;
pub mod finding;
mod fingerprint;
pub mod fix;
pub mod gate;
pub mod generate;
pub mod grade;
pub mod json_type;
mod lines;
pub mod lint;
pub mod manifest;
pub mod markdown;
#[cfg(feature = "live")]
pub mod mcp;
pub mod pack;
pub mod pointer;
pub mod probe;
pub mod profile;
pub mod report;
pub mod rules;
pub mod schema;
pub mod sha256;
pub mod source;
mod staging;
pub mod suggest;
pub mod suppress;
pub mod text;
pub mod threads;
pub mod trace;
pub mod unseen;
pub mod yaml;
