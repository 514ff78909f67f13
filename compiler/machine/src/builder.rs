//! Writing instructions.

use crate::{Block, Edge, Function, MInst, Place, Pseudo, Reg, RegClass, Tied, VReg};
use sassafras_isa::{FieldKind, Guard, Inst, UnknownField, form_on};
use smallvec::SmallVec;

/// What was asked of [`InstBuilder`] that the form does not have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BuildError {
    /// No form has this name.
    #[error("no instruction form `{0}`")]
    UnknownForm(String),
    /// No such field, or no such text of an enum.
    #[error(transparent)]
    UnknownField(#[from] UnknownField),
    /// A register was given for a field that holds none, or holds another class or number of units.
    #[error("`{form}.{field}` cannot hold {what}")]
    WrongRegister {
        /// The form.
        form: String,
        /// The field.
        field: String,
        /// The register with its class and units.
        what: String,
    },
}

/// Appends to one block of a function.
///
/// ```
/// # use sassafras_machine::*;
/// # fn main() -> Result<(), BuildError> {
/// let mut f = Function::new("k", sassafras_isa::Chip::Sm90);
/// let entry = f.entry;
/// let mut b = Builder::at(&mut f, entry);
/// let (x, y) = (b.vreg(RegClass::R, 1), b.vreg(RegClass::R, 1));
/// b.inst("s2r").def("d", x).imm("sr", 33).push()?;
/// b.inst("iadd3.rrr").def("d", y).use_("a", x).use_("b", x).push()?;
/// b.inst("exit").push()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function.
    pub func: &'f mut Function,
    /// Where instructions go.
    pub block: Block,
}

impl<'f> Builder<'f> {
    /// Appends to this block.
    pub fn at(func: &'f mut Function, block: Block) -> Builder<'f> {
        Builder { func, block }
    }

    /// A new virtual register.
    pub fn vreg(&mut self, class: RegClass, units: u8) -> VReg {
        self.func.add_vreg(class, units)
    }

    /// Starts an instruction of this family. Mistakes are told by [`InstBuilder::push`].
    pub fn inst(&mut self, id: &str) -> InstBuilder<'_> {
        let state = form_on(id, self.func.chip)
            .map(|form| MInst::new(Inst::new(form)))
            .ok_or_else(|| BuildError::UnknownForm(id.into()));
        InstBuilder { func: self.func, block: self.block, state }
    }

    /// Appends a pseudo-instruction.
    pub fn pseudo(&mut self, pseudo: Pseudo) {
        self.func.blocks[self.block].insts.push(MInst::pseudo(pseudo));
    }

    /// `dst = src`, all units.
    pub fn copy(&mut self, dst: VReg, src: VReg) {
        let (dst, src) = (self.func.place(dst), self.func.place(src));
        self.pseudo(Pseudo::Copy { dst, src });
    }

    /// A new wide register made of parts, low first.
    pub fn pack(&mut self, parts: &[Place]) -> VReg {
        let class = parts.first().map_or(RegClass::R, |part| part.class);
        let dst = self.vreg(class, parts.iter().map(|part| part.units).sum());
        self.pseudo(Pseudo::Pack { dst, parts: SmallVec::from_slice(parts) });
        dst
    }

    /// A new register of any value.
    pub fn undef(&mut self, class: RegClass, units: u8) -> VReg {
        let vreg = self.vreg(class, units);
        self.pseudo(Pseudo::Undef { dst: Place::of(vreg, class, units) });
        vreg
    }

    /// Ends the block: control goes to `block`.
    pub fn jump(&mut self, block: Block, args: Vec<VReg>) {
        self.func.blocks[self.block].succs = vec![Edge { block, args }];
    }

    /// Ends the block: to the first edge where `pred` (or its negation) holds, else to the second.
    pub fn branch(
        &mut self,
        pred: VReg,
        negate: bool,
        taken: Edge,
        otherwise: Edge,
    ) -> Result<(), BuildError> {
        let target = taken.block;
        self.func.blocks[self.block].succs = vec![taken, otherwise];
        self.inst("bra").guard(pred, negate).target(target).push()
    }
}

/// One instruction in the making.
#[derive(Debug)]
#[must_use = "an instruction is added by `push`"]
pub struct InstBuilder<'b> {
    func: &'b mut Function,
    block: Block,
    state: Result<MInst, BuildError>,
}

impl InstBuilder<'_> {
    fn change(mut self, change: impl FnOnce(&Function, &mut MInst) -> Result<(), BuildError>) -> Self {
        if let Ok(inst) = &mut self.state
            && let Err(error) = change(self.func, inst)
        {
            self.state = Err(error);
        }
        self
    }

    fn register(self, field: &str, reg: Reg) -> Self {
        self.change(|_, inst| Ok(isa(inst).set(field, reg.to_field())?))
    }

    /// The field writes this register, from unit 0.
    pub fn def(self, field: &str, reg: impl Into<Reg>) -> Self {
        self.register(field, reg.into())
    }

    /// The field reads this register: a virtual register (its low unit first), a part of one, or a real register.
    pub fn use_(self, field: &str, reg: impl Into<Reg>) -> Self {
        self.register(field, reg.into())
    }

    /// The field holds this number: immediates (signed ones sign-extended), offsets, banks.
    pub fn imm(self, field: &str, value: u64) -> Self {
        self.change(|_, inst| Ok(isa(inst).set(field, value)?))
    }

    /// The flag is set: `a.neg`, `q.not`.
    pub fn flag(self, field: &str) -> Self {
        self.imm(field, 1)
    }

    /// The flag has this value.
    pub fn flag_if(self, field: &str, on: bool) -> Self {
        if on { self.imm(field, 1) } else { self }
    }

    /// The enum has the value of this text, as in `("cmp", ".GE")`.
    pub fn enum_(self, field: &str, text: &str) -> Self {
        self.change(|_, inst| Ok(isa(inst).set_enum(field, text)?))
    }

    /// The instruction takes effect where this predicate, or its negation, holds.
    pub fn guard(self, pred: impl Into<Reg>, negate: bool) -> Self {
        let pred = pred.into().to_field() as u32;
        self.change(|_, inst| {
            let uniform = isa(inst).guard.uniform;
            isa(inst).guard = Guard { pred, negate, uniform };
            Ok(())
        })
    }

    /// Lanes that the guard leaves out keep this value in the definition of the field.
    pub fn tied(self, field: &str, old: impl Into<Reg>) -> Self {
        let old = old.into();
        self.change(|_, inst| {
            let form = isa(inst).form;
            let unknown = || UnknownField { form, name: field.to_owned(), value: None };
            let field = isa(inst).row().field(field).ok_or_else(unknown)?;
            inst.tied.push(Tied { field, old });
            Ok(())
        })
    }

    /// Where the branch goes.
    pub fn target(self, block: Block) -> Self {
        self.change(|_, inst| {
            inst.target = Some(block);
            Ok(())
        })
    }

    /// All lanes that reach this branch together go the same way.
    pub fn uniform(self) -> Self {
        self.change(|_, inst| {
            inst.uniform = true;
            Ok(())
        })
    }

    /// Adds the instruction at the block's end. Tells the first mistake; registers are checked against the classes
    /// and units of their fields here, when all enums are known.
    pub fn push(self) -> Result<(), BuildError> {
        let inst = self.state?;
        check_registers(self.func, &inst)?;
        self.func.blocks[self.block].insts.push(inst);
        Ok(())
    }
}

fn isa(inst: &mut MInst) -> &mut Inst {
    inst.inst_mut().expect("an InstBuilder holds an instruction of the hardware")
}

fn check_registers(func: &Function, inst: &MInst) -> Result<(), BuildError> {
    let Some(real) = inst.inst() else { return Ok(()) };
    let wrong = |field: &str, what: String| {
        Err(BuildError::WrongRegister { form: real.form.to_string(), field: field.into(), what })
    };
    for (field, &value) in real.row().fields.iter().zip(&real.fields) {
        let virtual_number = matches!(Reg::from_field(value), Reg::Virtual(..)) && value < 1 << 32;
        if let (FieldKind::Register { .. }, false) = (field.kind, virtual_number)
            && value > 255
        {
            return wrong(field.name, format!("the number {value:#x}"));
        }
    }
    for operand in inst.operands() {
        let Reg::Virtual(vreg, unit) = operand.reg else { continue };
        let name = match operand.position {
            crate::Position::Field(i) | crate::Position::Tied(i) => real.row().fields[i].name,
            _ => "guard",
        };
        let Some(data) = func.vregs.get(vreg) else {
            return wrong(name, format!("{vreg}, which does not exist"));
        };
        let fits = data.class == operand.class
            && unit % operand.units == 0
            && unit + operand.units <= data.units
            && (operand.access == crate::Access::Read || operand.units == data.units);
        if !fits {
            let what = format!("unit {unit} of {vreg}, which is {} of class {:?}", data.units, data.class);
            return wrong(name, format!("{what}; it needs {} of {:?}", operand.units, operand.class));
        }
    }
    Ok(())
}
