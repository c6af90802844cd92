//! Rubrics: scales that a judge scores by.

use super::document::interaction_pointer;
use super::node::{Node, Read};
use super::pointer::Pointer;

/// A scoring instrument.
#[derive(Debug, Clone)]
pub struct Rubric {
    pub at: String,
    pub id: String,
    pub scale_levels: Option<Vec<ScaleLevel>>,
    pub failure_mode_penalties: Option<Vec<Penalty>>,
    /// How much of an answer is read; `null` is no bound, which compiling refuses.
    pub max_length: Option<u64>,
    pub criteria: Vec<Criterion>,
}

/// A level and the condition that anchors it.
#[derive(Debug, Clone)]
pub struct ScaleLevel {
    pub level: i64,
    pub anchor: String,
}

#[derive(Debug, Clone)]
pub struct Penalty {
    pub name: String,
    pub description: String,
}

/// A question, and where its answer is found.
#[derive(Debug, Clone)]
pub struct Criterion {
    pub id: String,
    pub text: String,
    pub evidence: Pointer,
}

impl Rubric {
    pub(super) fn read(node: &Node<'_>) -> Read<Rubric> {
        let f = node.object(&["id", "scaleLevels", "failureModePenalties", "maxLength", "criteria"])?;
        Ok(Rubric {
            at: node.at.clone(),
            id: f.at("id").numbered("R")?,
            scale_levels: f.at("scaleLevels").or_null(|n| {
                n.list(|n| {
                    let f = n.object(&["level", "anchor"])?;
                    Ok(ScaleLevel { level: f.at("level").integer()?, anchor: f.at("anchor").string()? })
                })
            })?,
            failure_mode_penalties: f.at("failureModePenalties").or_null(|n| {
                n.list(|n| {
                    let f = n.object(&["name", "description"])?;
                    Ok(Penalty {
                        name: f.at("name").non_empty()?,
                        description: f.at("description").string()?,
                    })
                })
            })?,
            max_length: f.at("maxLength").or_null(|n| n.count(1))?,
            criteria: f.at("criteria").list(|n| {
                let f = n.object(&["id", "text", "evidence"])?;
                Ok(Criterion {
                    id: f.at("id").numbered("RC")?,
                    text: f.at("text").string()?,
                    evidence: interaction_pointer(&f.at("evidence"))?,
                })
            })?,
        })
    }
}
