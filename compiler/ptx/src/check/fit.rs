//! Whether a resolved operand fits a slot of a row.

use super::Checker;
use super::constant::Constant;
use super::operand::{Address, Kind, Resolved};
use crate::checked::{AddressBase, Mods, Op, Operand, Pieces, Type};
use crate::diagnostics::Code;
use crate::source::Span;
use crate::table::{Only, Selector, Slot, SlotKind, Texture, TypeRef, Value};
use sassafras_semantics::{FloatFormat, Space, SpecialRegister};
use smallvec::SmallVec;

/// Why an operand does not fit.
pub(super) struct Misfit {
    pub code: Code,
    pub span: Span,
    pub message: String,
}

fn misfit<T>(code: Code, span: Span, message: impl Into<String>) -> Result<T, Misfit> {
    Err(Misfit { code, span, message: message.into() })
}

/// What is known of the instruction whose operands are fitted.
pub(super) struct Form<'a> {
    pub op: Op,
    pub types: &'a [Type],
    pub mods: &'a Mods,
}

impl Checker {
    pub(super) fn fit(&self, slot: &Slot, operand: &Resolved, form: &Form) -> Result<Operand, Misfit> {
        let span = operand.span;
        let (first, second) = match (&operand.kind, &slot.pair) {
            (Kind::Pair(a, b), Some((ty, _))) => (&**a, Some((&**b, *ty))),
            (Kind::Pair(..), None) => {
                return misfit(Code::OperandKind, span, "this instruction has one result here");
            }
            (_, Some((_, false))) => {
                return misfit(Code::OperandKind, span, "this instruction has two results: `d|p`");
            }
            (_, _) => (operand, None),
        };
        let fitted = match slot.kind {
            SlotKind::Value(value) => self.fit_value(value, slot.written(), first, form)?,
            SlotKind::Address => {
                // A slot that is called after a space is in that one, others in the instruction's.
                let wanted = super::mods::space(slot.name).or(form.mods.space);
                match slot.name {
                    "tmem" => return self.fit_tensor_address(first),
                    "handle" => return self.fit_handle(first),
                    // A variable that is named lies where the address leads, though the register may hold a generic one.
                    "barrier" => named_in(first, Space::Shared)?,
                    "generic" => named_in(first, Space::Global)?,
                    _ => {}
                }
                self.fit_address(first, form, wanted)?
            }
            SlotKind::Tensor => self.fit_tensor(first, form)?,
            SlotKind::Texture(texture) => self.fit_texture(texture, first, form)?,
            SlotKind::Pack => self.fit_pack(slot.written(), first, form)?,
            SlotKind::AddressValue => match first.kind {
                Kind::Register(id, Type::B(32 | 64) | Type::U(32 | 64) | Type::S(32 | 64)) => {
                    Operand::Register(id)
                }
                _ => {
                    return misfit(Code::OperandKind, span, "an integer register of 32 or 64 bits is needed");
                }
            },
            SlotKind::Ids { most, step } => self.fit_ids(most, step, first, form)?,
            SlotKind::Label => match first.kind {
                Kind::Label(id) => Operand::Label(id),
                _ => {
                    let message = format!("a label is needed, not {}", first.kind.describe());
                    return misfit(Code::OperandKind, span, message);
                }
            },
            SlotKind::Targets => match &first.kind {
                Kind::Targets(name) => Operand::BranchTargets(name.clone()),
                _ => return misfit(Code::OperandKind, span, "a `.branchtargets` label is needed"),
            },
            SlotKind::Call => return misfit(Code::OperandKind, span, "a call is needed"),
        };
        match second {
            None => Ok(fitted),
            Some((second, ty)) => {
                // Who was elected is what `elect` is for.
                let sink = form.op != Op::Elect;
                let value = Value { sink, only: Only::Register, ..Value::plain(ty) };
                let second = self.fit_value(value, true, second, form)?;
                Ok(Operand::Pair(Box::new(fitted), Box::new(second)))
            }
        }
    }

    fn fit_value(
        &self,
        value: Value,
        written: bool,
        operand: &Resolved,
        form: &Form,
    ) -> Result<Operand, Misfit> {
        let span = operand.span;
        let ty = value.ty.resolve(form.types);
        // Loads and stores, those of surfaces too, take `{a}` for `a`; `red`, `atom` and `sured` do not, in ptxas.
        if form.mods.vector <= 1
            && matches!(form.op, Op::Ld | Op::Ldu | Op::St | Op::Suld | Op::Sust)
            && ty == form.types[0]
            && let Kind::Vector(items) = &operand.kind
            && let [one] = items.as_slice()
            && !matches!(one.kind, Kind::Vector(_))
        {
            return self.fit_value(Value { vector: false, sink: false, ..value }, written, one, form);
        }
        let fixed = value.elements(&form.mods.words);
        if value.vector && (form.mods.vector > 1 || fixed > 0) {
            let lanes = if fixed > 0 { fixed } else { usize::from(form.mods.vector) };
            // Fixed vectors hold registers alone, but for offsets of tensors and offsets and slopes of textures.
            let (sink, only) = match (fixed, value.only) {
                (0, only) => (written || value.sink, only),
                (_, only) if value.offsets || matches!(form.op, Op::Tex | Op::Tld4) => (false, only),
                (_, Only::Immediate) => (false, Only::Immediate),
                _ => (value.sink, Only::Register),
            };
            let single = Value { vector: false, count: 0, per: 0, offsets: false, sink, only, ..value };
            return match &operand.kind {
                Kind::Vector(items) if items.iter().all(|i| matches!(i.kind, Kind::Sink)) => {
                    misfit(Code::OperandKind, span, "a vector of nothing but `_`")
                }
                Kind::Specials(registers) if lanes == 4 && value.only == Only::Mov => {
                    let part = |r: &SpecialRegister| Resolved { kind: Kind::Special(*r), span };
                    let mut parts: Vec<Resolved> = registers.iter().map(part).collect();
                    parts.push(Resolved { kind: Kind::Zero, span });
                    let parts = parts.iter().map(|i| self.fit_value(single, written, i, form).map(Box::new));
                    Ok(Operand::Vector(parts.collect::<Result<_, _>>()?))
                }
                Kind::Vector(items) if items.len() == lanes => {
                    let items = items.iter().map(|i| self.fit_element(single, written, i, form));
                    Ok(Operand::Vector(items.collect::<Result<_, _>>()?))
                }
                Kind::Registers(ids, reg) if ids.len() == lanes => {
                    stands(*reg, ty, value).map_err(|message| Misfit {
                        code: Code::OperandType,
                        span,
                        message,
                    })?;
                    Ok(Operand::Vector(ids.iter().map(|i| Box::new(Operand::Register(*i))).collect()))
                }
                _ => misfit(Code::OperandKind, span, format!("a vector of {lanes} is needed")),
            };
        }
        let wrong = |what: &str| {
            misfit(Code::OperandKind, span, format!("{what} is needed, not {}", operand.kind.describe()))
        };
        let part = if let Only::Part(selector) = value.only { Some(selector) } else { None };
        match &operand.kind {
            Kind::Sink if value.sink || value.only == Only::Sink => Ok(Operand::Sink),
            _ if value.only == Only::Sink => wrong("`_`"),
            Kind::Part(id, reg, word) if part.is_some_and(|p| p.takes(word)) => {
                match (agree(*reg, ty, false), Pieces::parse(word)) {
                    (Err(message), _) => misfit(Code::OperandType, span, message),
                    (Ok(()), Some(pieces)) => Ok(Operand::Pieces(*id, pieces)),
                    (Ok(()), None) => wrong("a part of a register"),
                }
            }
            Kind::Negated(inner) if matches!(part, Some(Selector::Signed | Selector::Negated)) => {
                self.fit_value(value, written, inner, form).map(|inner| Operand::Negated(Box::new(inner)))
            }
            Kind::Register(id, _) if written && self.body.sums.contains(id) => wrong("a register"),
            // After a register of these stands what selects a part of it, and nothing else.
            Kind::Register(id, _) if form.op == Op::Video && self.body.components.contains(id) => {
                misfit(Code::OperandKind, span, "a register is needed, not a component of a vector")
            }
            Kind::Register(id, _) if selects(form, value) && self.body.sums.contains(id) => {
                misfit(Code::OperandKind, span, "a register is needed, not a register plus a constant")
            }
            Kind::Constant(constant) if value.only == Only::Sign => match constant.bits(ty) {
                Some(bits) if bits == 1 || bits == u64::MAX => Ok(Operand::Immediate(bits)),
                _ => misfit(Code::BadImmediate, span, "1 or -1 is needed"),
            },
            _ if value.only == Only::Sign => wrong("a constant"),
            Kind::Register(id, reg) if value.only != Only::Immediate => match stands(*reg, ty, value) {
                Ok(()) => Ok(Operand::Register(*id)),
                Err(message) => misfit(Code::OperandType, span, message),
            },
            _ if written => wrong("a register"),
            Kind::Not(id, Type::Pred) if ty == Type::Pred => Ok(Operand::NotRegister(*id)),
            Kind::Constant(constant)
                if matches!(
                    value.only,
                    Only::Any | Only::Immediate | Only::Mov | Only::Special | Only::Part(_)
                ) && !matches!(part, Some(Selector::Halves | Selector::Bytes)) =>
            {
                // Limits are of the number as it is written, but for barriers, whose numbers are cut to 32 bits before.
                let cut = matches!(form.op, Op::Bar | Op::Barrier) || ty == Type::Pred;
                let number = |bits| match constant {
                    Constant::Int(number, _) if !cut => *number,
                    _ => bits,
                };
                match constant.bits(ty) {
                    Some(bits) if !value.admits(number(bits)) => {
                        let mut message = format!("the constant {} is not", number(bits) as i64);
                        if value.most < u64::MAX {
                            message += &format!(" at most {}", value.most);
                        }
                        if value.least > 0 {
                            message += &format!(" at least {}", value.least);
                        }
                        if value.multiple > 1 {
                            message += &format!(" a multiple of {}", value.multiple);
                        }
                        if value.power {
                            message += " a power of two";
                        }
                        if value.fraction {
                            message = "the constant is not more than 0 and at most 1".into();
                        }
                        misfit(Code::BadImmediate, span, message)
                    }
                    Some(bits) => Ok(Operand::Immediate(bits)),
                    None => {
                        let message =
                            format!("{} is no constant of type `.{}`", operand.kind.describe(), ty.name());
                        misfit(Code::OperandType, span, message)
                    }
                }
            }
            Kind::Special(register) if matches!(value.only, Only::Mov | Only::Special) => {
                let integer = matches!(ty, Type::Pred | Type::B(_) | Type::U(_) | Type::S(_));
                // The registers of the first PTX versions had 16 bits, and are still read so; a bit reads as any width.
                use SpecialRegister::{Ctaid, GridId, Nctaid, Ntid, Tid};
                let old = matches!(register, Tid(_) | Ntid(_) | Ctaid(_) | Nctaid(_) | GridId);
                let (have, need) = (register.width(), ty.width());
                let narrower = need < have && (value.only == Only::Special || old && need >= 16);
                let wrong_width = need != have && !narrower && have > 1;
                if !integer || wrong_width {
                    let message = format!(
                        "the special register has {} bits, not those of `.{}`",
                        register.width(),
                        ty.name()
                    );
                    return misfit(Code::OperandType, span, message);
                }
                Ok(Operand::Special(*register))
            }
            Kind::Variable(..) | Kind::Param(..) | Kind::Function(_) | Kind::Element(..)
                if matches!(value.only, Only::Mov | Only::Cvta) =>
            {
                self.fit_symbol(ty, operand, form)
            }
            // The fourth component is always 0 (PTX ISA, `%tid`).
            Kind::Zero
                if matches!(value.only, Only::Mov | Only::Special) && matches!(ty.width(), 16 | 32)
                    || value.only == Only::Special && ty.width() < 32 =>
            {
                Ok(Operand::Immediate(0))
            }
            Kind::Specials(_) => {
                misfit(Code::WrongEntity, span, "this special register needs a component: `.x`, `.y` or `.z`")
            }
            Kind::Constant(_) | Kind::Special(_) | Kind::Zero => wrong("a register"),
            _ if value.only == Only::Immediate => wrong("a constant"),
            _ => wrong("a register or constant"),
        }
    }

    /// A tensor map with coordinates: a pair of its address and a vector.
    fn fit_tensor(&self, operand: &Resolved, form: &Form) -> Result<Operand, Misfit> {
        let span = operand.span;
        let Kind::Texture(map, at) = &operand.kind else {
            let message = format!("a tensor map with coordinates is needed, not {}", operand.kind.describe());
            return misfit(Code::OperandKind, span, message);
        };
        let map = match map.kind {
            Kind::Register(id, Type::B(64) | Type::U(64) | Type::S(64)) => Operand::Register(id),
            _ => return misfit(Code::OperandType, map.span, "an address of 64 bits in a register is needed"),
        };
        let count = crate::table::coordinates(&form.mods.words).unwrap_or(0) as u8;
        let ty = TypeRef::Fixed(Type::S(32));
        // Coordinates are registers or constants.
        let at = match &at.kind {
            Kind::Vector(items) if items.len() == usize::from(count) => {
                let items = items.iter().map(|item| self.fit_element(Value::plain(ty), false, item, form));
                Operand::Vector(items.collect::<Result<_, _>>()?)
            }
            _ => {
                let value = Value { vector: true, count, only: Only::Register, ..Value::plain(ty) };
                self.fit_value(value, false, at, form)?
            }
        };
        Ok(Operand::Pair(Box::new(map), Box::new(at)))
    }

    /// A texture with coordinates: a pair of the handle and a vector.
    fn fit_texture(&self, texture: Texture, operand: &Resolved, form: &Form) -> Result<Operand, Misfit> {
        let span = operand.span;
        let Kind::Texture(handle, at) = &operand.kind else {
            let message =
                format!("a texture or surface with coordinates is needed, not {}", operand.kind.describe());
            return misfit(Code::OperandKind, span, message);
        };
        let handle = match handle.kind {
            Kind::Register(id, Type::B(64) | Type::U(64) | Type::S(64)) => Operand::Register(id),
            _ => {
                return misfit(Code::OperandType, handle.span, "a handle of 64 bits in a register is needed");
            }
        };
        let types = texture.types(form.types);
        let one = std::slice::from_ref(&**at);
        let expanded: Vec<Resolved>;
        let items = match &at.kind {
            Kind::Vector(items) => items.as_slice(),
            Kind::Registers(ids, ty) => {
                let one = |id: &crate::checked::RegisterId| Resolved { kind: Kind::Register(*id, *ty), span };
                expanded = ids.iter().map(one).collect();
                &expanded
            }
            _ => one,
        };
        if items.len() != types.len() {
            return misfit(Code::OperandKind, at.span, format!("{} coordinates are needed", types.len()));
        }
        let each = items.iter().zip(types);
        let items = each.map(|(item, ty)| {
            self.fit_value(Value::plain(TypeRef::Fixed(ty)), false, item, form).map(Box::new)
        });
        let items = Operand::Vector(items.collect::<Result<_, _>>()?);
        Ok(Operand::Pair(Box::new(handle), Box::new(items)))
    }

    fn fit_symbol(&self, ty: Type, operand: &Resolved, form: &Form) -> Result<Operand, Misfit> {
        let span = operand.span;
        if !matches!(ty, Type::B(32 | 64) | Type::U(32 | 64) | Type::S(32 | 64)) {
            return misfit(Code::OperandType, span, format!("an address does not fit in `.{}`", ty.name()));
        }
        // The address of another block's shared memory is made of one's own.
        let shared = matches!(form.op, Op::Mapa | Op::Getctarank).then_some(Space::Shared);
        let space_of = |has| match form.mods.space.or(shared) {
            Some(wanted) => same_space(wanted, has, span),
            None => Ok(()),
        };
        match &operand.kind {
            Kind::Variable(id, offset) => {
                let space = self.variable(*id).space;
                space_of(space)?;
                if space == Space::Global && ty.width() != 64 {
                    return misfit(Code::OperandType, span, "a `.global` address has 64 bits");
                }
                Ok(Operand::Symbol(*id, *offset))
            }
            Kind::Param(i, returned, offset) => {
                space_of(Space::Param)?;
                Ok(Operand::Param(*i, *returned, *offset))
            }
            Kind::Function(id) if form.op == Op::Mov => Ok(Operand::Function(*id)),
            Kind::Element(Address { base, offset, space, .. }) => {
                space.map_or(Ok(()), space_of)?;
                match *base {
                    AddressBase::Symbol(id) if ty.width() == 64 || *space != Some(Space::Global) => {
                        Ok(Operand::Symbol(id, *offset))
                    }
                    AddressBase::Param(i, returned) => Ok(Operand::Param(i, returned, *offset)),
                    AddressBase::Register(id) if ty.width() == 64 => Ok(Operand::Register(id)),
                    _ => misfit(Code::OperandType, span, "this address has 64 bits"),
                }
            }
            other => misfit(Code::OperandKind, span, format!("{} has no address", other.describe())),
        }
    }

    fn fit_address(&self, operand: &Resolved, form: &Form, wanted: Option<Space>) -> Result<Operand, Misfit> {
        let span = operand.span;
        // PTX ISA, "Arrays as Operands": `ld` and `st` take an element where an address in brackets may stand.
        let element = matches!(form.op, Op::Ld | Op::Ldu | Op::St);
        let ((Kind::Address(address), _) | (Kind::Element(address), true)) = (&operand.kind, element) else {
            let message = format!("an address in brackets is needed, not {}", operand.kind.describe());
            return misfit(Code::OperandKind, span, message);
        };
        let Address { base, offset, space, span } = *address;
        self.parameter_of_its_kind(base, span, form)?;
        match base {
            AddressBase::Register(id)
                if matches!(wanted, None | Some(Space::Global)) && self.register_type(id).width() != 64 =>
            {
                let message = "a generic or `.global` address has 64 bits".to_owned();
                misfit(Code::OperandType, span, message)
            }
            AddressBase::Absolute if wanted != Some(Space::Local) => {
                misfit(Code::BadImmediate, span, "only `.local` memory has constant addresses")
            }
            AddressBase::Param(_, false) if form.op == Op::St => {
                misfit(Code::SpaceMismatch, span, "the function's own parameters cannot be written")
            }
            AddressBase::Param(_, true) if form.op == Op::Ld => {
                misfit(Code::SpaceMismatch, span, "the function's own results cannot be read")
            }
            AddressBase::Param(index, _) if form.op == Op::Ld && self.body.function.entry => {
                self.within_parameters(index, offset, span, form)?;
                Ok(Operand::Address(base, offset))
            }
            _ if wanted.is_none() && matches!(space, Some(Space::Param | Space::Const)) => misfit(
                Code::SpaceMismatch,
                span,
                "a variable of this space is not reached by a generic address",
            ),
            _ => {
                if let (Some(wanted), Some(has)) = (wanted, space) {
                    same_space(wanted, has, span)?;
                }
                Ok(Operand::Address(base, offset))
            }
        }
    }

    /// A load of parameters of an entry. What lies behind the last of them in the constant bank belongs to nobody; ptxas 13.0.88 reads it, and says
    /// "Potential out of bound access".
    fn within_parameters(&self, index: u32, offset: i64, span: Span, form: &Form) -> Result<(), Misfit> {
        let function = &self.body.function;
        let start = function.params.get(index as usize).map_or(0, |param| i64::from(param.offset)) + offset;
        let width = form.types.last().map_or(8, |ty| ty.width());
        let bytes = i64::from(width.div_ceil(8)) * i64::from(form.mods.lanes());
        let size = i64::from(function.param_size);
        if start >= 0 && start + bytes <= size {
            return Ok(());
        }
        let message = format!("{bytes} bytes at offset {start} of the parameters, which take {size}");
        misfit(Code::BadParameter, span, message)
    }

    /// `{a, b}` of two registers or constants.
    fn fit_ids(&self, most: [u64; 2], step: u64, operand: &Resolved, form: &Form) -> Result<Operand, Misfit> {
        let Kind::Vector(items) = &operand.kind else {
            let message =
                format!("a vector of two registers or constants is needed, not {}", operand.kind.describe());
            return misfit(Code::OperandKind, operand.span, message);
        };
        let [first, second] = items.as_slice() else {
            return misfit(
                Code::OperandKind,
                operand.span,
                "a vector of two registers or constants is needed",
            );
        };
        let constant = |item: &Resolved, most, multiple| {
            let ty = TypeRef::Fixed(Type::U(16));
            let value = Value { most, multiple, ..Value::plain(ty) };
            self.fit_value(value, false, item, form).map(Box::new)
        };
        let items = [constant(first, most[0], step)?, constant(second, most[1], 1)?];
        Ok(Operand::Vector(items.into_iter().collect()))
    }

    /// `.param::entry` names a kernel's parameter or takes a register, `.param::func` a variable or a function's own parameter (black-box
    /// runs of ptxas 13.5).
    fn parameter_of_its_kind(&self, base: AddressBase, span: Span, form: &Form) -> Result<(), Misfit> {
        let says = |word| form.mods.hints.contains(&word) && matches!(form.op, Op::Ld | Op::St);
        let entry = self.body.function.entry;
        let fits = match base {
            _ if says("param::entry") => match base {
                AddressBase::Param(..) => entry,
                base => matches!(base, AddressBase::Register(_)),
            },
            _ if says("param::func") => match base {
                AddressBase::Param(..) => !entry,
                base => matches!(base, AddressBase::Symbol(_)),
            },
            _ => true,
        };
        match fits {
            true => Ok(()),
            false => misfit(Code::SpaceMismatch, span, "a parameter of the other kind"),
        }
    }

    /// `[a]` in tensor memory, whose addresses have 32 bits (PTX ISA, "Tensor Memory Addressing").
    fn fit_tensor_address(&self, operand: &Resolved) -> Result<Operand, Misfit> {
        match &operand.kind {
            Kind::Address(Address { base: base @ AddressBase::Register(id), offset, .. })
                if self.register_type(*id).width() == 32 =>
            {
                Ok(Operand::Address(*base, *offset))
            }
            other => {
                let message =
                    format!("an address in a register of 32 bits is needed, not {}", other.describe());
                misfit(Code::OperandKind, operand.span, message)
            }
        }
    }

    /// `[h]`: the handle of a texture or surface in a register, without an offset.
    fn fit_handle(&self, operand: &Resolved) -> Result<Operand, Misfit> {
        match &operand.kind {
            Kind::Address(Address { base: base @ AddressBase::Register(id), offset: 0, .. })
                if self.register_type(*id).width() == 64 =>
            {
                Ok(Operand::Address(*base, 0))
            }
            other => {
                let message = format!(
                    "a handle in brackets, in a register of 64 bits, is needed, not {}",
                    other.describe()
                );
                misfit(Code::OperandKind, operand.span, message)
            }
        }
    }

    /// A vector whose elements fill the first type.
    fn fit_pack(&self, written: bool, operand: &Resolved, form: &Form) -> Result<Operand, Misfit> {
        let span = operand.span;
        let total = form.types[0].width();
        let expanded: Vec<Resolved>;
        let items = match &operand.kind {
            Kind::Vector(items) => items,
            Kind::Registers(ids, ty) => {
                let one = |id: &crate::checked::RegisterId| Resolved { kind: Kind::Register(*id, *ty), span };
                expanded = ids.iter().map(one).collect();
                &expanded
            }
            other => {
                return misfit(
                    Code::OperandKind,
                    span,
                    format!("a vector is needed, not {}", other.describe()),
                );
            }
        };
        // `{a}` is `a` in 16 bits to ptxas; it takes no `_` there. In more bits it takes the word, but then moves a part of `a`
        // alone (13.0.88 and 13.5.37), and the PTX ISA has no such vector.
        if let ([one], Kind::Vector(_), 16) = (items.as_slice(), &operand.kind, total) {
            let value = Value::plain(TypeRef::Fixed(Type::B(total as u8)));
            return self.fit_value(value, written, one, form);
        }
        if items.iter().all(|i| matches!(i.kind, Kind::Sink)) {
            return misfit(Code::OperandKind, span, "a vector of nothing but `_`");
        }
        if !matches!(items.len(), 2 | 4 | 8) || !total.is_multiple_of(items.len() as u32) {
            return misfit(
                Code::OperandKind,
                span,
                format!("{} elements do not fill {total} bits", items.len()),
            );
        }
        let width = total / items.len() as u32;
        let element = TypeRef::Fixed(Type::B(width as u8));
        // What is read may be a special register: this is `mov` (PTX ISA, "Special Registers").
        let only = if written { Only::Any } else { Only::Special };
        let value = Value { sink: written, only, ..Value::plain(element) };
        let fitted: Result<SmallVec<[Box<Operand>; 4]>, Misfit> =
            items.iter().map(|i| self.fit_element(value, written, i, form)).collect();
        Ok(Operand::Vector(fitted?))
    }

    /// An element of a vector: a special register stands there whole.
    fn fit_element(
        &self,
        value: Value,
        written: bool,
        operand: &Resolved,
        form: &Form,
    ) -> Result<Box<Operand>, Misfit> {
        let fitted = self.fit_value(value, written, operand, form)?;
        let width = value.ty.resolve(form.types).width();
        match fitted {
            Operand::Special(special) if special.width() != width => {
                let message = format!("the special register has {} bits, not {width}", special.width());
                misfit(Code::OperandType, operand.span, message)
            }
            fitted => Ok(Box::new(fitted)),
        }
    }
}

/// Refuses an address that names a variable of another space.
fn named_in(operand: &Resolved, wanted: Space) -> Result<(), Misfit> {
    match &operand.kind {
        Kind::Address(Address { space: Some(has), span, .. }) => same_space(wanted, *has, *span),
        _ => Ok(()),
    }
}

fn same_space(wanted: Space, has: Space, span: Span) -> Result<(), Misfit> {
    if wanted == has {
        return Ok(());
    }
    let message = format!("the variable is in {}, not in {}", space_name(has), space_name(wanted));
    misfit(Code::SpaceMismatch, span, message)
}

/// A space's word.
pub(super) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Generic => "generic memory",
        Space::Global => "`.global`",
        Space::Shared => "`.shared`",
        Space::Local => "`.local`",
        Space::Const => "`.const`",
        Space::Param => "`.param`",
        Space::Bank(_) => "a constant bank",
    }
}

/// Whether the operand is one of a video instruction after which a part may be selected, or which is a whole register there.
fn selects(form: &Form, value: Value) -> bool {
    form.op == Op::Video
        && match value.only {
            Only::Part(selector) => selector != Selector::Negated,
            only => only == Only::Register,
        }
}

/// Whether a register of type `reg` may stand for a value of type `ty`.
fn stands(reg: Type, ty: Type, value: Value) -> Result<(), String> {
    if value.untyped && !matches!(reg, Type::B(_) | Type::F16x2) {
        return Err(format!("a `.{}` register where an untyped one is needed", reg.name()));
    }
    agree(reg, ty, value.relaxed)
}

/// Whether a register of type `reg` may stand for `want` (PTX ISA, "Operand Type Checking", "Operand Size Exceeding
/// Instruction-Type Size"; and how ptxas 13.0 applies them).
pub(super) fn agree(reg: Type, want: Type, relaxed: bool) -> Result<(), String> {
    let kinds = || Err(format!("a `.{}` register where `.{}` is needed", reg.name(), want.name()));
    match (reg, want) {
        (a, b) if a == b => return Ok(()),
        (Type::Pred, _) | (_, Type::Pred) => return kinds(),
        _ => {}
    }
    let (have, need) = (reg.width(), want.width());
    if have < need || (have > need && !relaxed) {
        return Err(format!(
            "a `.{}` register of {have} bits where `.{}` of {need} bits is needed",
            reg.name(),
            want.name()
        ));
    }
    let fits = match (reg, want) {
        // Untyped registers take everything, untyped instructions take all registers.
        (Type::B(_), _) | (_, Type::B(_)) => true,
        (Type::U(_) | Type::S(_), Type::U(_) | Type::S(_)) => true,
        // To ptxas a register of this type is an integer as well.
        (Type::F16x2, Type::U(_) | Type::S(_) | Type::U16x2 | Type::S16x2) => true,
        (Type::F(a), Type::F(b)) => a == b && a != FloatFormat::Bf16,
        _ => false,
    };
    if fits { Ok(()) } else { kinds() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_agree_as_in_the_manual() {
        let ty = |w| Type::parse(w).expect("a type");
        let ok = |reg, want, relaxed| agree(ty(reg), ty(want), relaxed).is_ok();
        assert!(ok("b32", "f32", false) && ok("f32", "b32", false) && ok("u32", "s32", false));
        assert!(!ok("f32", "s32", false) && !ok("b64", "b32", false) && !ok("u16", "u32", true));
        assert!(ok("b64", "u8", true) && ok("f64", "b32", true) && !ok("f64", "f32", true));
        assert!(ok("b32", "f16x2", false) && !ok("u32", "f16x2", false) && ok("f16", "f16", false));
        assert!(!ok("pred", "b32", true) && ok("pred", "pred", false));
    }
}
