//! Contracts over a tool server: documents of eval-quality's schema version 5, `mcp` kind.
//!
//! A contract declares a server's operations, what a call to each takes and returns, a pair of calls that tells
//! whether arguments matter (the *witness*), and checks over recorded evidence (*oracles*). This room reads such
//! documents strictly ([`Contract::read`]), compiles them ([`compile::check`]), and judges evidence against them
//! ([`evaluate`], [`preflight`]). It calls no server: whoever does so runs the legs of [`preflight::plan`] and hands
//! the observations to [`preflight::verdict`].

pub mod audit;
pub mod canonical;
pub mod compile;
pub mod coverage;
mod document;
pub mod evaluate;
pub mod expression;
pub mod extension;
mod failure;
pub mod init;
pub mod interface;
mod lexical;
mod node;
pub mod observation;
pub mod oracles;
mod patterns;
pub mod plan;
pub mod pointer;
pub mod policy;
pub mod preflight;
pub mod probe;
pub mod qualify;
pub mod record;
mod rubric;
pub mod score;
pub mod short;
pub mod tools;
pub mod warn;

pub use document::{
    Behavior, Budgets, Contract, FORBIDDEN_INPUTS, Link, Oracle, Polarity, ReferenceSet, ScopedResource,
    SiblingGroups, TestData, Waiver,
};
pub use failure::{Code, Failure};
pub use lexical::is_digest;
pub use node::{Node, whole};
pub use rubric::{Criterion, Penalty, Rubric, ScaleLevel};
