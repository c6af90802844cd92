//! Do a server's tools do what the listing says? Pure: plans and judgements. Calls go through a [`Port`], which the
//! `mcp` room implements; a recorded run, or a test, can stand in for it.

mod port;
pub mod preflight;

pub use port::{CallRequest, Fault, FaultCode, Observation, Port};
