//! Manifest → benchmark pack: tasks with a reference solution and controls that must fail.
