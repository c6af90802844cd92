//! Packs: what is exported, and that the readers and graders of the field agree with us about it.

mod readers;
mod task_schema;
mod yaml;
