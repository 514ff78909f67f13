//! Fences.

use sassafras_semantics::Scope;
use std::fmt;

/// A fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fence {
    /// The first-level cache holds nothing older.
    Acquire,
    /// Accesses before it are done before those behind it.
    Release(Scope),
    /// A release in the one order that all threads agree on.
    Sequential(Scope),
}

const SCOPES: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fence::Acquire => f.write_str("acquire"),
            Fence::Release(scope) => write!(f, "release {scope:?}"),
            Fence::Sequential(scope) => write!(f, "fence sc {scope:?}"),
        }
    }
}

impl Fence {
    /// The fence of this text.
    pub(super) fn named(text: &str) -> Option<Fence> {
        let scoped = SCOPES.into_iter().flat_map(|scope| [Fence::Release(scope), Fence::Sequential(scope)]);
        scoped.chain([Fence::Acquire]).find(|fence| fence.to_string() == text)
    }

    /// Whether it does all that another does.
    pub(super) fn serves(self, wanted: Fence) -> bool {
        match (wanted, self) {
            (Fence::Acquire, there) => there == Fence::Acquire,
            (Fence::Release(narrow), Fence::Release(wide) | Fence::Sequential(wide)) => wide >= narrow,
            (Fence::Sequential(narrow), Fence::Sequential(wide)) => wide >= narrow,
            (Fence::Sequential(_), Fence::Release(_)) | (_, Fence::Acquire) => false,
        }
    }
}
