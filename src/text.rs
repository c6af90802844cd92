//! Every text an agent reads ([`Surface`]), and what is hidden in it ([`layer`]). Design §5.

pub mod ansi;
pub mod cipher;
pub mod encoded;
pub mod fold;
pub mod invisible;
pub mod layer;
pub mod markup;
pub mod reveal;
mod skim;
pub mod surface;
pub mod variant;

pub use layer::{Layer, Layers, Veil};
pub use surface::{Role, Surface};
