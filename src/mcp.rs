//! Live servers: the only room with processes and sockets. A [`Target`] that the user named becomes a [`Session`]: over
//! stdio to a process in a group of its own, or over Streamable HTTP to the one origin. What a server publishes becomes
//! a listing ([`capture`]) with every JSON text as it was sent.
//!
//! Nothing here trusts what comes in: every session has one [`Limits`], and whatever goes wrong is a
//! [`Fault`](crate::probe::Fault). A server's processes are killed on every way out, panics included.

mod budget;
pub mod capture;
mod group;
mod http;
mod listing;
mod message;
mod pages;
mod policy;
mod probed;
mod raw;
mod secrets;
mod session;
mod sse;
mod stdio;
mod target;

pub use budget::Abort;
pub use group::kill_all;
pub use policy::{Allowed, AllowedPort, SessionPort};
pub use probed::Probed;
pub use secrets::Secrets;
pub use session::{Hello, Session};
pub use target::{Command, Endpoint, Limits, Target};
