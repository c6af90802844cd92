//! Tests of the schema_rules area.
