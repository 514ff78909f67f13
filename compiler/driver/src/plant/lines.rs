//! Faults of line information: each names places that exist, so that the sections stay well-formed.

use sassafras_emit::lines::{Lines, Place};

/// Applies `change` to one of the words for which it does something, chosen by seed.
fn one_word(
    lines: &mut Lines,
    seed: u64,
    change: impl Fn(&Lines, usize, usize) -> Option<(u32, u32)>,
) -> bool {
    let mut found = Vec::new();
    for (f, (_, origins)) in lines.functions.iter().enumerate() {
        for (w, origin) in origins.iter().enumerate() {
            // A word that is its row's only one, so that the row itself goes wrong.
            let lone = |other: usize| origins.get(other).is_none_or(|o| o.place != origin.place);
            if origin.place.is_some() && lone(w + 1) && lone(w.wrapping_sub(1)) {
                found.extend(change(lines, f, w).map(|new| (f, w, new)));
            }
        }
    }
    let chosen = found.get((seed % found.len().max(1) as u64) as usize);
    chosen.is_some_and(|&(f, w, (place, ptx))| {
        let origin = &mut lines.functions[f].1[w];
        (origin.place, origin.ptx) = (Some(place), ptx);
        true
    })
}

/// Another place of the file stands for a word's own.
pub(super) fn wrong_place(lines: &mut Lines, seed: u64) -> bool {
    one_word(lines, seed, |lines, f, w| {
        let origin = lines.functions[f].1[w];
        let own = lines.places.get(origin.place? as usize)?;
        let differs = |other: &Place| (other.file, other.line) != (own.file, own.line);
        let other = lines.places.iter().position(differs)?;
        Some((other as u32, origin.ptx))
    })
}

/// A word's line of the PTX is the next one.
pub(super) fn wrong_ptx_line(lines: &mut Lines, seed: u64) -> bool {
    one_word(lines, seed, |lines, f, w| {
        let origin = lines.functions[f].1[w];
        (origin.ptx != 0).then_some((origin.place?, origin.ptx + 1))
    })
}

/// Words have the places of the words before them, as when addresses are taken behind instructions.
pub(super) fn shifted(lines: &mut Lines, seed: u64) -> bool {
    let count = lines.functions.len().max(1);
    (0..count).any(|k| {
        let Some((_, origins)) = lines.functions.get_mut((seed as usize).wrapping_add(k) % count) else {
            return false;
        };
        let before = origins.clone();
        for at in 1..origins.len() {
            origins[at].place = before[at - 1].place;
        }
        let places = |list: &[sassafras_emit::lines::Origin]| {
            list.iter().filter(|o| o.ptx != 0).map(|o| o.place).collect::<Vec<_>>()
        };
        places(origins) != places(&before)
    })
}

/// Two functions have each other's lines.
pub(super) fn swapped(lines: &mut Lines, _: u64) -> bool {
    match &mut lines.functions[..] {
        [(_, a), (_, b), ..] if a != b => {
            // The lengths stay: a sequence ends where its function does.
            let common = a.len().min(b.len());
            a[..common].swap_with_slice(&mut b[..common]);
            true
        }
        _ => false,
    }
}

/// Inlined code is said to stand in its own file alone.
pub(super) fn lost_call(lines: &mut Lines, seed: u64) -> bool {
    let used = |at: usize| {
        let here = |o: &sassafras_emit::lines::Origin| o.place == Some(at as u32);
        lines.functions.iter().any(|(_, origins)| origins.iter().any(here))
    };
    let inlined: Vec<usize> =
        (0..lines.places.len()).filter(|&at| lines.places[at].inlined.is_some() && used(at)).collect();
    let chosen = inlined.get((seed % inlined.len().max(1) as u64) as usize);
    chosen.is_some_and(|&at| lines.places[at].inlined.take().is_some())
}

/// A file has another's number.
pub(super) fn wrong_file(lines: &mut Lines, _: u64) -> bool {
    let fits = lines.files.len() > 1 && lines.files[0].name != lines.files[1].name;
    if fits {
        lines.files.swap(0, 1);
    }
    fits
}
