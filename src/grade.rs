//! Assertions over a workspace of files (file_exists, json_schema, …): judges a pack's tasks.
//!
//! Pure: a task is replayed in memory, as the runner of the format would on disk. What cannot be
//! replayed (commands, git, http) is *not judged*, and never counts as passed.

pub mod assertion;
pub mod equal;
pub mod replay;
pub mod task;
pub mod validate;
pub mod workspace;
