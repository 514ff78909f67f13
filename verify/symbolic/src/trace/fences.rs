//! Fences as events, and which of the target's stands for which of the source's.
//!
//! A fence forbids behaviours and allows none. So one of the target may serve as a weaker one of the source, and one that the source has no
//! need of is left out of account; and a strong access of the target is at least a weak one. [`Weakened`] says of a fence or an access of
//! the target what it is taken for; whatever it says, nothing is taken for more than it does. So are barriers of a warp: that lanes do not wait at
//! one for ever is judged apart from what it is taken for.

pub use crate::trace::fence::Fence;

use crate::obstacle::target::Target;
use crate::trace::action::Action;
use crate::trace::event::Event;
use sassafras_semantics::Opaque;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A fence between proxies of memory, which is known by its name alone.
fn is_proxy(op: Opaque) -> bool {
    op.head() == "proxyfence"
}

/// What a fence or access of the target is taken for that is taken for less than it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Less {
    /// A weak access.
    Weak,
    /// A fence.
    Fence(Fence),
    /// A fence between proxies.
    Proxy(Opaque),
}

const WEAK: &str = "weak";

impl From<Less> for String {
    fn from(less: Less) -> String {
        match less {
            Less::Weak => WEAK.to_owned(),
            Less::Fence(fence) => fence.to_string(),
            Less::Proxy(op) => op.name().to_owned(),
        }
    }
}

impl TryFrom<String> for Less {
    type Error = String;

    fn try_from(text: String) -> Result<Less, String> {
        let proxy = || Opaque::named(&text).filter(|op| is_proxy(*op)).map(Less::Proxy);
        match text.as_str() {
            WEAK => Ok(Less::Weak),
            other => {
                let found = Fence::named(other).map(Less::Fence).or_else(proxy);
                found.ok_or_else(|| format!("`{other}` is no fence and no weak access"))
            }
        }
    }
}

/// A fence or access of the target that is taken for less than it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weakened {
    /// Byte offset in the function.
    pub at: u64,
    /// Which time that instruction is come to, from 1.
    pub visit: u64,
    /// What it is taken for; none if it is left out of account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<Less>,
}

/// The fence that an action is: what is left out if nobody needs it.
fn as_fence(what: &Action) -> Option<Less> {
    match what {
        Action::Fence(fence) => Some(Less::Fence(*fence)),
        Action::Opaque(op) if is_proxy(*op) => Some(Less::Proxy(*op)),
        _ => None,
    }
}

/// Whether one fence does all that another does.
fn serves(wanted: &Less, there: &Less) -> bool {
    match (wanted, there) {
        (Less::Fence(wanted), Less::Fence(there)) => there.serves(*wanted),
        (Less::Proxy(wanted), Less::Proxy(there)) => wanted == there,
        _ => false,
    }
}

/// What a fence is taken for, or none if it is no event.
///
/// # Errors
/// A fence that is taken for more than it does.
pub fn taken(all: &[Weakened], at: u64, visit: u64, own: Fence) -> Result<Option<Fence>, Target> {
    match all.iter().find(|e| e.at == at && e.visit == visit).map(|e| &e.taken) {
        None => Ok(Some(own)),
        Some(None) => Ok(None),
        Some(Some(Less::Fence(less))) if own.serves(*less) => Ok(Some(*less)),
        Some(Some(other)) => Err(Target::WeakenedFence {
            fence: own.to_string().into(),
            taken: String::from(other.clone()).into(),
        }),
    }
}

/// Whether a barrier of the warp is left out of account.
pub fn is_left_out(all: &[Weakened], at: u64, visit: u64) -> bool {
    all.iter().any(|e| e.at == at && e.visit == visit && e.taken.is_none())
}

/// Whether a strong access is taken for a weak one.
pub fn is_weak(all: &[Weakened], at: u64, visit: u64) -> bool {
    all.iter().any(|e| e.at == at && e.visit == visit && e.taken == Some(Less::Weak))
}

/// What the target's fences and strong accesses are to be taken for so that both sides have the same events, by their order alone.
pub fn ease(source: &[Event], target: &[Event]) -> Vec<Weakened> {
    // What lanes ask each other has no place among them. Barriers of some lanes of a warp serve others than those of all.
    let kind = |e: &Event| {
        let what = e.action().filter(|_| e.orders)?;
        Some((what.clone(), *what == Action::WarpSync && !e.arguments.is_empty()))
    };
    // Barriers of a warp that the source has no need of, of some lanes and of all.
    let mut spare: BTreeMap<bool, u32> = BTreeMap::new();
    let warp = |e: &Event| kind(e).filter(|(what, _)| *what == Action::WarpSync).map(|(_, some)| some);
    for some in target.iter().filter_map(warp) {
        *spare.entry(some).or_default() += 1;
    }
    for some in source.iter().filter_map(warp) {
        if let Some(n) = spare.get_mut(&some) {
            *n = n.saturating_sub(1);
        }
    }
    let wanted: Vec<(Action, bool)> = source.iter().filter_map(kind).collect();
    let mut next = 0;
    let mut all = Vec::new();
    let there: Vec<(&Event, (Action, bool))> = target.iter().filter_map(|e| Some((e, kind(e)?))).collect();
    // What is wanted before the fence that the target comes to later: a loop of the target is followed for longer, and what it does then has no partner.
    let before_fence = |wanted: &[(Action, bool)], behind: &[(&Event, (Action, bool))]| {
        let comes = |asked: Less| {
            behind.iter().filter_map(|(_, what)| as_fence(&what.0)).any(|there| serves(&asked, &there))
        };
        wanted.iter().position(|w| as_fence(&w.0).is_some_and(comes)).unwrap_or(wanted.len())
    };
    for (at, (e, what)) in there.iter().enumerate() {
        let weakened = |taken| Weakened { at: e.place, visit: e.visit, taken };
        if wanted.get(next) != Some(what)
            && let Some(n) = warp(e).and_then(|some| spare.get_mut(&some)).filter(|n| **n > 0)
        {
            *n -= 1;
            all.push(weakened(None));
            continue;
        }
        let fence = as_fence(&what.0);
        let asked = wanted.get(next).and_then(|w| as_fence(&w.0));
        match (wanted.get(next), asked, &fence) {
            (Some(w), ..) if w == what => next += 1,
            (_, Some(asked), Some(there)) if serves(&asked, there) => {
                all.push(weakened(Some(asked)));
                next += 1;
            }
            (_, _, Some(_)) => all.push(weakened(None)),
            _ => match wanted[next..].iter().position(|w| w == what) {
                Some(i) if i < before_fence(&wanted[next..], &there[at + 1..]) => next += i + 1,
                Some(_) => {}
                None if matches!(what.0, Action::Load(_) | Action::Store(_)) => {
                    all.push(weakened(Some(Less::Weak)));
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
    use sassafras_semantics::Scope;

    #[test]
    fn a_fence_serves_as_a_weaker_one_alone() {
        use Fence::{Acquire, Release, Sequential};
        let (cta, sys) = (Release(Scope::Cta), Release(Scope::Sys));
        let (sc_gpu, sc_sys) = (Sequential(Scope::Gpu), Sequential(Scope::Sys));
        for (wanted, there) in [(cta, sys), (cta, sc_gpu), (sc_gpu, sc_sys), (sys, sc_sys), (cta, cta)] {
            assert!(there.serves(wanted), "{there} is a {wanted}");
        }
        for (wanted, there) in [(sys, cta), (sc_gpu, sys), (sc_sys, sc_gpu), (sys, sc_gpu)] {
            assert!(!there.serves(wanted), "{there} is no {wanted}");
        }
        assert!(Acquire.serves(Acquire) && !sc_sys.serves(Acquire) && !Acquire.serves(cta));
        assert_eq!(as_fence(&Action::WarpSync), None, "it is no fence");
    }

    #[test]
    fn no_fence_is_taken_for_more() {
        let weakened =
            |scope| vec![Weakened { at: 16, visit: 1, taken: Some(Less::Fence(Fence::Release(scope))) }];
        let own = Fence::Release(Scope::Gpu);
        assert!(taken(&weakened(Scope::Sys), 16, 1, own).is_err());
        assert_eq!(taken(&weakened(Scope::Cta), 16, 1, own), Ok(Some(Fence::Release(Scope::Cta))));
        assert_eq!(taken(&weakened(Scope::Cta), 16, 2, own), Ok(Some(own)));
        let weak = vec![Weakened { at: 16, visit: 1, taken: Some(Less::Weak) }];
        assert!(taken(&weak, 16, 1, own).is_err());
    }

    #[test]
    fn texts_name_fences_and_weak_accesses_alone() {
        for text in ["acquire", "release Sys", "fence sc Gpu", "proxyfence.shared", "weak"] {
            assert_eq!(Less::try_from(text.to_owned()).map(String::from), Ok(text.to_owned()));
        }
        for text in ["", "WarpSync", "release", "release Sys ", "griddepcontrol.wait"] {
            assert!(Less::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
