//! Which probes there are.

use super::probe::{Around, Probe, SECOND, SECOND_UNIFORM, distances, first, need, second, text};
use super::texts::{self, Holds, inst};
use crate::words::inputs::Flavor;
use crate::words::variant::{self, CHIP};
use sassafras_isa::{Access, FormId, Inst, Operand, RegClass};

/// Random instructions of a row among which the plainest is taken.
const DRAWS: u64 = 60;
/// Distances tried where a write follows a read of variable latency, whose scoreboard nobody waits for.
const LATE: [u8; 15] = [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96];

/// An instruction and what its inputs are taken for.
#[derive(Clone, Debug)]
struct Side {
    inst: Inst,
    flavor: Flavor,
}

/// The plainest instruction of a row: the shortest text has the fewest modifiers.
fn plain(form: FormId) -> Option<Side> {
    let drawn = (0..DRAWS).filter_map(|n| variant::draw(form, 77 + n));
    let fits = |v: &variant::Variant| v.inst.operands().all(|o| o.units <= 4);
    // As many registers as there can be, then as few modifiers as there can be; no comparison that is always true or false.
    let best = drawn.filter(fits).min_by_key(|v| {
        let text = text(&v.inst);
        let fixed = [".T.", ".F.", "SR_", "RELU"].iter().any(|m| text.contains(m));
        let named = v.inst.operands().filter(|o| o.field.is_some() && o.name != "mask");
        let registers = named.count();
        let modifiers = text.chars().filter(|c| ".-|~!".contains(*c)).count();
        (fixed, usize::MAX - registers, modifiers, text.len())
    })?;
    let mut inst = best.inst;
    inst.guard.pred = 7;
    inst.guard.negate = false;
    Some(Side { inst, flavor: best.flavor })
}

fn flavor_of(text: &str) -> Flavor {
    match () {
        () if text.contains("DADD") || text.contains("DFMA") || text.contains("DSETP") => Flavor::Double,
        () if text.contains("HADD2") || text.contains("HFMA2") || text.contains("HSETP2") => Flavor::Half,
        () if ["FADD", "FSETP", "FMNMX"].iter().any(|m| text.contains(m)) => Flavor::Single,
        () => Flavor::Integer,
    }
}

fn side(text: &str) -> Side {
    Side { inst: inst(text), flavor: flavor_of(text) }
}

/// Instructions of fixed latency have results that no scoreboard tells of.
fn fixed(inst: &Inst) -> bool {
    !inst.row().pipe.variable(CHIP)
}

fn operands(inst: &Inst, class: RegClass, access: Access) -> Vec<Operand> {
    let all = inst.operands().filter(|o| o.class == class && o.access == access && o.name != "mask");
    let mut list: Vec<Operand> = all.filter(|o| o.field.is_some()).collect();
    list.dedup_by_key(|o| o.field);
    list
}

/// The selection.
#[derive(Default)]
struct Selection {
    probes: Vec<Probe>,
}

impl Selection {
    fn add(&mut self, group: &'static str, a: &Side, b: &Side, around: Around, link: String) {
        let need = need(&a.inst, &b.inst);
        let probe = Probe {
            group,
            a: a.inst.clone(),
            b: b.inst.clone(),
            flavors: [a.flavor, b.flavor],
            around,
            link,
            distances: distances(need),
            need,
            waits: false,
        };
        self.probes.push(probe);
    }

    /// `b` reads by operand `o` what `a` writes to a register: its unit `unit`.
    fn raw(&mut self, group: &'static str, a: &Side, unit: u32, b: &Side, o: &Operand, around: &Around) {
        let Some(field) = o.field else { return };
        let Some(to) =
            a.inst.operands().find(|x| x.class == o.class && x.access == Access::Write && x.name != "mask")
        else {
            return;
        };
        if unit >= u32::from(to.units) {
            return;
        }
        let number = to.number + unit;
        let number = number - number % u32::from(o.units.next_power_of_two());
        // What the second reads twice it reads twice of the first, but for what it writes.
        let mut b = b.clone();
        let old = b.inst.fields[field];
        let written: Vec<usize> =
            b.inst.operands().filter(|x| x.access == Access::Write).filter_map(|x| x.field).collect();
        if written.contains(&field) && !matches!(o.class, RegClass::R | RegClass::UR) {
            return;
        }
        b.inst.fields[field] = u64::from(number);
        if written.contains(&field) && old == b.inst.fields[field] {
            return;
        }
        self.add(group, a, &b, around.clone(), format!("{} unit {unit}", o.name));
    }

    /// `b` is guarded by what `a` writes to a predicate.
    fn guard(&mut self, group: &'static str, a: &Side, b: &Side, around: &Around) {
        let class = if b.inst.guard.uniform { RegClass::UP } else { RegClass::P };
        let Some(to) = a.inst.operands().find(|x| x.class == class && x.access == Access::Write) else {
            return;
        };
        let mut b = b.clone();
        b.inst.guard.pred = to.number;
        self.add(group, a, &b, around.clone(), "guard".into());
    }

    /// `b` overwrites by `o` the register number `number`.
    fn overwrite(&mut self, group: &'static str, a: &Side, number: u32, b: &Side, o: &Operand, link: String) {
        let Some(field) = o.field else { return };
        if !number.is_multiple_of(u32::from(o.units.next_power_of_two())) {
            return;
        }
        let mut b = b.clone();
        b.inst.fields[field] = u64::from(number);
        self.add(group, a, &b, Around::default(), link);
    }
}

/// Every probe, in an order that is the same each time. `share`: every so many of the rows.
pub fn probes(share: usize) -> Vec<Probe> {
    let rows: Vec<Side> = variant::rows().into_iter().step_by(share.max(1)).filter_map(plain).collect();
    let firsts: Vec<Side> = rows.iter().map(|s| Side { inst: first(&s.inst), flavor: s.flavor }).collect();
    let seconds: Vec<Side> =
        rows.iter().filter_map(|s| Some(Side { inst: second(&s.inst)?, flavor: s.flavor })).collect();
    let mut s = Selection::default();
    let none = Around::default();
    registers(&mut s, &firsts, &seconds);
    predicates(&mut s, &firsts, &seconds);
    uniform(&mut s, &firsts, &seconds);
    memory(&mut s);
    overwrites(&mut s, &firsts, &seconds);
    // What waits for a scoreboard in the cycle after it is set.
    for a in firsts.iter().filter(|a| !fixed(&a.inst)) {
        for b in ["MOV R104, R80", "IMAD.MOV.U32 R104, RZ, RZ, R80", "POPC R104, R80"].map(side) {
            let from = s.probes.len();
            for o in operands(&b.inst, RegClass::R, Access::Read) {
                s.raw("scoreboard", a, 0, &b, &o, &none);
            }
            for p in &mut s.probes[from..] {
                p.waits = true;
                p.need = Some(sassafras_chip::latency::SCOREBOARD_SETUP);
                p.distances = vec![1, 2, 3, 4, 8];
            }
        }
    }
    s.probes
}

fn registers(s: &mut Selection, firsts: &[Side], seconds: &[Side]) {
    let none = Around::default();
    let readers: Vec<Side> = texts::READERS.iter().map(|t| side(t)).collect();
    for (text, unit) in texts::MOVES {
        let mut a = side(text);
        for b in seconds.iter().chain(&readers) {
            a.flavor = b.flavor;
            for o in operands(&b.inst, RegClass::R, Access::Read) {
                s.raw("register reader", &a, unit, b, &o, &none);
            }
        }
    }
    for a in firsts.iter().filter(|a| fixed(&a.inst)) {
        for to in operands(&a.inst, RegClass::R, Access::Write).iter().take(1) {
            for unit in 0..u32::from(to.units) {
                for b in &readers {
                    for o in operands(&b.inst, RegClass::R, Access::Read) {
                        if u64::from(o.number) == SECOND {
                            s.raw("register writer", a, unit, b, &o, &none);
                        }
                    }
                }
            }
        }
    }
}

fn predicates(s: &mut Selection, firsts: &[Side], seconds: &[Side]) {
    let none = Around::default();
    let writers: Vec<Side> = texts::PREDICATES.iter().map(|t| side(t)).collect();
    let readers: Vec<Side> = texts::BY_PREDICATE.iter().map(|t| side(t)).collect();
    let by = |s: &mut Selection, group, a: &Side, b: &Side| {
        for o in operands(&b.inst, RegClass::P, Access::Read) {
            s.raw(group, a, 0, b, &o, &none);
        }
        if b.inst.row().meaning == sassafras_isa::Meaning::P2r {
            let mut b = b.clone();
            if b.inst.set("mask", 0x7f).is_ok() && text(&b.inst).ends_with("0x7f") {
                s.add(group, a, &b, Around::default(), "mask".into());
            }
        }
        if b.inst.guard.pred != 7 {
            s.guard(group, a, b, &none);
        }
    };
    for a in &writers {
        for b in seconds.iter().chain(&readers) {
            by(s, "predicate reader", a, b);
        }
    }
    for a in firsts.iter().filter(|a| fixed(&a.inst)) {
        for b in &readers {
            by(s, "predicate writer", a, b);
        }
    }
    // Guards of every row.
    for a in [0, 2, 3, 4, 7].map(|i| &writers[i]) {
        for b in seconds.iter().filter(|b| !b.inst.guard.uniform && !b.inst.row().uniform_guard) {
            s.guard("guard", a, b, &none);
        }
        for (text, scratch) in texts::MEMORY_BY_PREDICATE {
            s.guard("guard of memory", a, &side(text), &Around { scratch, ..Around::default() });
        }
        for branch in texts::branches() {
            let b = Side { inst: branch, flavor: Flavor::Integer };
            let around = Around { behind: Some("IADD3 R104, R104, 0x1, RZ".into()), ..Around::default() };
            // The branch must be the same in all lanes: both sides of the comparison are constants.
            for (old, new) in [("RZ", "GE"), ("R168", "LT")] {
                let a = Side {
                    inst: match text_of_constant(a, new) {
                        Some(inst) => inst,
                        None => continue,
                    },
                    flavor: Flavor::Integer,
                };
                let before = vec![format!("R2P PR, {old}, 0x7f")];
                let around = Around { before, ..around.clone() };
                if b.inst.guard.pred != 7 {
                    s.guard("branch", &a, &b, &around);
                } else {
                    for o in operands(&b.inst, RegClass::P, Access::Read) {
                        s.raw("branch", &a, 0, &b, &o, &around);
                    }
                }
            }
        }
    }
}

/// A writer of P0 like another one whose result is the same in all lanes: a comparison of zero with zero.
fn text_of_constant(a: &Side, relation: &str) -> Option<Inst> {
    let text = match a.inst.row().mnemonic {
        "ISETP" => format!("ISETP.{relation}.AND P0, PT, RZ, RZ, PT"),
        "FSETP" => format!("FSETP.{relation}.AND P0, PT, RZ, RZ, PT"),
        "DSETP" => format!("DSETP.{relation}.AND P0, PT, RZ, RZ, PT"),
        _ => return None,
    };
    Some(inst(&text))
}

fn uniform(s: &mut Selection, firsts: &[Side], seconds: &[Side]) {
    let none = Around::default();
    let readers: Vec<Side> = texts::BY_UNIFORM.iter().map(|t| side(t)).collect();
    for text in texts::UNIFORM {
        let mut a = side(text);
        for b in seconds.iter().chain(&readers) {
            a.flavor = b.flavor;
            for o in operands(&b.inst, RegClass::UR, Access::Read) {
                s.raw("uniform reader", &a, 0, b, &o, &none);
            }
        }
    }
    for a in firsts.iter().filter(|a| fixed(&a.inst)) {
        for to in operands(&a.inst, RegClass::UR, Access::Write).iter().take(1) {
            for unit in 0..u32::from(to.units) {
                for b in &readers {
                    for o in operands(&b.inst, RegClass::UR, Access::Read) {
                        if u64::from(o.number) == SECOND_UNIFORM {
                            s.raw("uniform writer", a, unit, b, &o, &none);
                        }
                    }
                }
            }
        }
    }
    let readers: Vec<Side> = texts::BY_UNIFORM_PREDICATE.iter().map(|t| side(t)).collect();
    let by = |s: &mut Selection, group, a: &Side, b: &Side| {
        for o in operands(&b.inst, RegClass::UP, Access::Read) {
            s.raw(group, a, 0, b, &o, &none);
        }
        if b.inst.row().uniform_guard {
            s.guard(group, a, b, &none);
        }
    };
    for text in texts::UNIFORM_PREDICATES {
        for b in seconds.iter().chain(&readers) {
            by(s, "uniform predicate reader", &side(text), b);
        }
    }
    for a in firsts.iter().filter(|a| fixed(&a.inst)) {
        for b in &readers {
            by(s, "uniform predicate writer", a, b);
        }
    }
}

fn memory(s: &mut Selection) {
    for (text, unit) in texts::MOVES {
        let exact = !["HADD2", "HFMA2", "CS2R"].iter().any(|m| text.starts_with(m));
        for (access, holds, scratch) in texts::MEMORY {
            let fits = match holds {
                Holds::Data => true,
                // The high word of an address must come out too.
                Holds::Global => exact && text != "IMAD.WIDE.U32 R16, R24, 0x1, RZ",
                Holds::Shared | Holds::Index => !text.starts_with("CS2R") && unit == 0,
            };
            if !fits {
                continue;
            }
            let (a, b) = (side(text), side(access));
            for o in operands(&b.inst, RegClass::R, Access::Read) {
                if u64::from(o.number) == SECOND {
                    s.raw("memory", &a, unit, &b, &o, &texts::around(holds, scratch));
                }
            }
        }
    }
    // A write after a read of the register by memory, without a scoreboard.
    for (access, _, scratch) in texts::MEMORY.iter().filter(|m| m.1 == Holds::Data) {
        let a = side(access);
        for b in ["MOV R104, R89", "IMAD.MOV.U32 R104, RZ, RZ, R89"].map(side) {
            for to in operands(&b.inst, RegClass::R, Access::Write) {
                let from = s.probes.len();
                s.overwrite("late read", &a, SECOND as u32, &b, &to, "data".into());
                for p in &mut s.probes[from..] {
                    p.around.scratch = *scratch;
                    p.distances = LATE.to_vec();
                    p.need = None;
                }
            }
        }
    }
}

fn overwrites(s: &mut Selection, firsts: &[Side], seconds: &[Side]) {
    let over = |s: &mut Selection, group, a: &Side, x: &Operand, unit: u32, b: &Side| {
        for o in operands(&b.inst, x.class, Access::Write).iter().take(1) {
            // What the second reads by the same field stays what it is only if it reads nothing there.
            if operands(&b.inst, x.class, Access::Read).iter().all(|r| r.field != o.field) {
                s.overwrite(group, a, x.number + unit, b, o, format!("{} unit {unit}", x.name));
            }
        }
    };
    let moves: Vec<Side> = [
        "MOV R104, R89",
        "IMAD.MOV.U32 R104, RZ, RZ, R89",
        "HADD2 R104, R89, -RZ.H0_H0",
        "DADD R104, R88, -RZ",
        "POPC R104, R89",
    ]
    .map(side)
    .into();
    let tests: Vec<Side> = [
        "ISETP.NE.AND P4, PT, R80, R89, PT",
        "FSETP.NEU.AND P4, PT, R80, R89, PT",
        "HSETP2.NEU.AND P4, PT, R80, R89, PT",
    ]
    .map(side)
    .into();
    let uniform: Vec<Side> =
        ["UMOV UR40, UR32", "UIADD3 UR40, UR32, UR36, URZ", "R2UR UR40, R80"].map(side).into();
    let lists = [(RegClass::R, &moves), (RegClass::P, &tests), (RegClass::UR, &uniform)];
    for (class, list) in lists {
        for a in firsts {
            for b in list {
                if fixed(&a.inst) {
                    for x in operands(&a.inst, class, Access::Write).iter().take(1) {
                        for unit in 0..u32::from(x.units) {
                            over(s, "write, write", a, x, unit, b);
                        }
                    }
                }
                // Reads, and overwrites at the least distance there is.
                if fixed(&b.inst) {
                    for x in operands(&a.inst, class, Access::Read) {
                        let from = s.probes.len();
                        for unit in 0..u32::from(x.units) {
                            over(s, if fixed(&a.inst) { "read, write" } else { "late read" }, a, &x, unit, b);
                        }
                        if !fixed(&a.inst) {
                            for p in &mut s.probes[from..] {
                                p.distances = LATE.to_vec();
                                p.need = None;
                            }
                        }
                    }
                }
            }
        }
    }
    for (text, unit) in texts::MOVES {
        let a = side(text);
        for b in seconds {
            for x in operands(&a.inst, RegClass::R, Access::Write) {
                over(s, "write, write", &a, &x, unit, b);
            }
        }
    }
    for text in [
        "ISETP.NE.AND P0, PT, R24, R32, PT",
        "FSETP.NEU.AND P0, PT, R24, R32, PT",
        "HSETP2.NEU.AND P0, PT, R24, R32, PT",
        "DSETP.NEU.AND P0, PT, R24, R32, PT",
    ] {
        let a = side(text);
        for b in seconds.iter().chain(&tests) {
            for x in operands(&a.inst, RegClass::P, Access::Write) {
                over(s, "write, write", &a, &x, 0, b);
            }
        }
    }
}
