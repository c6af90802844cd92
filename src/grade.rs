//! Assertions over a workspace of files (file_exists, json_schema, …): judges a pack's tasks.
