//! Do a server's tools do what the listing says? Pure: plans and judgements. Calls go through a [`Port`], which the
//! `mcp` room implements; a recorded run, or a test, can stand in for it.
//!
//! By a contract: [`preflight`], then the interaction plan ([`steps`]). Without one: [`suite`] calls each tool with arguments of the generator's, [`judge`]
//! turns what came back into findings and a record of what was checked.

mod arguments;
mod caps;
pub mod judge;
pub mod log;
mod port;
pub mod preflight;
mod results;
pub mod steps;
pub mod suite;

pub use port::{CallRequest, Fault, FaultCode, Observation, Port, Server};
