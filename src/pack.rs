//! Manifest → benchmark pack: tasks with a reference solution and controls that must fail.
//!
//! [`export`] makes the files of a pack as texts, without IO; [`write`] puts them on disk, whole or
//! not at all; [`read`] takes any pack from disk; [`check`] replays one. [`targets`] know the format of the tasks.

mod caution;
pub mod check;
pub mod export;
pub mod floor;
pub mod marker;
pub mod names;
pub mod read;
pub mod readme;
mod solve;
pub mod targets;
pub mod task;
pub mod write;
