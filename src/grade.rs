//! Judging: assertions over a workspace of files (a pack's tasks), and expectations over recorded calls.
//!
//! Pure: a task is replayed in memory, as the runner of the format would on disk, and a recording is judged from what it
//! holds. What cannot be judged here (commands, git, a model's opinion) is *not judged*, and never counts as passed.

pub mod answers;
pub mod assertion;
pub mod attempt;
pub mod calls;
pub mod equal;
mod evaluate;
pub mod listing;
pub mod mutate;
pub mod quality;
pub mod replay;
mod run;
mod selectors;
mod steps;
pub mod streams;
pub mod task;
pub mod validate;
pub mod verdict;
pub mod workspace;
