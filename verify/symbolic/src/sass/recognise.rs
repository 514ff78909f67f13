//! Instructions that are looked for before any is executed.

use sassafras_isa::step::special_register;
use sassafras_isa::{Inst, Meaning};
use sassafras_semantics::SpecialRegister;

/// Whether all lanes that come to it end there: an `EXIT` without a guard, a condition or a mode.
pub fn ends(inst: &Inst) -> bool {
    let plain = Inst { control: inst.control, ..Inst::new(inst.form) };
    inst.row().meaning == Meaning::Exit && *inst == plain
}

/// Whether it asks which lanes are here.
pub fn votes(inst: &Inst) -> bool {
    matches!(inst.row().meaning, Meaning::Vote | Meaning::Voteu)
}

/// Whether it reads a clock, a timer or a performance counter.
pub fn reads_clock(inst: &Inst) -> bool {
    use SpecialRegister as R;
    special_register(inst).is_some_and(|register| {
        matches!(
            register,
            R::Clock
                | R::ClockHi
                | R::Clock64
                | R::GlobalTimer
                | R::GlobalTimerLo
                | R::GlobalTimerHi
                | R::Pm(_)
                | R::Pm64(_)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_isa::{Style, parse};

    #[test]
    fn each_is_told_from_its_like() {
        let holds = |text: &str, of: fn(&Inst) -> bool| of(&parse(text, &Style::default()).expect(text));
        assert!(holds("EXIT", ends));
        for other in ["@P0 EXIT", "EXIT.KEEPREFCOUNT", "EXIT P0", "NOP", "PREEXIT"] {
            assert!(!holds(other, ends), "{other}");
        }
        for clock in [
            "CS2R R0, SR_CLOCKLO",
            "CS2R.32 R0, SR_CLOCKLO",
            "S2R R0, SR_GLOBALTIMERLO",
            "S2UR UR4, SR_CLOCKLO",
        ] {
            assert!(holds(clock, reads_clock), "{clock}");
        }
        assert!(!holds("S2R R0, SR_TID.X", reads_clock));
        assert!(holds("VOTE.ANY R0, PT, P0", votes) && holds("VOTEU.ALL UP0, P0", votes));
        assert!(!holds("MATCH.ANY R0, R2", votes));
    }
}
