//! Names of fields.

use crate::text::Kind;

/// A name for a field from its kind and place, as the hand-written rows have it.
pub(super) fn name(kind: Kind, bits: &[u8], taken: &[String]) -> String {
    let first = bits.first().copied().unwrap_or(0);
    let base = match (kind, first) {
        (Kind::R | Kind::UR | Kind::B, 16) => "d".to_owned(),
        (Kind::R | Kind::UR, 24) => "a".to_owned(),
        (Kind::R | Kind::UR, 32) => "b".to_owned(),
        (Kind::R | Kind::UR, 64) => "c".to_owned(),
        (Kind::P | Kind::UP, 81) => "p".to_owned(),
        (Kind::P | Kind::UP, 84) => "p2".to_owned(),
        (Kind::P | Kind::UP, 87) => "q".to_owned(),
        (Kind::P | Kind::UP, 77) => "q1".to_owned(),
        (Kind::P | Kind::UP, 68) => "q2".to_owned(),
        (Kind::P | Kind::UP, _) => "q".to_owned(),
        (Kind::Special, _) => "sr".to_owned(),
        (Kind::Target, _) => "t".to_owned(),
        (Kind::Hex | Kind::Float, 32) if bits.len() == 32 => "b".to_owned(),
        (_, first) => format!("i{first}"),
    };
    if !taken.contains(&base) {
        return base;
    }
    (0..).map(|n| format!("{base}{}", (b'x' + n) as char)).find(|name| !taken.contains(name)).unwrap_or(base)
}
