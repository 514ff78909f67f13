use super::Checker;
use crate::ast::{Item, Name};
use crate::diagnostics::Code;
use crate::source::Span;
use crate::table::Since;

/// Every PTX version (PTX ISA, "Release History"; those after 9.0 as ptxas 13.5 knows them).
#[rustfmt::skip]
pub const VERSIONS: [(u32, u32); 48] = [
    (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 0), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2),
    (4, 3), (5, 0), (6, 0), (6, 1), (6, 2), (6, 3), (6, 4), (6, 5), (7, 0), (7, 1), (7, 2), (7, 3), (7, 4), (7, 5), (7, 6), (7, 7),
    (7, 8), (8, 0), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 6), (8, 7), (8, 8), (9, 0), (9, 1), (9, 2), (9, 3), (9, 4), (9, 5),
];

/// Targets, and the first PTX version of each (PTX ISA, `.target`; black-box runs of ptxas 13.0). `compute_NN` is `sm_NN`, as in
/// ptxas. An old target says what the module needs at least: it runs on every later chip.
#[rustfmt::skip]
pub const TARGETS: [(&str, u32, (u32, u32)); 44] = [
    ("sm_10", 10, (1, 0)), ("sm_11", 11, (1, 0)), ("sm_12", 12, (1, 2)), ("sm_13", 13, (1, 2)), ("sm_20", 20, (2, 0)),
    ("sm_21", 21, (2, 0)), ("sm_30", 30, (3, 0)), ("sm_32", 32, (4, 0)), ("sm_35", 35, (3, 1)), ("sm_37", 37, (4, 1)),
    ("sm_50", 50, (4, 0)), ("sm_52", 52, (4, 1)), ("sm_53", 53, (4, 2)), ("sm_60", 60, (5, 0)), ("sm_61", 61, (5, 0)),
    ("sm_62", 62, (5, 0)), ("sm_70", 70, (6, 0)), ("sm_72", 72, (6, 1)), ("sm_75", 75, (6, 3)), ("sm_80", 80, (7, 0)),
    ("sm_86", 86, (7, 1)), ("sm_87", 87, (7, 4)), ("sm_88", 88, (9, 0)), ("sm_89", 89, (7, 8)), ("sm_90", 90, (7, 8)),
    ("sm_90a", 90, (8, 0)), ("sm_100", 100, (8, 6)), ("sm_100a", 100, (8, 6)), ("sm_100f", 100, (8, 8)),
    ("sm_101", 101, (8, 6)), ("sm_101a", 101, (8, 6)), ("sm_101f", 101, (8, 8)), ("sm_103", 103, (8, 8)),
    ("sm_103a", 103, (8, 8)), ("sm_103f", 103, (8, 8)), ("sm_110", 110, (9, 0)), ("sm_110a", 110, (9, 0)),
    ("sm_110f", 110, (9, 0)), ("sm_120", 120, (8, 7)), ("sm_120a", 120, (8, 7)), ("sm_120f", 120, (8, 8)),
    ("sm_121", 121, (8, 8)), ("sm_121a", 121, (8, 8)), ("sm_121f", 121, (8, 8)),
];

impl Checker {
    /// `.version` and `.target`, which come first, in this order. What follows; `None` if nothing more can be said.
    pub(super) fn header<'a>(&mut self, items: &'a [Item]) -> Option<&'a [Item]> {
        let Some(Item::Version(version)) = items.first() else {
            self.error(Code::NoVersion, Span::default(), "the module does not begin with `.version`");
            return None;
        };
        let numbers =
            version.text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match numbers.filter(|v| VERSIONS.contains(v)) {
            Some(numbers) => self.module.version = numbers,
            None => {
                self.error(
                    Code::UnknownVersion,
                    version.span,
                    format!("unknown PTX version {}", version.text),
                );
                return None;
            }
        }
        let Some(Item::Target(names)) = items.get(1) else {
            let place = items.get(1).map_or(version.span, Item::span);
            self.error(Code::NoTarget, place, "`.version` is not followed by `.target`");
            return None;
        };
        names.iter().for_each(|name| self.target(name));
        if self.module.target.is_empty() {
            if !self.diagnostics.has_errors()
                && let Some(name) = names.first()
            {
                self.error(Code::NoTarget, name.span, "`.target` names no `sm_NN`");
            }
            return None;
        }
        Some(&items[2..])
    }

    fn target(&mut self, name: &Name) {
        let real = name.text.replacen("compute_", "sm_", 1);
        let Some((text, sm, since)) = TARGETS.iter().find(|(text, ..)| *text == real) else {
            return self.target_option(name);
        };
        if self.module.version < *since {
            let message = format!("{text} needs PTX {}.{}", since.0, since.1);
            self.error(Code::TargetNeedsVersion, name.span, message);
        }
        if self.module.target.is_empty() {
            self.module.target = (*text).to_owned();
            self.sm = *sm;
        }
    }

    /// A word of `.target` that names no chip (PTX ISA, `.target`). One that stands before the chip makes no sense to ptxas.
    fn target_option(&mut self, name: &Name) {
        let word = name.text.as_str();
        let known = matches!(word, "debug" | "texmode_unified" | "texmode_independent" | "map_f64_to_f32");
        if !known {
            return self.error(Code::UnknownTarget, name.span, format!("unknown target `{word}`"));
        }
        if self.module.target.is_empty() {
            return self.error(
                Code::NoTarget,
                name.span,
                format!("`{word}` stands before a chip such as `sm_90`"),
            );
        }
        let needs = |(major, minor)| Since::new(major, minor, 0);
        match word {
            "debug" => {
                self.need(name.span, "debug", needs((3, 0)), true);
                self.debug_target = Some(name.span);
            }
            "map_f64_to_f32" if self.sm >= 13 => {
                let message =
                    format!("`map_f64_to_f32` is for targets before sm_13, not for {}", self.module.target);
                self.error(Code::BadDirective, name.span, message);
            }
            "map_f64_to_f32" => {
                let message = "`map_f64_to_f32` makes other numbers of every `.f64`, and is not supported";
                self.error(Code::UnsupportedDirective, name.span, message);
            }
            mode => {
                if mode == "texmode_independent" {
                    self.need(name.span, mode, needs((1, 5)), true);
                }
                if self
                    .texmode
                    .replace(mode == "texmode_unified")
                    .is_some_and(|u| u != (mode == "texmode_unified"))
                {
                    self.error(Code::BadDirective, name.span, "two modes of textures in one module");
                }
            }
        }
    }

    pub(super) fn address_size(&mut self, name: &Name) {
        self.need(name.span, ".address_size", Since::new(2, 3, 0), true);
        match name.text.as_str() {
            "64" => {}
            "32" => self.error(Code::Address32, name.span, "32-bit addresses are not supported"),
            text => self.error(Code::AddressSize, name.span, format!("no address has {text} bits")),
        }
    }
}
