//! Findings → human text and JSON. Report types are apart from the internal ones: a format is stable,
//! the code behind it is not.

pub mod excerpt;
pub mod human;
pub mod json;
pub mod screen;
