//! One integration-test binary: linking is slow, so every area is a module here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod architecture;
mod baseline;
#[cfg(feature = "live")]
mod capture;
mod ci;
mod config;
mod conformance;
mod contract;
mod diff;
mod fix;
mod gate;
mod generate;
mod grade;
mod html;
mod lint;
#[cfg(feature = "live")]
mod live;
mod pack;
mod poison;
#[cfg(feature = "live")]
mod probe;
mod profiles;
mod reading;
mod readme;
#[cfg(feature = "live")]
mod real;
mod reports;
mod rules;
mod schema_rules;
mod support;
mod trace;
