//! Variables and their initialisers.

use super::Checker;
use super::mods::space;
use super::operand::{Kind, Reported, has_symbol};
use super::scope::Entity;
use crate::ast::{self, BinaryOp, Expr, Init};
use crate::checked::{FunctionId, InitAddress, Type, Variable, VariableId};
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Span;
use crate::table::Since;
use sassafras_semantics::{FloatFormat, Space};

/// The most bytes of one initialiser; a bound on memory, far above any module's size.
const MOST_BYTES: u64 = 1 << 28;

/// The most bytes of a variable: sections of a cubin have sizes of 32 bits.
const MOST_SIZE: u64 = u32::MAX as u64;

/// Type, element count and alignment of a declaration.
pub(super) struct Shape {
    pub ty: Type,
    /// Elements of the vector, 1 if none.
    pub lanes: u64,
    /// Bytes.
    pub align: u64,
}

/// What declarations of one variable have in common besides space and type.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// Elements of the vector, 1 if none.
    lanes: u64,
    /// Dimensions of the array, the first 0 where it is left open; none for a scalar.
    dims: Vec<u64>,
    /// Where the name is written.
    span: Span,
}

impl Form {
    fn like(&self, other: &Form) -> bool {
        let open = |(a, b): (&u64, &u64)| a == b || *a == 0 || *b == 0;
        self.lanes == other.lanes
            && self.dims.len() == other.dims.len()
            && self.dims.iter().zip(&other.dims).all(open)
    }
}

/// An address as an initial value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Initial {
    Variable { symbol: VariableId, addend: i64, generic: bool },
    Function(FunctionId),
}

/// One byte of an address, of which the next must follow.
pub(super) struct Part {
    offset: u64,
    byte: u64,
    address: Initial,
    span: Span,
}

impl Checker {
    pub(super) fn module_variable(&mut self, v: &ast::Variable) {
        for (variable, name, form) in self.variables(v) {
            let id = VariableId::Module(self.module.variables.len() as u32);
            if self.scopes.find(&variable.name).is_some() {
                self.redeclare(variable, name, form);
                continue;
            }
            self.arrays.extend((!form.dims.is_empty()).then_some(id));
            self.forms.insert(variable.name.clone(), form);
            self.declare_variable(variable, name, id, true);
        }
    }

    pub(super) fn local_variable(&mut self, v: &ast::Variable) {
        if v.space.text == "reg" {
            return self.registers(v);
        }
        if v.space.text == "param" && self.module.version < (2, 0) {
            return self.old_parameter(v);
        }
        for (variable, name, form) in self.variables(v) {
            let id = VariableId::Local(self.body.function.variables.len() as u32);
            self.arrays.extend((!form.dims.is_empty()).then_some(id));
            self.declare_variable(variable, name, id, false);
        }
    }

    fn declare_variable(&mut self, variable: Variable, name: Span, id: VariableId, module: bool) {
        if let Err(earlier) = self.scopes.declare(&variable.name, Entity::Variable(id), name) {
            return self.duplicate(&variable.name, name, earlier);
        }
        if module {
            self.module.variables.push(variable);
        } else {
            self.body.function.variables.push(variable);
        }
    }

    /// Another declaration of a module's variable: `.extern` ones may stand beside one definition, which comes with `.visible`, `.weak` or
    /// `.common` if it comes later (PTX ISA, "Linking Directives"; black-box runs of ptxas 13.0.88).
    fn redeclare(&mut self, variable: Variable, name: Span, form: Form) {
        let known = self.module.variables.iter().position(|v| v.name == variable.name);
        let Some((at, earlier)) = known.zip(self.forms.get(&variable.name)) else {
            let entity = Entity::Variable(VariableId::Module(0));
            if let Err(earlier) = self.scopes.declare(&variable.name, entity, name) {
                self.duplicate(&variable.name, name, earlier);
            }
            return;
        };
        let first = &self.module.variables[at];
        if !(first.external || variable.external) {
            let earlier = earlier.span;
            return self.duplicate(&variable.name, name, earlier);
        }
        let alike = first.space == variable.space && first.ty == variable.ty && earlier.like(&form);
        let message = match () {
            () if !alike => "was declared with another space or type",
            () if first.external && !variable.external && !variable.visible => {
                "was declared `.extern`, and is not `.visible` here"
            }
            () => {
                if first.external {
                    // A declaration without a size leaves the size that was known.
                    if !(variable.external && variable.size == 0) {
                        self.module.variables[at] = variable.clone();
                        self.forms.insert(variable.name, form);
                    }
                }
                return;
            }
        };
        let message = format!("`{}` {message}", variable.name);
        let related = Some((earlier.span, "first declared here".to_owned()));
        self.diagnostics.add(Diagnostic { code: Code::Duplicate, message, span: name, related, help: None });
    }

    pub(super) fn duplicate(&mut self, name: &str, span: Span, earlier: Span) {
        let message = format!("`{name}` is declared twice");
        let related = Some((earlier, "first declared here".to_owned()));
        self.diagnostics.add(Diagnostic { code: Code::Duplicate, message, span, related, help: None });
    }

    /// Whether a name, or the range `%r<9>` that it would be of, was declared and refused.
    pub(super) fn was_refused(&self, name: &str) -> bool {
        self.refused.contains(name)
            || self.refused.contains(name.trim_end_matches(|c: char| c.is_ascii_digit()))
    }

    /// The type of a declaration; reports those that cannot be, and notes their names.
    pub(super) fn shape(&mut self, v: &ast::Variable) -> Result<Shape, Reported> {
        let shape = self.shape_of(v);
        if shape.is_err() {
            self.refused.extend(v.declarators.iter().map(|d| d.name.text.clone()));
        }
        shape
    }

    fn shape_of(&mut self, v: &ast::Variable) -> Result<Shape, Reported> {
        let Some(ty) = Type::parse(&v.ty.text) else {
            let opaque = ["texref", "samplerref", "surfref", "b1024", "bf16x4", "f32x2"];
            let (code, what) = match opaque.contains(&v.ty.text.as_str()) {
                true => (Code::UnsupportedType, "is not supported yet"),
                false => (Code::BadType, "is no type"),
            };
            self.error(code, v.ty.span, format!("`.{}` {what}", v.ty.text));
            return Err(Reported);
        };
        let register = v.space.text == "reg";
        if matches!(
            ty,
            Type::U(2 | 4) | Type::S(2 | 4) | Type::B(1) | Type::Tf32 | Type::Fp8x2(_) | Type::Format(..)
        ) || matches!(ty, Type::F(format) if format.is_fp8())
            || matches!(ty, Type::F(FloatFormat::Bf16)) && register
        {
            self.error(Code::BadType, v.ty.span, format!("no variable has type `.{}`", v.ty.text));
            return Err(Reported);
        }
        if ty == Type::B(128) {
            self.need(v.ty.span, ".b128", Since::new(8, 3, 70), true);
        }
        if ty == Type::Pred && !register {
            self.error(Code::BadType, v.ty.span, "a predicate can only be a register");
            return Err(Reported);
        }
        let lanes = match v.vector.as_ref().map(|n| n.text.as_str()) {
            None => 1,
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
        };
        let bytes = u64::from(ty.bytes()) * lanes;
        if lanes > 1 && (ty == Type::Pred || u64::from(ty.width()) * lanes > 128) {
            let message = format!("no vector has {lanes} elements of type `.{}`", v.ty.text);
            self.error(Code::BadType, v.ty.span, message);
            return Err(Reported);
        }
        let mut align = bytes;
        if let Some(e) = &v.align {
            align = self.alignment(e)?;
        }
        Ok(Shape { ty, lanes, align })
    }

    pub(super) fn alignment(&mut self, e: &Expr) -> Result<u64, Reported> {
        let align = self.integer(e)?;
        if !align.is_power_of_two() || align > 1 << 20 {
            self.error(Code::BadAlignment, e.span(), format!("{align} is no power of two up to 2^20"));
            return Err(Reported);
        }
        Ok(align)
    }

    /// Bytes of a declarator, 0 for `x[]`; and its dimensions.
    pub(super) fn size(&mut self, d: &ast::Declarator, shape: &Shape) -> Result<(u64, Vec<u64>), Reported> {
        let mut size = u64::from(shape.ty.bytes()) * shape.lanes;
        let mut dims = Vec::new();
        for (i, dim) in d.dims.iter().enumerate() {
            let count = match dim {
                Some(e) => match self.integer(e)? {
                    n if n == 0 || n > i64::MAX as u64 => {
                        self.error(Code::BadSize, e.span(), "an array has at least one element");
                        return Err(Reported);
                    }
                    n => n,
                },
                None if i == 0 => 0,
                None => {
                    self.error(Code::BadSize, d.name.span, "only the first size can be left out");
                    return Err(Reported);
                }
            };
            dims.push(count);
            size = match size.checked_mul(count).filter(|s| *s <= i64::MAX as u64) {
                Some(size) => size,
                None => {
                    self.error(Code::BadSize, d.name.span, format!("`{}` is too large", d.name.text));
                    return Err(Reported);
                }
            };
        }
        Ok((size, dims))
    }

    /// The variables of a declaration, with the place of each name, and whether it is an array.
    fn variables(&mut self, v: &ast::Variable) -> Vec<(Variable, Span, Form)> {
        if v.space.text == "tex" && self.module.version >= (1, 5) {
            self.error(Code::BadDirective, v.space.span, "`.tex` variables are gone since PTX 1.5");
            return Vec::new();
        }
        let Some(in_space) = space(&v.space.text) else {
            self.error(
                Code::UnsupportedDirective,
                v.space.span,
                format!("`.{}` variables are not supported", v.space.text),
            );
            return Vec::new();
        };
        if in_space == Space::Param && self.body.function.name.is_empty() {
            self.error(Code::BadDirective, v.space.span, "a `.param` variable outside of a function");
            return Vec::new();
        }
        if in_space == Space::Local && self.body.function.name.is_empty() {
            self.error(Code::BadDirective, v.space.span, "a `.local` variable outside of a function");
            return Vec::new();
        }
        let managed = self.managed(v, in_space);
        let Ok(shape) = self.shape(v) else { return Vec::new() };
        let linkage = v.linkage.as_ref().map(|n| n.text.as_str());
        let mut list = Vec::new();
        for d in &v.declarators {
            let Ok((size, dims)) = self.size(d, &shape) else { continue };
            if let Some(range) = &d.range {
                self.error(Code::BadDirective, range.span(), "only registers are declared as a range");
                continue;
            }
            if size > MOST_SIZE {
                let message = format!("`{}` has {size} bytes; a variable has less than 4 GiB", d.name.text);
                self.error(Code::BadSize, d.name.span, message);
                continue;
            }
            if matches!(in_space, Space::Global | Space::Const) && linkage != Some("extern") {
                let before = self.bytes;
                self.bytes = before.saturating_add(size);
                if self.bytes > MOST_SIZE && before <= MOST_SIZE {
                    let message = "the module's variables have 4 GiB or more together";
                    self.error(Code::BadSize, d.name.span, message);
                }
            }
            let mut variable = Variable {
                name: d.name.text.clone(),
                space: in_space,
                ty: shape.ty,
                size,
                align: shape.align,
                init: None,
                init_addresses: Vec::new(),
                init_functions: Vec::new(),
                external: linkage == Some("extern"),
                visible: matches!(linkage, Some("visible" | "weak" | "common")),
                weak: linkage == Some("weak"),
                managed,
            };
            let unsized_ = dims.first() == Some(&0);
            match &d.init {
                Some(init) if matches!(in_space, Space::Global | Space::Const) => {
                    let Ok(()) = self.initialise(&mut variable, &shape, &dims, init, d.name.span) else {
                        continue;
                    };
                }
                Some(_) => {
                    let message = format!("`{}` is not in `.global` or `.const` memory", d.name.text);
                    self.error(Code::InitialiserSpace, d.name.span, message);
                }
                None if unsized_ && !variable.external && in_space != Space::Param => {
                    self.error(Code::BadSize, d.name.span, format!("`{}` has no size", d.name.text));
                    continue;
                }
                None => {}
            }
            list.push((variable, d.name.span, Form { lanes: shape.lanes, dims, span: d.name.span }));
        }
        list
    }

    fn initialise(
        &mut self,
        variable: &mut Variable,
        shape: &Shape,
        dims: &[u64],
        init: &Init,
        span: Span,
    ) -> Result<(), Reported> {
        let element = u64::from(shape.ty.bytes());
        let mut dims = dims.to_vec();
        if dims.first() == Some(&0) {
            dims[0] = match init {
                Init::List(items) => items.len() as u64,
                Init::Value(_) => 1,
            };
            variable.size = dims.iter().product::<u64>() * element * shape.lanes;
        }
        if shape.lanes > 1 {
            dims.push(shape.lanes);
        }
        if variable.size > MOST_BYTES {
            self.error(Code::BadSize, span, "an initialised variable of more than 256 MiB");
            return Err(Reported);
        }
        let mut bytes = Vec::new();
        self.parts.clear();
        self.fill(variable, &mut bytes, 0, &dims, init, span)?;
        if let Some(part) = self.parts.pop() {
            let message = "a part of an address without the parts behind it is not supported";
            self.error(Code::UnsupportedInitialiser, part.span, message);
            return Err(Reported);
        }
        variable.init = Some(bytes);
        Ok(())
    }

    /// Writes an initialiser for `dims` at `offset`.
    fn fill(
        &mut self,
        variable: &mut Variable,
        bytes: &mut Vec<u8>,
        offset: u64,
        dims: &[u64],
        init: &Init,
        span: Span,
    ) -> Result<(), Reported> {
        let element = u64::from(variable.ty.bytes());
        match (init, dims) {
            (Init::List(items), [count, inner @ ..]) => {
                if items.len() as u64 > *count {
                    let message =
                        format!("{} values for {count} elements of `{}`", items.len(), variable.name);
                    let first_extra = usize::try_from(*count).ok().and_then(|i| items.get(i));
                    let place = match first_extra {
                        Some(Init::Value(e)) => e.span(),
                        _ => span,
                    };
                    self.error(Code::BadInitialiser, place, message);
                    return Err(Reported);
                }
                let stride = inner.iter().product::<u64>() * element;
                for (i, item) in items.iter().enumerate() {
                    self.fill(variable, bytes, offset + i as u64 * stride, inner, item, span)?;
                }
                Ok(())
            }
            (Init::Value(e), []) => {
                let value = self.initial_value(variable, offset, e)?;
                let end = (offset + element) as usize;
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                let width = (element as usize).min(8);
                bytes[offset as usize..offset as usize + width]
                    .copy_from_slice(&value.to_le_bytes()[..width]);
                Ok(())
            }
            (Init::List(_), []) => {
                self.error(Code::BadInitialiser, span, "a list in braces for a single value");
                Err(Reported)
            }
            (Init::Value(e), _) => {
                self.error(Code::BadInitialiser, e.span(), "a list in braces is needed for an array");
                Err(Reported)
            }
        }
    }

    /// The bits of one element; an address gives zero and an entry in the list of addresses.
    fn initial_value(&mut self, variable: &mut Variable, offset: u64, e: &Expr) -> Result<u64, Reported> {
        let ty = variable.ty;
        if !has_symbol(e) {
            let half =
                matches!(ty, Type::F(FloatFormat::F16 | FloatFormat::Bf16) | Type::F16x2 | Type::Bf16x2);
            let constant = self.constant(e)?;
            return match constant.bits(ty) {
                Some(bits) if !half => Ok(bits),
                _ => {
                    let message = format!("the value is no constant of type `.{}`", ty.name());
                    self.error(Code::BadInitialiser, e.span(), message);
                    Err(Reported)
                }
            };
        }
        if let Expr::Mask(mask, inner) = e {
            return self.masked_value(variable, offset, mask, inner);
        }
        let address = self.initial_address(e)?;
        if !matches!(ty, Type::U(32 | 64)) {
            self.error(
                Code::BadInitialiser,
                e.span(),
                format!("an address does not fit in a `.{}`", ty.name()),
            );
            return Err(Reported);
        }
        let bytes = (ty.width() / 8) as u8;
        // The place of a constant in its bank has 32 bits at most; ptxas 13.0.88 writes 64 bits of other addresses over the next element too.
        let short = match address {
            Initial::Variable { symbol, generic, .. } => {
                self.variable(symbol).space == Space::Const && !generic
            }
            Initial::Function(_) => false,
        };
        if bytes != 8 && !short {
            let message = "an address in 32 bits is supported of variables in `.const` memory only";
            self.error(Code::UnsupportedInitialiser, e.span(), message);
            return Err(Reported);
        }
        match address {
            Initial::Variable { symbol, addend, generic } => {
                variable.init_addresses.push(InitAddress { offset, symbol, addend, generic, bytes });
            }
            Initial::Function(function) => variable.init_functions.push((offset, function)),
        }
        Ok(0)
    }

    /// `x`, `x+4`, `generic(x)+4`, `f`.
    fn initial_address(&mut self, e: &Expr) -> Result<Initial, Reported> {
        let (base, addend) = match e {
            Expr::Binary(BinaryOp::Add, base, constant) => (&**base, self.integer(constant)? as i64),
            other => (other, 0),
        };
        let (name, generic) = match base {
            Expr::Symbol(name) => (name, false),
            Expr::Call(word, inner) => match &**inner {
                Expr::Symbol(name) if word.text == "generic" => (name, true),
                _ => {
                    self.error(
                        Code::BadInitialiser,
                        base.span(),
                        "only `generic` makes an address of a name",
                    );
                    return Err(Reported);
                }
            },
            _ => {
                self.error(Code::BadInitialiser, base.span(), "an initial value is a constant or an address");
                return Err(Reported);
            }
        };
        match self.lookup(name)? {
            Kind::Variable(symbol, _)
                if matches!(self.variable(symbol).space, Space::Global | Space::Const) =>
            {
                Ok(Initial::Variable { symbol, addend, generic })
            }
            Kind::Function(function) if addend == 0 && !generic => Ok(Initial::Function(function)),
            other => {
                let message = format!("{} cannot be an initial value", other.describe());
                self.error(Code::BadInitialiser, e.span(), message);
                Err(Reported)
            }
        }
    }

    /// `0xFF00(x)`: one byte of an address, shifted down (PTX ISA, "Initializers"). Eight in a row are the whole of it; nothing else is
    /// supported.
    fn masked_value(
        &mut self,
        variable: &mut Variable,
        offset: u64,
        mask: &ast::Name,
        inner: &Expr,
    ) -> Result<u64, Reported> {
        let byte = super::constant::integer(&mask.text)
            .and_then(|(bits, _)| (0..8).find(|k| bits == 0xff << (8 * k)));
        let Some(byte) = byte else {
            self.error(Code::BadInitialiser, mask.span, "a mask is `0xFF` of one byte");
            return Err(Reported);
        };
        if !matches!(variable.ty, Type::U(8 | 64)) {
            let message = format!("a part of an address does not fit in a `.{}`", variable.ty.name());
            self.error(Code::BadInitialiser, mask.span, message);
            return Err(Reported);
        }
        if !has_symbol(inner) {
            return Ok(self.integer(inner)? >> (8 * byte) & 0xff);
        }
        let address = self.initial_address(inner)?;
        let started = self.parts.last().map(|p: &Part| (p.offset + 1, p.byte + 1, p.address));
        if variable.ty != Type::U(8) || (byte > 0 && started != Some((offset, byte, address))) {
            let message = "a part of an address without the parts before it is not supported";
            self.error(Code::UnsupportedInitialiser, inner.span(), message);
            return Err(Reported);
        }
        self.parts.push(Part { offset, byte, address, span: inner.span() });
        if byte == 7 {
            let offset = offset - 7;
            match address {
                Initial::Variable { symbol, addend, generic } => {
                    variable.init_addresses.push(InitAddress { offset, symbol, addend, generic, bytes: 8 });
                }
                Initial::Function(function) => variable.init_functions.push((offset, function)),
            }
            self.parts.truncate(self.parts.len() - 8);
        }
        Ok(0)
    }

    /// `.reg` declarations.
    fn registers(&mut self, v: &ast::Variable) {
        let Ok(shape) = self.shape(v) else { return };
        for d in &v.declarators {
            if !d.dims.is_empty() || d.init.is_some() {
                self.error(Code::BadDirective, d.name.span, "a register is no array and has no initialiser");
                continue;
            }
            let declared = match &d.range {
                Some(e) => {
                    let Ok(count) = self.integer(e) else { continue };
                    let lanes = shape.lanes as u8;
                    self.scopes.declare_range(&d.name.text, count, shape.ty, lanes, d.name.span)
                }
                None if shape.lanes > 1 => {
                    let ids = self.add_registers(&d.name.text, shape.ty, shape.lanes as u8);
                    self.scopes.declare(&d.name.text, Entity::Registers(ids), d.name.span)
                }
                None => {
                    let id = self.add_register(&d.name.text, shape.ty);
                    self.scopes.declare(&d.name.text, Entity::Register(id), d.name.span)
                }
            };
            if let Err(earlier) = declared {
                self.duplicate(&d.name.text, d.name.span, earlier);
            }
        }
    }
}
