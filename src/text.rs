//! Every text an agent reads ([`Surface`]), and what is hidden in it ([`layer`]). Design §5.

pub mod surface;

pub use surface::{Role, Surface};
