//! Fences as events, and which of the target's stands for which of the source's.
//!
//! A fence forbids behaviours and allows none. So one of the target may serve as a weaker one of the source, and one that the source has no
//! need of is left out of account; and a strong access of the target is at least a weak one. [`Weakened`] says of a fence or an access of
//! the target what it is taken for; whatever it says, nothing is taken for more than it does. So are barriers of a warp: that lanes do not wait at
//! one for ever is judged apart from what it is taken for.

use crate::trace::event::{Event, Kind};
use sassafras_semantics::Scope;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The first-level cache holds nothing older.
pub const ACQUIRE: &str = "acquire";
const RELEASE: &str = "release ";
const SEQUENTIAL: &str = "fence sc ";

/// The event of a release.
pub fn release(scope: Scope) -> String {
    format!("{RELEASE}{scope:?}")
}

/// The event of a sequentially consistent fence.
pub fn sequential(scope: Scope) -> String {
    format!("{SEQUENTIAL}{scope:?}")
}

/// What a strong access is taken for where the source has a weak one.
const WEAK: &str = "weak";

/// A fence or access of the target that is taken for less than it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weakened {
    /// Byte offset in the function.
    pub at: u64,
    /// Which time that instruction is come to, from 1.
    pub visit: u32,
    /// The event that it is taken for; none if it is left out of account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<String>,
}

/// Whether an event is a fence: what is left out if nobody needs it.
fn is_fence(what: &str) -> bool {
    let proxy = "proxyfence.";
    what == ACQUIRE || [RELEASE, SEQUENTIAL, proxy].iter().any(|kind| what.starts_with(kind))
}

/// A barrier of the warp.
pub const WARP: &str = "WarpSync";

fn width(scope: &str) -> Option<Scope> {
    [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys].into_iter().find(|s| format!("{s:?}") == scope)
}

/// Whether one fence does all that another does.
pub fn serves(wanted: &str, there: &str) -> bool {
    if wanted == there {
        return is_fence(wanted);
    }
    let of = |what: &str| {
        let sequential = what.strip_prefix(SEQUENTIAL);
        let scope = sequential.or_else(|| what.strip_prefix(RELEASE)).and_then(width)?;
        Some((sequential.is_some(), scope))
    };
    match (of(wanted), of(there)) {
        (Some((exact, narrow)), Some((sequential, wide))) => wide >= narrow && (sequential || !exact),
        _ => false,
    }
}

/// What a fence is taken for: the name of its event, or none if it is no event.
///
/// # Errors
/// A fence that is taken for more than it does.
pub fn taken(all: &[Weakened], at: u64, visit: u32, what: String) -> Result<Option<String>, String> {
    match all.iter().find(|e| e.at == at && e.visit == visit) {
        None => Ok(Some(what)),
        Some(Weakened { taken: None, .. }) => Ok(None),
        Some(Weakened { taken: Some(less), .. }) if serves(less, &what) => Ok(Some(less.clone())),
        Some(Weakened { taken: Some(other), .. }) => Err(format!("`{what}` is no `{other}`")),
    }
}

/// Whether a strong access is taken for a weak one.
pub fn is_weak(all: &[Weakened], at: u64, visit: u32) -> bool {
    all.iter().any(|e| e.at == at && e.visit == visit && e.taken.as_deref() == Some(WEAK))
}

/// What the target's fences and strong accesses are to be taken for so that both sides have the same events, by their order alone.
pub fn ease(source: &[Event], target: &[Event]) -> Vec<Weakened> {
    // What lanes ask each other has no place among them.
    let kind = |e: &Event| match &e.kind {
        Kind::Sync(key) if e.orders() => {
            let what = key.split(" [").next().unwrap_or(key);
            // Those of some lanes serve others than those of all.
            let some = what == WARP && !e.arguments.is_empty();
            Some(if some { format!("{WARP} of some") } else { what.to_owned() })
        }
        _ => None,
    };
    // Barriers of a warp that the source has no need of.
    let mut spare: BTreeMap<String, u32> = BTreeMap::new();
    for what in target.iter().filter_map(kind).filter(|what| what.starts_with(WARP)) {
        *spare.entry(what).or_default() += 1;
    }
    for what in source.iter().filter_map(kind) {
        if let Some(n) = spare.get_mut(&what) {
            *n = n.saturating_sub(1);
        }
    }
    let wanted: Vec<String> = source.iter().filter_map(kind).collect();
    let mut next = 0;
    let mut all = Vec::new();
    for (e, what) in target.iter().filter_map(|e| Some((e, kind(e)?))) {
        if wanted.get(next) != Some(&what)
            && let Some(n) = spare.get_mut(&what).filter(|n| **n > 0)
        {
            *n -= 1;
            all.push(Weakened { at: e.place, visit: e.visit, taken: None });
            continue;
        }
        match wanted.get(next) {
            Some(w) if *w == what => next += 1,
            Some(w) if serves(w, &what) => {
                all.push(Weakened { at: e.place, visit: e.visit, taken: Some(w.clone()) });
                next += 1;
            }
            _ if is_fence(&what) => all.push(Weakened { at: e.place, visit: e.visit, taken: None }),
            _ => match wanted[next..].iter().position(|w| *w == what) {
                Some(i) => next += i + 1,
                None if what.starts_with("load ") || what.starts_with("store ") => {
                    all.push(Weakened { at: e.place, visit: e.visit, taken: Some(WEAK.into()) });
                }
                None => {}
            },
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_serves_as_a_weaker_one_alone() {
        let (cta, sys) = (release(Scope::Cta), release(Scope::Sys));
        let (sc_gpu, sc_sys) = (sequential(Scope::Gpu), sequential(Scope::Sys));
        for (wanted, there) in
            [(&cta, &sys), (&cta, &sc_gpu), (&sc_gpu, &sc_sys), (&sys, &sc_sys), (&cta, &cta)]
        {
            assert!(serves(wanted, there), "{there} is a {wanted}");
        }
        for (wanted, there) in [(&sys, &cta), (&sc_gpu, &sys), (&sc_sys, &sc_gpu), (&sys, &sc_gpu)] {
            assert!(!serves(wanted, there), "{there} is no {wanted}");
        }
        assert!(serves(ACQUIRE, ACQUIRE) && !serves(ACQUIRE, &sc_sys) && !serves(&cta, ACQUIRE));
        assert!(!serves("Barrier Sync", "Barrier Sync"), "it is no fence");
    }

    #[test]
    fn no_fence_is_taken_for_more() {
        let weakened = |taken: &str| vec![Weakened { at: 16, visit: 1, taken: Some(taken.to_owned()) }];
        assert!(taken(&weakened("release Sys"), 16, 1, release(Scope::Gpu)).is_err());
        assert_eq!(
            taken(&weakened("release Cta"), 16, 1, release(Scope::Gpu)),
            Ok(Some("release Cta".into()))
        );
        assert_eq!(
            taken(&weakened("release Cta"), 16, 2, release(Scope::Gpu)),
            Ok(Some("release Gpu".into()))
        );
    }
}
