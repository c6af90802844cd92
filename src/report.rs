//! Findings → human text and JSON.
