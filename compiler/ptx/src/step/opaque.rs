//! Instructions that are known by name, operands and effects alone: which opaque operation each is.
//!
//! Source: the PTX ISA's section of each instruction. The contents of barrier objects, states and cache policies are opaque there; what stands
//! for them is [`sassafras_semantics::opaque::barrier_word`] and its kin.

use super::{Done, PtxState, Step};
use crate::checked::{Op, Operand, Type};
use sassafras_semantics::opaque::cache_policy;
use sassafras_semantics::{AtomicOp, Domain, Opaque, Ordering, Scope, Space};

pub(super) const WORD: Type = Type::B(32);

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn opaque(&mut self) -> Done<()> {
        match self.inst.op {
            Op::Griddepcontrol => {
                let mode = self.inst.mods.mode.unwrap_or_default();
                self.ask(&format!("griddepcontrol.{mode}"), &[])?;
            }
            Op::Mbarrier => return self.barrier_object(),
            Op::CopyArrive => return self.copy_arrive(),
            Op::BulkCopy => return self.bulk(),
            Op::BulkReduce => return self.bulk_reduce(),
            Op::StAsync | Op::RedAsync => return self.shared_async(),
            Op::FenceProxy if self.says("alias") => {
                // Other names of what was written: by other addresses it is found once everybody sees it.
                self.state.fence(self.d, Ordering::SequentiallyConsistent, Scope::Sys)?;
            }
            Op::FenceProxy if self.says("tensormap::generic") => {
                // The unit that reads a tensor map is outside of every block.
                let scope = if self.says("sys") { Scope::Sys } else { Scope::Gpu };
                self.state.fence(self.d, Ordering::Release, scope)?;
            }
            Op::FenceProxy if self.says("sync_restrict::shared::cluster") => {
                self.state.fence(self.d, Ordering::Acquire, Scope::Cta)?;
            }
            Op::FenceProxy => {
                // What was written is seen by the proxy if it is done before.
                let own = self.says("shared::cta") || self.says("sync_restrict::shared::cta");
                let space = match (self.says("global"), own) {
                    (true, _) => "global",
                    (_, cta) => {
                        let scope = if cta { Scope::Cta } else { Scope::Gpu };
                        self.state.fence(self.d, Ordering::Release, scope)?;
                        "shared"
                    }
                };
                self.ask(&format!("proxyfence.{space}"), &[])?;
            }
            // A barrier object is initialised by one access, which the release of whoever tells others of it orders.
            Op::FenceInit => {}
            // Registers are as many as there are.
            Op::Setmaxnreg => {}
            Op::Createpolicy => {
                let d = self.d;
                if self.says("cvt") {
                    let policy = self.source(1, Type::B(64))?;
                    return self.result(&policy);
                }
                let fraction = match self.inst.operands.get(1) {
                    None => 1.0,
                    Some(Operand::Immediate(bits)) => f32::from_bits(*bits as u32),
                    Some(_) => return Err(self.unsupported()),
                };
                let words: Vec<&str> = self.inst.mods.words.iter().copied().collect();
                let policy = cache_policy(&words, fraction).ok_or_else(|| self.unsupported())?;
                let policy = d.constant(64, policy.into());
                return self.result(&policy);
            }
            _ => return Err(self.unsupported()),
        }
        Ok(())
    }

    /// Asks the state for an operation by name.
    pub(super) fn ask(&mut self, name: &str, arguments: &[D::V]) -> Done<Vec<D::V>> {
        let op = Opaque::named(name).ok_or_else(|| self.unsupported())?;
        self.state.opaque(self.d, op, arguments)
    }

    pub(super) fn says(&self, word: &str) -> bool {
        self.inst.mods.words.contains(&word)
    }

    /// The address of a barrier object, 32 bits; without a space a generic one (PTX ISA, "mbarrier": it has to lie in shared memory).
    pub(super) fn object(&mut self, index: usize) -> Done<D::V> {
        let address = self.address(index)?;
        let symbol = matches!(
            self.operand(index)?,
            Operand::Address(crate::checked::AddressBase::Symbol(_), _) | Operand::Symbol(..)
        );
        let address = match self.inst.mods.space {
            None if !symbol => self.state.cvta_to(self.d, Space::Shared, &address)?,
            _ => address,
        };
        Ok(self.d.extract(&address, 0, 32))
    }

    /// Sizes are multiples of 16 bytes, 2^20 less 16 at most (PTX ISA, "cp.async.bulk").
    fn bulk(&mut self) -> Done<()> {
        let d = self.d;
        let shared = |v: D::V| d.extract(&v, 0, 32);
        let units = |size: &D::V| d.zext(&d.extract(size, 4, 16), 32);
        if self.says("commit_group") {
            self.ask("bulk.commit", &[])?;
            return Ok(());
        }
        if self.says("wait_group") {
            let Operand::Immediate(n) = self.operand(0)? else { return Err(self.unsupported()) };
            let n = d.constant(32, u128::from((*n).min(63)));
            // More groups than DEPBAR counts are not told apart. With `.read` the sources have been read, and what was written need not be seen.
            self.ask(if self.says("read") { "bulk.wait.read" } else { "bulk.wait" }, &[n])?;
            return Ok(());
        }
        if self.says("prefetch") {
            let (from, size) = (self.address(0)?, self.source(1, WORD)?);
            if self.says("L2::cache_hint") {
                let policy = self.source(2, Type::B(64))?;
                self.ask("bulk.prefetch.hint", &[from, units(&size), policy])?;
            } else {
                self.ask("bulk.prefetch", &[from, units(&size)])?;
            }
            return Ok(());
        }
        if self.says("bulk_group") {
            let (to, from) = (self.address(0)?, shared(self.address(1)?));
            let size = self.source(2, WORD)?;
            if self.says("L2::cache_hint") {
                let policy = self.source(3, Type::B(64))?;
                self.ask("bulk.out.hint", &[to, from, units(&size), policy])?;
            } else {
                self.ask("bulk.out", &[to, from, units(&size)])?;
            }
            return Ok(());
        }
        if !self.says("mbarrier::complete_tx::bytes") {
            return Err(self.unsupported());
        }
        let (to, from, object) = (shared(self.address(0)?), self.address(1)?, shared(self.address(3)?));
        let size = self.source(2, WORD)?;
        if self.says("multicast::cluster") {
            let mask = self.source(4, Type::B(16))?;
            let size = d.concat(&mask, &d.extract(&size, 4, 16));
            if self.says("L2::cache_hint") {
                let policy = self.source(5, Type::B(64))?;
                self.ask("bulk.in.multi.hint", &[to, object, from, size, policy])?;
            } else {
                self.ask("bulk.in.multi", &[to, object, from, size])?;
            }
        } else if !self.says("global") {
            self.ask("bulk.across", &[to, object, shared(from), units(&size)])?;
        } else if self.says("L2::cache_hint") {
            let policy = self.source(4, Type::B(64))?;
            self.ask("bulk.in.hint", &[to, object, from, units(&size), policy])?;
        } else {
            self.ask("bulk.in", &[to, object, from, units(&size)])?;
        }
        Ok(())
    }

    /// `cp.reduce.async.bulk` to global memory: what each element becomes is one of the operations on a type, of logic on the bits.
    fn bulk_reduce(&mut self) -> Done<()> {
        let d = self.d;
        let op = ["add", "min", "max", "inc", "dec", "and", "or", "xor"].into_iter().find(|op| self.says(op));
        let ty = match self.ty() {
            Type::B(32) => "u32",
            Type::B(64) => "u64",
            ty => ty.name(),
        };
        let name = format!("bulk.reduce.{}.{ty}", op.ok_or_else(|| self.unsupported())?);
        let (to, from) = (self.address(0)?, self.address(1)?);
        let units = d.zext(&d.extract(&self.source(2, WORD)?, 4, 16), 32);
        let mut arguments = vec![to, d.extract(&from, 0, 32), units];
        if self.says("L2::cache_hint") {
            arguments.push(self.source(3, Type::B(64))?);
            self.ask(&format!("{name}.hint"), &arguments)?;
        } else {
            self.ask(&name, &arguments)?;
        }
        Ok(())
    }

    /// `st.async` and `red.async`.
    fn shared_async(&mut self) -> Done<()> {
        let width = self.ty().width() * self.inst.mods.lanes();
        let what = match (self.inst.op, self.inst.mods.atomic) {
            (Op::StAsync, _) => "store",
            (_, Some(AtomicOp::Add)) => "add",
            (_, Some(AtomicOp::UMin)) => "umin",
            (_, Some(AtomicOp::UMax)) => "umax",
            (_, Some(AtomicOp::SMin)) => "smin",
            (_, Some(AtomicOp::SMax)) => "smax",
            (_, Some(AtomicOp::Inc)) => "inc",
            (_, Some(AtomicOp::Dec)) => "dec",
            (_, Some(AtomicOp::And)) => "and",
            (_, Some(AtomicOp::Or)) => "or",
            (_, Some(AtomicOp::Xor)) => "xor",
            _ => return Err(self.unsupported()),
        };
        let (to, object) = (self.address(0)?, self.address(2)?);
        let value = self.source_of(1, width)?;
        let low = |v: &D::V| self.d.extract(v, 0, 32);
        let (to, object) = (low(&to), low(&object));
        self.ask(&format!("sharedasync.{what}.b{width}"), &[to, value, object])?;
        Ok(())
    }

    /// Source operand `index`, all of its elements, as a value of a width.
    fn source_of(&mut self, index: usize, width: u32) -> Done<D::V> {
        let operand = self.operand(index)?;
        self.value(operand, width)
    }
}
