//! Which targets have a form.

use sassafras_chip::Features;

/// The first target that has a form: a chip's number, and which features it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// The number in `sm_NN`.
    pub sm: u32,
    /// With `Architecture` or `Family`, only targets of that suffix have it.
    pub features: Features,
}

impl Need {
    /// Reads `90` or `100a`.
    pub(super) fn parse(text: &str) -> Need {
        let digits = text.trim_end_matches(['a', 'f']);
        let features = match text.as_bytes().last() {
            Some(b'a') => Features::Architecture,
            Some(b'f') => Features::Family,
            _ => Features::Base,
        };
        Need { sm: digits.parse().unwrap_or_else(|_| panic!("`@{text}` is no target")), features }
    }
}
