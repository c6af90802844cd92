//! Packs: what is exported, and that the readers and graders of the field agree with us about it.

mod command;
mod corpus;
mod export;
mod python_jsonschema;
mod python_re;
mod readers;
mod task_schema;
mod yaml;
