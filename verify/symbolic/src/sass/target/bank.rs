//! Constant bank 0 of the target: parameters, and what the driver puts there of a launch ([`sassafras_chip::BankLayout`]).

use super::affine::affine;
use super::state::Run;
use crate::input::Input;
use crate::obstacle::target::Target;
use crate::trace::bank::{choice, constant};
use crate::trace::window;
use sassafras_chip::BankLayout;
use sassafras_semantics::{Axis, Domain, Space, SpecialRegister, TermId, Terms, Trap};

impl Run<'_, '_> {
    /// A 32-bit word of constant bank 0, as the driver fills it.
    fn word(&mut self, at: u64) -> TermId {
        let inputs = self.side.inputs;
        let layout = self.chip.bank();
        if let Some(word) = self.window(layout, at) {
            return word;
        }
        let base = u64::from(layout.parameters);
        // The last word may be one of them in part, and of eight bytes that begin in them the second one may be none.
        if (base..base + u64::from(self.function.param_size).next_multiple_of(16)).contains(&at) {
            return inputs.parameter(at - base, 4);
        }
        if let Some(cluster) = layout.cluster {
            // A-LAUNCH: clusters of one block. 1.0 is the reciprocal of one.
            if at == u64::from(cluster.explicit)
                && let Ok(explicit) = inputs.special(SpecialRegister::IsExplicitCluster)
            {
                return inputs.terms.zext(&explicit, 32);
            }
            let is = |offsets: [u32; 3]| offsets.iter().any(|&o| u64::from(o) == at);
            let known = [
                (is(cluster.size) || at == u64::from(cluster.blocks), 1),
                (is(cluster.reciprocal), 0x3f80_0000),
            ];
            if let Some((_, word)) = known.into_iter().find(|k| k.0) {
                return inputs.terms.constant(32, word);
            }
            let axes = [Axis::X, Axis::Y, Axis::Z];
            if let Some(i) = cluster.count.iter().position(|&o| u64::from(o) == at) {
                return inputs.nctaid(axes[i]);
            }
        }
        if let Some((register, half)) = special_word(layout, at) {
            let whole = inputs.special(register).ok();
            if let Some(whole) = whole {
                return inputs.terms.extract(&whole, half, 32);
            }
        }
        let axis = |offsets: [u32; 3]| {
            let axes = [Axis::X, Axis::Y, Axis::Z];
            offsets.iter().position(|&o| u64::from(o) == at).map(|i| axes[i])
        };
        match (axis(layout.block_size), axis(layout.grid_size)) {
            (Some(a), _) => inputs.ntid(a),
            (_, Some(a)) => inputs.nctaid(a),
            _ => inputs.input(Input::Bank(at), 32, true),
        }
    }

    /// A word of bank 0 that says where a window lies.
    fn window(&mut self, layout: BankLayout, at: u64) -> Option<TermId> {
        let inputs = self.side.inputs;
        let (first, last) = layout.parameter_window.unzip();
        if let Some((start, bytes)) = layout.bank_window {
            let from = u128::from(layout.parameters);
            if at == u64::from(bytes) {
                self.side.log.generic.windows = true;
                let last = inputs.terms.zext(&window::parameter_bytes(inputs), 32);
                return Some(inputs.terms.add(&last, &inputs.terms.constant(32, from)));
            }
            if let Some(word) = at.checked_sub(start.into()).filter(|word| [0, 4].contains(word)) {
                self.side.log.generic.windows = true;
                let base = window::base(inputs, Space::Param);
                let whole = inputs.terms.sub(&base, &inputs.terms.constant(64, from));
                return Some(inputs.terms.extract(&whole, 8 * word as u32, 32));
            }
        }
        let (word, of) = [
            (Some(layout.local_window), Some(Space::Local)),
            (layout.constant_window, Some(Space::Const)),
            (first, Some(Space::Param)),
            (last, None),
        ]
        .into_iter()
        .find_map(|(place, of)| {
            Some((at.checked_sub(place?.into()).filter(|word| [0, 4].contains(word))?, of))
        })?;
        self.side.log.generic.windows = true;
        let whole = of.map_or_else(|| window::last_parameter(inputs), |space| window::base(inputs, space));
        Some(inputs.terms.extract(&whole, 8 * word as u32, 32))
    }

    /// A parameter at an address that is not constant, where the first one lies at `base`; that it is one is demanded.
    pub(super) fn parameters(
        &mut self,
        d: &Terms,
        base: u64,
        address: TermId,
        bytes: u32,
    ) -> Result<TermId, Trap> {
        let end = u64::from(self.function.param_size) / u64::from(bytes) * u64::from(bytes);
        let inputs = self.side.inputs;
        let offset = |at: u64| d.constant(32, (base + at).into());
        let all = (0..end).step_by(bytes as usize);
        let entries: Vec<(TermId, TermId)> =
            all.map(|at| (offset(at), inputs.parameter(at, bytes))).collect();
        let at = inputs.normal.of(d.extract(&address, 0, 32));
        choice(&mut self.side, &entries, 0, at)
    }

    /// The offset in copy 0 of a word of which bank 0 has copies, if the address is that of the copy that the launch reads.
    pub(super) fn copied(&mut self, d: &Terms, address: TermId) -> Result<Option<u64>, Trap> {
        let layout = self.chip.bank();
        let Some(copies) = layout.copies else { return Ok(None) };
        let inputs = self.side.inputs;
        let copy = inputs.special(SpecialRegister::BankCopy)?;
        let address = inputs.normal.of(d.extract(&address, 0, 32));
        let Some((factor, at)) = affine(inputs, address, copy) else { return Ok(None) };
        let is_copied = factor == copies.stride.wrapping_neg() && layout.stride(at).is_some();
        Ok(is_copied.then_some(at.into()))
    }

    /// So many bytes of constant bank 0.
    pub(super) fn words(&mut self, d: &Terms, at: u64, bytes: u32) -> Result<TermId, Trap> {
        let end = u64::from(self.chip.bank().parameters) + u64::from(self.function.param_size);
        // What begins in the parameters may end in the padding behind them, which holds anything.
        if !at.is_multiple_of(bytes.into())
            || at.saturating_add(bytes.into()) > end.next_multiple_of(bytes.into())
        {
            return Err(self.side.inputs.held.trap(Target::BankEnd { bytes, at, end }));
        }
        let mut words = self.word(at & !3);
        for i in 1..(at % 4 + u64::from(bytes)).div_ceil(4) {
            words = d.concat(&self.word((at & !3) + 4 * i), &words);
        }
        Ok(d.extract(&words, 8 * (at % 4) as u32, 8 * bytes))
    }

    pub(super) fn bank(&mut self, d: &Terms, bank: u8, at: u64, bytes: u32) -> Result<TermId, Trap> {
        if bank == 0 {
            // Which copy such a place belongs to is not known.
            if u32::try_from(at).is_ok_and(|at| self.chip.bank().stride(at).is_some()) {
                return Err(self.side.inputs.held.trap(Target::BankCopies { at }));
            }
            return self.words(d, at, bytes);
        }
        if bank == 4
            && matches!(bytes, 4 | 8)
            && at.is_multiple_of(bytes.into())
            && let Some(slot) = self.cubin.addresses.get(at as usize / 8)
        {
            let symbol = self.side.inputs.input(Input::Symbol(slot.symbol.clone()), 64, true);
            let whole = d.add(&symbol, &d.constant(64, slot.addend as u128));
            return Ok(d.extract(&whole, 8 * (at % 8) as u32, 8 * bytes));
        }
        constant(&mut self.side, self.cubin, Some(self.function), bank, d.constant(32, at.into()), bytes)
    }
}

/// The special register that a word of bank 0 holds, and from which bit on.
fn special_word(layout: BankLayout, at: u64) -> Option<(SpecialRegister, u32)> {
    use SpecialRegister as R;
    let wide = [(layout.grid_id, R::GridId), (layout.graph, R::CurrentGraphExec)];
    let of = |(place, register): (u32, R)| {
        let word = at.checked_sub(place.into()).filter(|word| [0, 4].contains(word))?;
        Some((register, 8 * word as u32))
    };
    if let Some(found) = wide.into_iter().find_map(of) {
        return Some(found);
    }
    if at == u64::from(layout.dynamic_shared_size) {
        return Some((R::DynamicSmemSize, 0));
    }
    let number = (0..32).find(|&n| u64::from(layout.environment_word(n)) == at)?;
    Some((R::EnvReg(number), 0))
}
