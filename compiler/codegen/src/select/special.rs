//! What a launch provides: parameters, special registers, addresses, descriptors.

use super::Error;
use super::emit::Emitter;
use sassafras_ir::{Inst, Op, VariableId};
use sassafras_isa::RegClass;
use sassafras_machine::{MInst, Place, Pseudo, Reg, VReg};
use sassafras_semantics::{Axis, Routine, RoutinePart, Space, SpecialRegister, SystemCall};

/// Bank of the addresses of global variables.
const ADDRESS_BANK: u64 = 4;

/// Bytes of the frame of a function that calls: one without a frame would not have a stack pointer.
const LEAST_FRAME: u32 = 8;

/// Where a special register is read.
enum Source {
    /// S2R with this name.
    Register(&'static str),
    /// A word of constant bank 0.
    Bank(u32),
    /// The performance counter of this number.
    Counter(u8),
    /// The same everywhere.
    Number(u32),
}

impl Emitter<'_> {
    /// Emits parameters, special registers and addresses.
    pub(super) fn launch_value(&mut self, at: Inst) -> Result<(), Error> {
        self.rule = "launch";
        let data = &self.source.insts[at];
        match data.op {
            Op::Const(_) | Op::Undef => Ok(()),
            Op::Param { offset, bytes, signed } => self.param(at, offset, bytes, signed),
            Op::Special(register) => self.special(at, register),
            Op::Address(variable, addend) => self.address(at, variable, addend),
            Op::Load(_) => self.load_wide_constant(at),
            Op::SystemCall(call) => self.system_call(at, call),
            Op::Routine(part, routine) => self.routine(at, part, routine),
            Op::Opaque(op) if op.head() == "wgmma" => self.warpgroup(at, op),
            Op::Opaque(op) => self.tensor(at, op),
            _ => Err(self.fail(format!("{:?} is no launch value", data.op))),
        }
    }

    fn param(&mut self, at: Inst, offset: u32, bytes: u8, signed: bool) -> Result<(), Error> {
        let result = self.source.insts[at].results[0];
        let bits = self.source.values[result].ty.bits();
        let base = self.chip.bank().parameters + offset;
        let reg = if bytes < 4 || !base.is_multiple_of(4) {
            let size = match (bytes, signed) {
                (1, false) => ".U8",
                (1, true) => ".S8",
                (2, false) => ".U16",
                (2, true) => ".S16",
                _ => return Err(self.fail(format!("a parameter of {bytes} bytes at {offset:#x}"))),
            };
            self.load_constant(0, Reg::Physical(255), u64::from(base), size)?
        } else if bytes == 8 && base.is_multiple_of(8) && self.chip.loads_pairs() && !self.words.apart(result)
        {
            self.load_constant(0, Reg::Physical(255), u64::from(base), ".64")?
        } else {
            let mut parts = Vec::new();
            for word in 0..u32::from(bytes / 4) {
                let reg = self.move_bank(0, u64::from(base + 4 * word))?;
                parts.push(Place { class: RegClass::R, reg, units: 1 });
            }
            if parts.len() == 1 { parts[0].reg } else { self.builder().pack(&parts).into() }
        };
        if bits > 32 && u32::from(bytes) * 8 < bits {
            return Err(self.fail(format!("a parameter of {bytes} bytes in {bits} bits")));
        }
        self.places[result] = Some(reg);
        Ok(())
    }

    /// `MOV d, c[bank][offset]`
    pub(super) fn move_bank(&mut self, bank: u64, offset: u64) -> Result<Reg, Error> {
        if !self.chip.has_constant_operands() {
            return self.load_constant(bank, Reg::Physical(255), offset, "");
        }
        let v = self.out.add_vreg(RegClass::R, 1);
        let inst = self.form("mov.c")?;
        let fields = [("d", Reg::from(v).to_field()), ("b", offset), ("b.bank", bank)];
        let inst = fields.into_iter().try_fold(inst, |i, (name, value)| i.try_with(name, value));
        let inst = inst.map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(v.into())
    }

    /// A word of constant bank 0. Where it has copies, the one of this launch: `CS2R.32 n, SR_CgaSize ; IMAD m, n, -stride, RZ ; LDC d, c[0][m + offset]`.
    fn launch_word(&mut self, offset: u32) -> Result<Reg, Error> {
        let Some(stride) = self.chip.bank().stride(offset) else {
            return self.move_bank(0, u64::from(offset));
        };
        let (copy, down) = (self.out.add_vreg(RegClass::R, 1), self.out.add_vreg(RegClass::R, 1));
        let number = sassafras_isa::special::number("SR_CgaSize");
        let number = number.ok_or_else(|| self.fail("no special register `SR_CgaSize`"))?;
        let (read, multiply) = (self.form("cs2r")?, self.form("imad.rir")?);
        let made = (|| {
            let mut read = read;
            read.set_enum("w", ".32")?;
            let read = read.try_with("sr", number)?.try_with("d", Reg::from(copy).to_field())?;
            let multiply = multiply.try_with("d", Reg::from(down).to_field())?;
            let multiply = multiply.try_with("a", Reg::from(copy).to_field())?;
            Ok::<_, sassafras_isa::UnknownField>((read, multiply.try_with("b", -i64::from(stride) as u64)?))
        })();
        let (read, multiply) = made.map_err(|e| self.fail(e))?;
        self.push(MInst::new(read));
        self.push(MInst::new(multiply));
        self.load_constant(0, down.into(), u64::from(offset), "")
    }

    /// `LDC.size d, c[bank][base + offset]`
    pub(super) fn load_constant(
        &mut self,
        bank: u64,
        base: Reg,
        offset: u64,
        size: &str,
    ) -> Result<Reg, Error> {
        let v = self.out.add_vreg(RegClass::R, if size == ".64" { 2 } else { 1 });
        let inst = self.form("ldc")?;
        let inst = (|| {
            let mut inst = inst;
            inst.set_enum("sz", size)?;
            inst.set("bank", bank)?;
            inst.set("o", offset)?;
            inst.set("a", base.to_field())?;
            inst.try_with("d", Reg::from(v).to_field())
        })();
        let inst = inst.map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(v.into())
    }

    fn read_special(&mut self, name: &str) -> Result<Reg, Error> {
        let v = self.out.add_vreg(RegClass::R, 1);
        let inst = self.special_inst(name, v)?;
        self.push(inst);
        Ok(v.into())
    }

    /// Two words of constant bank 0.
    fn wide_bank(&mut self, at: Inst, offset: u32) -> Result<(), Error> {
        let low = self.move_bank(0, u64::from(offset))?;
        let high = self.move_bank(0, u64::from(offset + 4))?;
        let place = |reg| Place { class: RegClass::R, reg, units: 1 };
        let reg = self.builder().pack(&[place(low), place(high)]).into();
        let result = self.source.insts[at].results[0];
        self.places[result] = Some(reg);
        Ok(())
    }

    /// A special register and the one behind it.
    fn wide_special(&mut self, at: Inst, name: &str) -> Result<(), Error> {
        let v = self.out.add_vreg(RegClass::R, 2);
        let number = sassafras_isa::special::number(name);
        let number = number.ok_or_else(|| self.fail(format!("no special register `{name}`")))?;
        let inst = self.form("cs2r")?;
        let inst = inst.try_with("sr", number).and_then(|i| i.try_with("d", Reg::from(v).to_field()));
        self.push(MInst::new(inst.map_err(|e| self.fail(e))?));
        let result = self.source.insts[at].results[0];
        self.places[result] = Some(v.into());
        Ok(())
    }

    fn special_inst(&mut self, name: &str, v: VReg) -> Result<MInst, Error> {
        let number = sassafras_isa::special::number(name);
        let number = number.ok_or_else(|| self.fail(format!("no special register `{name}`")))?;
        let inst = self.form("s2r")?;
        let inst = inst.try_with("sr", number).and_then(|i| i.try_with("d", Reg::from(v).to_field()));
        Ok(MInst::new(inst.map_err(|e| self.fail(e))?))
    }

    fn special(&mut self, at: Inst, register: SpecialRegister) -> Result<(), Error> {
        use SpecialRegister as S;
        let bank = self.chip.bank();
        let axis = |a: Axis| match a {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        };
        let source = match register {
            S::Tid(a) => Source::Register(["SR_TID.X", "SR_TID.Y", "SR_TID.Z"][axis(a)]),
            S::Ctaid(a) => Source::Register(["SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"][axis(a)]),
            S::Ntid(a) => Source::Bank(bank.block_size[axis(a)]),
            S::Nctaid(a) => Source::Bank(bank.grid_size[axis(a)]),
            S::ClusterCtaRank => Source::Register("SR_CgaCtaId"),
            S::ClusterNctaRank | S::ClusterNctaid(_) | S::NClusterId(_) => {
                let Some(cluster) = bank.cluster else { return Err(self.lacks("clusters")) };
                Source::Bank(match register {
                    S::ClusterNctaid(a) => cluster.size[axis(a)],
                    S::NClusterId(a) => cluster.count[axis(a)],
                    _ => cluster.blocks,
                })
            }
            S::IsExplicitCluster => return self.explicit_cluster(at),
            S::LaneId => Source::Register("SR_LANEID"),
            S::LaneMaskEq => Source::Register("SR_EQMASK"),
            S::LaneMaskLe => Source::Register("SR_LEMASK"),
            S::LaneMaskLt => Source::Register("SR_LTMASK"),
            S::LaneMaskGe => Source::Register("SR_GEMASK"),
            S::LaneMaskGt => Source::Register("SR_GTMASK"),
            S::Clock => Source::Register("SR_CLOCKLO"),
            S::ClockHi => Source::Register("SR_CLOCKHI"),
            S::GlobalTimerLo => Source::Register("SR_GLOBALTIMERLO"),
            S::GlobalTimerHi => Source::Register("SR_GLOBALTIMERHI"),
            S::DynamicSmemSize => Source::Bank(bank.dynamic_shared_size),
            S::GridId => {
                let low = self.move_bank(0, u64::from(bank.grid_id))?;
                let high = self.move_bank(0, u64::from(bank.grid_id) + 4)?;
                let reg = self.add_wide(low, high, 0)?;
                let result = self.source.insts[at].results[0];
                self.places[result] = Some(reg);
                return Ok(());
            }
            // Both halves at one time.
            S::Clock64 => return self.wide_special(at, "SR_CLOCKLO"),
            S::GlobalTimer => return self.wide_special(at, "SR_GLOBALTIMERLO"),
            S::WarpId | S::SmId | S::NWarpId | S::NSmId => {
                // As ptxas reads them: warps in bits 8 to 14, SMs in bits 20 to 28, of the identity and of the configuration.
                let warp = matches!(register, S::WarpId | S::NWarpId);
                let (shift, mask) = if warp { (8, 0x7f) } else { (20, 0x1ff) };
                let identity = matches!(register, S::WarpId | S::SmId);
                let word = self.read_special(if identity { "SR_VIRTID" } else { "SR_VIRTCFG" })?;
                let reg = self.field_of(word, shift, mask)?;
                let result = self.source.insts[at].results[0];
                self.places[result] = Some(reg);
                return Ok(());
            }
            S::CurrentGraphExec => return self.wide_bank(at, bank.graph),
            S::EnvReg(n) => Source::Bank(bank.environment_word(n)),
            S::Pm(n) => Source::Counter(n),
            S::Pm64(n) => return self.wide_special(at, &format!("SR_PM{n}")),
            // The meaning of PTX has one number for all chips, that of sm_90.
            S::ReservedSmemOffset(0) if self.chip.limits().reserved_shared_first != 0 => {
                return Err(self.lacks("%reserved_smem_offset_0"));
            }
            S::ReservedSmemBegin | S::ReservedSmemOffset(0) => Source::Number(0),
            S::ReservedSmemCap => Source::Number(self.chip.limits().reserved_shared_bytes),
            S::ReservedSmemEnd | S::ReservedSmemOffset(1) => match bank.reserved_shared {
                Some((end, _)) if register == S::ReservedSmemEnd => Source::Bank(end),
                Some((_, first)) => Source::Bank(first),
                None => return Err(self.lacks("%reserved_smem_offset")),
            },
            other => {
                let operation = format!("the special register {other:?}");
                return Err(Error::NoRule { line: self.line, operation });
            }
        };
        let reg = match source {
            Source::Register(name) => self.read_special(name)?,
            Source::Bank(offset) => self.launch_word(offset)?,
            Source::Counter(n) => self.read_special(&format!("SR_PM{n}"))?,
            Source::Number(n) => self.move_immediate(n)?,
        };
        let result = self.source.insts[at].results[0];
        self.places[result] = Some(reg);
        Ok(())
    }

    /// Whether the word of constant bank 0 that tells of clusters is 1.
    fn explicit_cluster(&mut self, at: Inst) -> Result<(), Error> {
        let Some(cluster) = self.chip.bank().cluster else { return Err(self.lacks("clusters")) };
        let word = self.launch_word(cluster.explicit)?;
        let v = self.out.add_vreg(RegClass::P, 1);
        let inst = self.form("isetp.ri")?;
        let inst = (|| {
            let mut inst = inst;
            inst.set_enum("cmp", ".EQ")?;
            inst.set_enum("sg", ".U32")?;
            inst.set("a", word.to_field())?;
            inst.set("b", 1)?;
            inst.try_with("d", Reg::from(v).to_field())
        })();
        let inst = inst.map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        let result = self.source.insts[at].results[0];
        self.places[result] = Some(v.into());
        Ok(())
    }

    fn field_of(&mut self, word: Reg, shift: u64, mask: u64) -> Result<Reg, Error> {
        let (t, d) = (self.out.add_vreg(RegClass::R, 1), self.out.add_vreg(RegClass::R, 1));
        let shf = self.form("shf.rir")?;
        let and = self.form("lop3.rir")?;
        let made = (|| {
            let mut shf = shf;
            shf.set_enum("dir", ".R")?;
            shf.set_enum("ty", ".U32")?;
            shf.set("hi", 1)?;
            shf.set("b", shift)?;
            shf.set("c", word.to_field())?;
            shf.set("d", Reg::from(t).to_field())?;
            let and =
                and.try_with("a", Reg::from(t).to_field())?.try_with("b", mask)?.try_with("lut", 0xc0)?;
            Ok::<_, sassafras_isa::UnknownField>((shf, and.try_with("d", Reg::from(d).to_field())?))
        })();
        let (shf, and) = made.map_err(|e| self.fail(e))?;
        self.push(MInst::new(shf));
        self.push(MInst::new(and));
        Ok(d.into())
    }

    fn address(&mut self, at: Inst, variable: VariableId, addend: i64) -> Result<(), Error> {
        let result = self.source.insts[at].results[0];
        let space = self.module.variables[variable].space;
        let offset = match space {
            Space::Shared => {
                self.index.and_then(|i| self.layout.shared_offsets.get(i)?.get(&variable).copied())
            }
            _ => Some(self.layout.offset[variable]),
        };
        let offset = offset.ok_or_else(|| self.fail(format!("no place in shared memory for {variable}")))?;
        let reg = match space {
            Space::Shared => {
                let base = self.shared_base()?;
                self.add_immediate(base.into(), (offset as i64 + addend) as u32)?
            }
            Space::Local => {
                let v = self.out.add_vreg(RegClass::R, 1);
                let dst = Place::of(v, RegClass::R, 1);
                self.push(MInst::pseudo(Pseudo::FrameAddress { dst, offset: offset as u32 }));
                if addend == 0 { v.into() } else { self.add_immediate(v.into(), addend as u32)? }
            }
            Space::Const => self.move_immediate((offset as i64 + addend) as u32)?,
            Space::Global => {
                let low = self.move_bank(ADDRESS_BANK, offset)?;
                let high = self.move_bank(ADDRESS_BANK, offset + 4)?;
                self.add_wide(low, high, addend)?
            }
            other => return Err(self.fail(format!("the address of a variable in {other:?}"))),
        };
        self.places[result] = Some(reg);
        Ok(())
    }

    /// A call of a function that the driver resolves. R1 is its stack pointer, so there is a frame.
    fn system_call(&mut self, at: Inst, call: SystemCall) -> Result<(), Error> {
        let slot = self.layout.slot(call).and_then(|s| u32::try_from(s).ok());
        let slot = slot.ok_or_else(|| self.fail(format!("no place for the address of `{}`", call.name())))?;
        let data = &self.source.insts[at];
        let mut arguments = Vec::new();
        for &arg in &data.args {
            let (class, units) = super::emit::class_of(self.source.values[arg].ty);
            arguments.push(match self.constant(arg) {
                // Zero has a register of its own, which is as wide as is asked for.
                Some(0) => Place { class, reg: Reg::Physical(255), units },
                _ => Place { class, reg: self.value(arg, None)?, units },
            });
        }
        let result = data.results.first().copied().map(|value| {
            let (class, units) = super::emit::class_of(self.source.values[value].ty);
            Place { class, reg: self.fresh(value).into(), units }
        });
        self.push(MInst::pseudo(Pseudo::Call { slot, result, arguments }));
        let frame = &mut self.out.frame;
        frame.local_bytes = frame.local_bytes.max(LEAST_FRAME);
        Ok(())
    }

    /// A routine's call, begin or end. Its registers are set by `expand`.
    fn routine(&mut self, at: Inst, part: RoutinePart, routine: Routine) -> Result<(), Error> {
        let number = routine.number().ok_or_else(|| self.fail(format!("no routine {routine:?}")))?;
        let data = &self.source.insts[at];
        let units = (routine.width() / 32) as u8;
        let of = |reg: Reg| Place { class: RegClass::R, reg, units };
        let mut arguments = Vec::new();
        for &arg in &data.args {
            arguments.push(match self.constant(arg) {
                Some(0) => of(Reg::Physical(255)),
                _ => of(self.value(arg, None)?),
            });
        }
        let mut results: Vec<Place> = data.results.iter().map(|&v| of(self.fresh(v).into())).collect();
        let pseudo = match part {
            RoutinePart::Call => Pseudo::Invoke { routine: number, result: results.remove(0), arguments },
            RoutinePart::Enter => Pseudo::Enter { routine: number, arguments: results },
            RoutinePart::Leave => Pseudo::Leave { routine: number, result: arguments.remove(0) },
        };
        self.push(MInst::pseudo(pseudo));
        Ok(())
    }

    fn add_immediate(&mut self, a: Reg, b: u32) -> Result<Reg, Error> {
        if b == 0 {
            return Ok(a);
        }
        let v = self.out.add_vreg(RegClass::R, 1);
        let inst = self.form("iadd3.rir")?;
        let fields = [("d", Reg::from(v).to_field()), ("a", a.to_field()), ("b", i64::from(b as i32) as u64)];
        let inst = fields.into_iter().try_fold(inst, |i, (name, value)| i.try_with(name, value));
        let inst = inst.map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(v.into())
    }

    fn add_wide(&mut self, low: Reg, high: Reg, addend: i64) -> Result<Reg, Error> {
        let place = |reg| Place { class: RegClass::R, reg, units: 1 };
        if addend == 0 {
            return Ok(self.builder().pack(&[place(low), place(high)]).into());
        }
        let carry = self.out.add_vreg(RegClass::P, 1);
        let (l, h) = (self.out.add_vreg(RegClass::R, 1), self.out.add_vreg(RegClass::R, 1));
        let (first, second) = (self.form("iadd3.rir")?, self.form("iadd3.rir")?);
        let immediate = |word: i64| i64::from(word as i32) as u64;
        let made = (|| {
            let first = first.try_with("d", Reg::from(l).to_field())?.try_with("a", low.to_field())?;
            let first =
                first.try_with("b", immediate(addend))?.try_with("p0", Reg::from(carry).to_field())?;
            let second = second.try_with("d", Reg::from(h).to_field())?.try_with("a", high.to_field())?;
            let second = second.try_with("b", immediate(addend >> 32))?.try_with("x", 1)?;
            let second = second.try_with("q0", Reg::from(carry).to_field())?.try_with("q0.not", 0)?;
            Ok::<_, sassafras_isa::UnknownField>((first, second))
        })();
        let (first, second) = made.map_err(|e| self.fail(e))?;
        self.push(MInst::new(first));
        self.push(MInst::new(second));
        Ok(self.builder().pack(&[place(l.into()), place(h.into())]).into())
    }

    /// The start of the block's user shared memory as an address of the shared window: the rank within the cluster in the top byte, as ptxas makes it.
    /// Made once, in front of everything.
    fn shared_base(&mut self) -> Result<VReg, Error> {
        if let Some(v) = self.shared_base {
            return Ok(v);
        }
        let reserved = self.chip.limits().reserved_shared_bytes;
        if reserved == 0 {
            // No cluster, and nothing of the system's: it starts at zero.
            let v = self.out.add_vreg(RegClass::R, 1);
            let inst = self.form("mov.i")?;
            let inst = inst.try_with("d", Reg::from(v).to_field()).and_then(|i| i.try_with("b", 0));
            self.prologue.push(MInst::new(inst.map_err(|e| self.fail(e))?));
            self.shared_base = Some(v);
            return Ok(v);
        }
        let rank = self.out.add_vreg(RegClass::R, 1);
        let v = self.out.add_vreg(RegClass::R, 1);
        let read = self.special_inst("SR_CgaCtaId", rank)?;
        let inst = self.form("imad.rir")?;
        let shifted = self.out.add_vreg(RegClass::R, 1);
        let add = self.form("iadd3.rir")?;
        let made = (|| {
            let shift = inst
                .try_with("d", Reg::from(shifted).to_field())?
                .try_with("a", Reg::from(rank).to_field())?;
            let shift = shift.try_with("b", 1 << 24)?;
            let add =
                add.try_with("d", Reg::from(v).to_field())?.try_with("a", Reg::from(shifted).to_field())?;
            Ok::<_, sassafras_isa::UnknownField>((shift, add.try_with("b", u64::from(reserved))?))
        })();
        let (shift, add) = made.map_err(|e| self.fail(e))?;
        self.prologue.extend([read, MInst::new(shift), MInst::new(add)]);
        self.shared_base = Some(v);
        Ok(v)
    }

    /// The descriptor that global accesses name, in a uniform register pair; made once, in front of everything.
    pub(super) fn global_descriptor(&mut self) -> Result<VReg, Error> {
        if let Some(v) = self.descriptor {
            return Ok(v);
        }
        let offset = self.chip.bank().global_descriptor;
        let offset = offset.ok_or_else(|| self.lacks("global accesses"))?;
        let v = self.out.add_vreg(RegClass::UR, 2);
        let inst = self.form(if self.chip.has_constant_operands() { "uldc" } else { "ldcu" })?;
        let inst = (|| {
            let mut inst = inst;
            inst.set_enum("sz", ".64")?;
            inst.set("o", u64::from(offset))?;
            inst.try_with("d", Reg::from(v).to_field())
        })();
        let inst = inst.map_err(|e| self.fail(e))?;
        self.prologue.push(MInst::new(inst));
        self.descriptor = Some(v);
        Ok(v)
    }
}
