//! Instructions that the IR carries as opaque operations: which one each is, and its operands.

use crate::context::{Context, Result};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Edge, MemoryAccess, Op, Type, Value};
use sassafras_ptx::checked::{Inst, Op as P, Operand, Type as T};
use sassafras_semantics::opaque::cache_policy;
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{AtomicOp, Opaque, Ordering, Scope, Space, SpecialRegister};

/// Groups of bulk copies that a wait can leave under way (6 bits of DEPBAR.LE).
const MOST_GROUPS: u64 = 63;

/// The operation of a name; one without a row is not supported.
pub(crate) fn named(name: &str) -> Result<Opaque> {
    Opaque::named(name).ok_or_else(|| Refusal::UnsupportedName(name.to_owned()))
}

pub(crate) fn says(inst: &Inst, word: &str) -> bool {
    inst.mods.words.contains(&word)
}

impl Context<'_, '_> {
    pub(crate) fn opaque(&mut self, inst: &Inst) -> Result<()> {
        match inst.op {
            P::Griddepcontrol => {
                self.ask(&format!("griddepcontrol.{}", inst.mods.mode.unwrap_or_default()), &[])
            }
            P::Mbarrier => self.barrier_object(inst),
            P::CopyArrive => self.copy_arrive(inst),
            P::BulkCopy => self.bulk(inst),
            P::BulkReduce => self.bulk_reduce(inst),
            P::StAsync | P::RedAsync => self.shared_async(inst),
            P::FenceProxy => self.proxy_fence(inst),
            // As ptxas has it: the word is there when the object can be known of.
            P::FenceInit => Ok(()),
            // The registers of a warp are not moved: it has from the begin all that it needs.
            P::Setmaxnreg => Ok(()),
            P::Createpolicy => self.policy(inst),
            P::ClusterBarrier => self.cluster_barrier(inst),
            P::Mapa | P::Getctarank => self.cluster_address(inst),
            _ => Err(Refusal::Unsupported("this instruction")),
        }
    }

    /// A fence between proxies, or one for objects of the cluster alone. What ptxas 13.0.88 makes of them for sm_90 is the same (black-box), but that
    /// of aliases is left out there where the driver says that there are none.
    fn proxy_fence(&mut self, inst: &Inst) -> Result<()> {
        let fence = |c: &mut Self, ordering, scope| c.effect(Op::Fence(ordering, scope), &[]);
        match () {
            () if says(inst, "alias") => fence(self, Ordering::SequentiallyConsistent, Scope::Sys),
            () if says(inst, "tensormap::generic") => {
                fence(self, Ordering::Release, if says(inst, "sys") { Scope::Sys } else { Scope::Gpu });
            }
            () if says(inst, "sync_restrict::shared::cluster") => fence(self, Ordering::Acquire, Scope::Cta),
            () if says(inst, "global") => return self.ask("proxyfence.global", &[]),
            () => {
                let own = says(inst, "shared::cta") || says(inst, "sync_restrict::shared::cta");
                fence(self, Ordering::Release, if own { Scope::Cta } else { Scope::Gpu });
                return self.ask("proxyfence.shared", &[]);
            }
        }
        Ok(())
    }

    /// An operation with an effect and without results.
    pub(crate) fn ask(&mut self, name: &str, args: &[Value]) -> Result<()> {
        let op = named(name)?;
        self.effect(Op::Opaque(op), args);
        Ok(())
    }

    pub(crate) fn with_offset(&mut self, value: Value, access: MemoryAccess) -> Value {
        if access.offset == 0 {
            return value;
        }
        let ty = self.function.ty(value);
        let more = self.b().constant(ty, i128::from(access.offset) as u128);
        self.b().add(value, more)
    }

    /// `cp.async.bulk`: sizes count in units of 16 bytes, in 16 bits.
    fn bulk(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        if says(inst, "commit_group") {
            return self.ask("bulk.commit", &[]);
        }
        if says(inst, "wait_group") {
            let Operand::Immediate(n) = operand(o, 0)? else { return Err(Refusal::Needed("a constant")) };
            // As many as the field counts: more under way are waited for.
            let n = self.b().i32((*n).min(MOST_GROUPS) as u32);
            return self.ask(if says(inst, "read") { "bulk.wait.read" } else { "bulk.wait" }, &[n]);
        }
        let prefetch = says(inst, "prefetch");
        let size = self.value(operand(o, if prefetch { 1 } else { 2 })?, T::U(32))?;
        let size = self.b().lshr_by(size, 4);
        let mask = self.b().i32(0xffff);
        let units = self.b().and(size, mask);
        let at = |c: &mut Self, space, index| -> Result<Value> {
            let (value, access) = c.access_in(space, inst, operand(o, index)?, T::B(64), 1)?;
            Ok(c.with_offset(value, access))
        };
        if prefetch {
            let from = at(self, Space::Global, 0)?;
            if says(inst, "L2::cache_hint") {
                let policy = self.value(operand(o, 2)?, T::B(64))?;
                return self.ask("bulk.prefetch.hint.each", &[from, units, policy]);
            }
            return self.ask("bulk.prefetch.each", &[from, units]);
        }
        if says(inst, "bulk_group") {
            let (to, from) = (at(self, Space::Global, 0)?, at(self, Space::Shared, 1)?);
            if says(inst, "L2::cache_hint") {
                let policy = self.value(operand(o, 3)?, T::B(64))?;
                return self.ask("bulk.out.hint.each", &[to, from, units, policy]);
            }
            return self.ask("bulk.out.each", &[to, from, units]);
        }
        let to = at(self, Space::Shared, 0)?;
        let object = at(self, Space::Shared, 3)?;
        if !says(inst, "global") {
            let from = at(self, Space::Shared, 1)?;
            return self.ask("bulk.across.each", &[to, object, from, units]);
        }
        let from = at(self, Space::Global, 1)?;
        if says(inst, "multicast::cluster") {
            let blocks = self.int(operand(o, 4)?, T::U(16))?;
            let blocks = self.b().shl_by(blocks, 16);
            let units = self.b().or(units, blocks);
            if says(inst, "L2::cache_hint") {
                let policy = self.value(operand(o, 5)?, T::B(64))?;
                return self.ask("bulk.in.multi.hint.each", &[to, object, from, units, policy]);
            }
            return self.ask("bulk.in.multi.each", &[to, object, from, units]);
        }
        if says(inst, "L2::cache_hint") {
            let policy = self.value(operand(o, 4)?, T::B(64))?;
            return self.ask("bulk.in.hint.each", &[to, object, from, units, policy]);
        }
        self.ask("bulk.in.each", &[to, object, from, units])
    }

    /// `cp.reduce.async.bulk` to global memory.
    fn bulk_reduce(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        const OPERATIONS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];
        let op = OPERATIONS.into_iter().find(|op| says(inst, op)).ok_or(Refusal::Missing("the operation"))?;
        let ty = match inst.types.first().ok_or(Refusal::Missing("the type"))? {
            T::B(32) => "u32",
            T::B(64) => "u64",
            ty => ty.name(),
        };
        let size = self.value(operand(o, 2)?, T::U(32))?;
        let size = self.b().lshr_by(size, 4);
        let mask = self.b().i32(0xffff);
        let units = self.b().and(size, mask);
        let (to, access) = self.access_in(Space::Global, inst, operand(o, 0)?, T::B(64), 1)?;
        let to = self.with_offset(to, access);
        let (from, access) = self.access_in(Space::Shared, inst, operand(o, 1)?, T::B(64), 1)?;
        let from = self.with_offset(from, access);
        if says(inst, "L2::cache_hint") {
            let policy = self.value(operand(o, 3)?, T::B(64))?;
            return self.ask(&format!("bulk.reduce.{op}.{ty}.hint.each"), &[to, from, units, policy]);
        }
        self.ask(&format!("bulk.reduce.{op}.{ty}.each"), &[to, from, units])
    }

    /// `st.async` and `red.async`.
    fn shared_async(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        let width = ty.width() * inst.mods.lanes();
        if width > 128 {
            return Err(Refusal::Unsupported("a vector of more than 128 bits"));
        }
        let what = match (inst.op, inst.mods.atomic) {
            (P::StAsync, _) => "store",
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
            _ => return Err(Refusal::Unsupported("the operation")),
        };
        let to = self.object(inst, 0)?;
        let value = self.value(operand(o, 1)?, T::B(width as u8))?;
        let object = self.object(inst, 2)?;
        self.ask(&format!("sharedasync.{what}.b{width}"), &[to, value, object])
    }

    fn policy(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        if says(inst, "cvt") {
            let policy = self.value(operand(o, 1)?, T::B(64))?;
            return self.write(&o[0], policy, false);
        }
        let fraction = match o.get(1) {
            None => 1.0,
            Some(Operand::Immediate(bits)) => f32::from_bits(*bits as u32),
            Some(_) => return Err(Refusal::Unsupported("a fraction that is not constant")),
        };
        let words: Vec<&str> = inst.mods.words.iter().copied().collect();
        let policy = cache_policy(&words, fraction).ok_or(Refusal::Unsupported("this cache policy"))?;
        let value = self.b().i64(policy);
        self.write(&o[0], value, false)
    }

    /// Where the launch has no clusters a cluster is one block, whose barrier stands for the cluster's: its wait is for all of its threads.
    fn cluster_barrier(&mut self, inst: &Inst) -> Result<()> {
        let waits = says(inst, "wait");
        let explicit = self.special(SpecialRegister::IsExplicitCluster);
        let [cluster, block, after] = [(); 3].map(|()| self.function.add_block());
        self.b().branch(explicit, Edge::new(cluster, &[]), Edge::new(block, &[]));
        self.block = cluster;
        if !waits && !says(inst, "relaxed") {
            self.effect(Op::Fence(Ordering::Release, Scope::Cluster), &[]);
        }
        self.ask(if waits { "clusterbarrier.wait" } else { "clusterbarrier.arrive" }, &[])?;
        if waits {
            self.effect(Op::Fence(Ordering::Acquire, Scope::Cluster), &[]);
        }
        self.b().jump(after, &[]);
        self.block = block;
        if waits {
            let (number, all) = (self.b().i32(0), self.b().i32(0));
            let yes = self.b().constant(Type::I1, 1);
            self.effect(Op::Barrier { mode: BarrierMode::Sync, aligned: true }, &[number, all, yes]);
        }
        self.b().jump(after, &[]);
        self.block = after;
        Ok(())
    }

    /// The rank is the top byte of an address in the window of the cluster's shared memory, whose own top half is the same everywhere.
    fn cluster_address(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        let address = match operand(o, 1)? {
            symbol @ Operand::Symbol(id, _) if !says(inst, "shared::cluster") => {
                let space = self.symbol_space(*id);
                let value = self.value(symbol, T::B(64))?;
                self.b().value(Op::ToGeneric(space), &[value], Type::I64)
            }
            other => self.value(other, ty)?,
        };
        let wide = self.function.ty(address) == Type::I64;
        let low = if wide { self.b().low(address) } else { address };
        if inst.op == P::Getctarank {
            let rank = self.b().lshr_by(low, 24);
            return self.write(&o[0], rank, false);
        }
        let rank = self.value(operand(o, 2)?, T::U(32))?;
        let mask = self.b().i32(0x00ff_ffff);
        let offset = self.b().and(low, mask);
        let top = self.b().shl_by(rank, 24);
        let mapped = self.b().or(offset, top);
        let mapped = if wide {
            let high = self.b().high(address);
            self.b().concat(mapped, high)
        } else {
            mapped
        };
        let mapped = self.resize(mapped, Type(ty.width() as u8), false);
        self.write(&o[0], mapped, false)
    }
}
