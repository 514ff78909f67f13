//! A lane that executes the right side of a rule: registers by number, everything else as events.

use super::symbols::Symbols;
use super::world::{Event, given, inside, last_parameter, parameter_bytes, product, special, window};
use rustc_hash::FxHashMap;
use sassafras_chip::{BankLayout, Chip};
use sassafras_isa::step::{Outcome, step};
use sassafras_isa::{Inst, Register};
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{
    Access, AtomicOp, Collective, Domain, Opaque, Ordering, Scope, Space, SpecialRegister, State, TermId,
    Trap,
};

/// Registers, words of constant bank 0, and what was done.
pub struct Machine {
    /// What the bank of the chip holds.
    pub bank_layout: BankLayout,
    /// Registers; what is not here is free.
    pub registers: FxHashMap<Register, TermId>,
    /// Words of constant bank 0 by byte offset.
    pub bank: FxHashMap<u64, TermId>,
    /// Events in order.
    pub events: Vec<Event>,
}

fn unsupported<T>(what: String) -> Result<T, Trap> {
    Err(Trap::Unsupported(what))
}

impl Machine {
    /// A lane of a chip, of which nothing is known.
    pub fn new(chip: Chip) -> Machine {
        Machine {
            bank_layout: chip.bank(),
            registers: FxHashMap::default(),
            bank: FxHashMap::default(),
            events: Vec::new(),
        }
    }

    /// Executes one instruction.
    ///
    /// # Errors
    /// A form or modifier without a meaning, a word of the bank that is not an operand.
    pub fn execute(&mut self, d: &Symbols<'_>, inst: &Inst) -> Result<(), Trap> {
        match step(d, inst, 0, self)? {
            Outcome::Next => {}
            Outcome::Yield => self.events.push(Event::Pause),
            Outcome::Collective { op, args, results } => self.collective(d, op, &args, &results),
            Outcome::BarrierResult { count, decision } => {
                let index = self.events.len().saturating_sub(1);
                for (output, what) in [(count, "count"), (decision, "decision")] {
                    if let Some(register) = output.register {
                        self.write(d, register, given(d.terms, index, what, output.width));
                    }
                }
            }
            other => return unsupported(format!("{other:?}")),
        }
        Ok(())
    }

    fn collective(
        &mut self,
        d: &Symbols<'_>,
        op: Collective,
        args: &[TermId],
        results: &[sassafras_isa::step::Output],
    ) {
        let own = match op {
            Collective::Shuffle(_) => 3,
            Collective::Vote(_) | Collective::Match { .. } | Collective::Redux(_) => 1,
            Collective::WarpSync => 1,
            Collective::ActiveMask | Collective::Elect => 0,
            Collective::Mma(_)
            | Collective::MatrixLoad(_)
            | Collective::MatrixStore(_)
            | Collective::MatrixTranspose => args.len(),
            Collective::Barrier(BarrierMode::Sync | BarrierMode::Arrive) => 2,
            Collective::Barrier(_) => 3,
        };
        let values = match op {
            Collective::Mma(mma) => product(d.terms, &mma, args, &mut self.events),
            _ => None,
        };
        let index = self.events.len();
        if values.is_none() {
            self.events.push(Event::Collective(op, args[..own].to_vec()));
        }
        for (i, output) in results.iter().enumerate() {
            if let Some(register) = output.register {
                let value = match &values {
                    Some(values) => values[i],
                    None => given(d.terms, index, &format!("result{i}"), output.width),
                };
                let width = output.width.min(32);
                for unit in 0..output.width.div_ceil(32) {
                    let part = d.terms.extract(&value, 32 * unit, width);
                    self.write(d, Register { number: register.number + unit, ..register }, part);
                }
            }
        }
    }

    /// A word of constant bank 0.
    fn word(&self, d: &Symbols<'_>, at: u64) -> Result<TermId, Trap> {
        if let Some(&word) = self.bank.get(&at) {
            return Ok(word);
        }
        // What the driver tells of windows, A-BANK.
        let bank = self.bank_layout;
        let (first, last) = bank.parameter_window.unzip();
        let (whole, bytes) = bank.bank_window.unzip();
        if bytes.is_some_and(|bytes| at == u64::from(bytes)) {
            let from = d.constant(32, bank.parameters.into());
            return Ok(d.add(&d.zext(&parameter_bytes(d.terms), 32), &from));
        }
        let beginning = d.sub(&window(d.terms, Space::Param), &d.constant(64, bank.parameters.into()));
        let known = [
            (Some(bank.local_window), window(d.terms, Space::Local)),
            (bank.constant_window, window(d.terms, Space::Const)),
            (bank.shared_window, window(d.terms, Space::Shared)),
            (first, window(d.terms, Space::Param)),
            (last, last_parameter(d.terms)),
            (whole, beginning),
        ];
        for (base, value) in known {
            let base = base.map_or(u64::MAX - 8, u64::from);
            if at == base || at == base + 4 {
                return Ok(d.extract(&value, 8 * (at - base) as u32, 32));
            }
        }
        unsupported(format!("c[0x0][{at:#x}]"))
    }
}

impl<'t> State<Symbols<'t>> for Machine {
    type Register = Register;

    fn read(&mut self, d: &Symbols<'t>, register: Register) -> Result<TermId, Trap> {
        let width = if matches!(register.class.prefix(), "P" | "UP") { 1 } else { 32 };
        let free = || d.terms.variable(&format!("before.{register}"), width);
        Ok(*self.registers.entry(register).or_insert_with(free))
    }

    fn write(&mut self, _: &Symbols<'t>, register: Register, value: TermId) {
        self.registers.insert(register, value);
    }

    fn load(&mut self, d: &Symbols<'t>, access: &Access, address: &TermId) -> Result<TermId, Trap> {
        match access.space {
            Space::Bank(0) => {
                let parameters = self.bank_layout.parameters;
                let known = d.as_constant(address).filter(|&at| self.word(d, at as u64).is_ok());
                let Some(at) = known else {
                    // The block of parameters, at a computed place.
                    let access = Access { space: Space::Param, ..*access };
                    let at = d.sub(address, &d.constant(32, parameters.into()));
                    return self.load(d, &access, &at);
                };
                let mut words = self.word(d, at as u64)?;
                for i in 1..u64::from(access.bytes.div_ceil(4)) {
                    words = d.concat(&self.word(d, at as u64 + 4 * i)?, &words);
                }
                Ok(d.extract(&words, 0, 8 * access.bytes))
            }
            // User constants.
            Space::Bank(3) => {
                let access = Access { space: Space::Const, ..*access };
                self.load(d, &access, address)
            }
            _ => {
                let index = self.events.len();
                self.events.push(Event::Load(*access, *address));
                Ok(given(d.terms, index, "loaded", 8 * access.bytes))
            }
        }
    }

    fn store(
        &mut self,
        _: &Symbols<'t>,
        access: &Access,
        address: &TermId,
        value: &TermId,
    ) -> Result<(), Trap> {
        self.events.push(Event::Store(*access, *address, *value));
        Ok(())
    }

    fn atomic(
        &mut self,
        d: &Symbols<'t>,
        access: &Access,
        op: AtomicOp,
        address: &TermId,
        operands: &[TermId],
    ) -> Result<TermId, Trap> {
        let index = self.events.len();
        self.events.push(Event::Atomic(*access, op, *address, operands.to_vec()));
        Ok(given(d.terms, index, "old", 8 * access.bytes))
    }

    fn fence(&mut self, _: &Symbols<'t>, ordering: Ordering, scope: Scope) -> Result<(), Trap> {
        self.events.push(Event::Fence(ordering, scope));
        Ok(())
    }

    fn opaque(&mut self, d: &Symbols<'t>, op: Opaque, arguments: &[TermId]) -> Result<Vec<TermId>, Trap> {
        let index = self.events.len();
        self.events.push(Event::Opaque(op, arguments.to_vec()));
        let result = |(i, &w): (usize, &u32)| given(d.terms, index, &format!("result{i}"), w);
        Ok(op.family().results.iter().enumerate().map(result).collect())
    }

    fn special(&mut self, d: &Symbols<'t>, register: SpecialRegister) -> Result<TermId, Trap> {
        Ok(special(d.terms, register))
    }

    fn cvta(&mut self, d: &Symbols<'t>, space: Space, address: &TermId) -> Result<TermId, Trap> {
        Ok(d.add(address, &window(d.terms, space)))
    }

    fn cvta_to(&mut self, d: &Symbols<'t>, space: Space, address: &TermId) -> Result<TermId, Trap> {
        Ok(d.sub(address, &window(d.terms, space)))
    }

    fn is_space(&mut self, d: &Symbols<'t>, space: Space, address: &TermId) -> Result<TermId, Trap> {
        Ok(inside(d.terms, space, *address))
    }
}
