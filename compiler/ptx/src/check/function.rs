//! Functions, parameters and performance directives.

use super::Checker;
use super::operand::Reported;
use super::pragma::{mark_all, nounroll};
use super::scope::Entity;
use crate::ast::{self, Argument, Directive};
use crate::checked::{Function, FunctionId, Inst, Param, RegisterId, VariableId};
use crate::diagnostics::{Code, Diagnostic};
use crate::table::Since;
use sassafras_chip::limits::THREADS_PER_BLOCK;
use sassafras_semantics::Space;

/// The function being checked.
#[derive(Default)]
pub(super) struct Body {
    pub function: Function,
    pub insts: Vec<Inst>,
    /// The instruction whose operands are being read.
    pub place: super::desugar::Place,
    /// Registers that hold a sum which stands for an operand: nothing is written there.
    pub sums: rustc_hash::FxHashSet<RegisterId>,
    /// Registers that were named as a component of a vector.
    pub components: rustc_hash::FxHashSet<RegisterId>,
}

/// Most bytes of an entry's parameters (PTX ISA, "Kernel Function Parameters"), from PTX 8.1 and sm_70 on and before.
const PARAM_BYTES: [(Since, u32); 2] = [(Since::new(8, 1, 70), 32764), (Since::new(1, 5, 0), 4352)];

impl Checker {
    pub(super) fn function(&mut self, f: &ast::Function) {
        for attribute in &f.attributes {
            let message = format!("`.attribute(.{})` is not supported yet", attribute.name.text);
            self.error(Code::UnsupportedDirective, attribute.name.span, message);
        }
        self.body = Body::default();
        self.arrays.retain(|id| matches!(id, VariableId::Module(_)));
        let linkage = f.linkage.as_ref().map(|n| n.text.as_str());
        let function = &mut self.body.function;
        function.name = f.name.text.clone();
        function.entry = f.entry;
        function.visible = matches!(linkage, Some("visible" | "weak"));
        function.weak = linkage == Some("weak");
        function.external = linkage == Some("extern");
        if linkage == Some("extern") && f.body.is_some() {
            let message = format!("`{}` is `.extern`, and has a body", f.name.text);
            self.error(Code::Duplicate, f.name.span, message);
        }
        // The scope of parameters and body; the function's own name goes into the one around it.
        let known = match self.scopes.find(&f.name.text) {
            Some(super::scope::Found::Entity(Entity::Function(id))) => Some(*id),
            _ => None,
        };
        let id = known.unwrap_or(FunctionId(self.module.functions.len() as u32));
        if known.is_none()
            && let Err(earlier) = self.scopes.declare(&f.name.text, Entity::Function(id), f.name.span)
        {
            return self.duplicate(&f.name.text, f.name.span, earlier);
        }
        self.scopes.push();
        self.params(f);
        self.directives(f);
        if known.is_none() {
            // Declared before its body is checked, so that it can call itself.
            self.module.functions.push(self.body.function.clone());
            self.names.push(f.name.span);
        } else if !self.redeclares(id, f) {
            self.scopes.pop();
            return;
        }
        if let Some(block) = &f.body {
            self.block_statements(block);
            self.body.function.insts = Some(std::mem::take(&mut self.body.insts));
            let texts =
                |d: &Directive| d.args.iter().any(|a| matches!(a, Argument::Text(t) if nounroll([t])));
            if f.directives.iter().any(|d| d.name.text == "pragma" && texts(d)) {
                mark_all(&mut self.body.function);
            }
            self.shared_memory(f.name.span);
        }
        self.scopes.pop();
        let mut function = std::mem::take(&mut self.body.function);
        if known.is_some() {
            let earlier = &self.module.functions[id.0 as usize];
            function.visible |= earlier.visible;
            function.weak |= earlier.weak;
            if function.insts.is_none() {
                return;
            }
        }
        self.module.functions[id.0 as usize] = function;
    }

    /// Whether a second declaration fits the first.
    fn redeclares(&mut self, id: FunctionId, f: &ast::Function) -> bool {
        let earlier = &self.module.functions[id.0 as usize];
        let now = &self.body.function;
        // As ptxas 13.0.88 has it: nothing follows the definition, and only a word of linkage may be left out.
        if earlier.insts.is_some() || earlier.entry != now.entry {
            self.error(Code::Duplicate, f.name.span, format!("`{}` is defined twice", f.name.text));
            return false;
        }
        let linkage = |f: &Function| (f.external, f.visible, f.weak);
        let left_out = linkage(now) == (false, false, false) && !earlier.external;
        if linkage(earlier) != linkage(now) && !left_out {
            let message = format!("`{}` was declared with another linkage", f.name.text);
            self.error(Code::Duplicate, f.name.span, message);
            return false;
        }
        let same = |a: &[Param], b: &[Param]| {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| (a.ty, a.size, a.align) == (b.ty, b.size, b.align))
        };
        if !same(&earlier.params, &now.params) || !same(&earlier.returns, &now.returns) {
            let message = format!("`{}` was declared with other parameters", f.name.text);
            self.error(Code::BadParameter, f.name.span, message);
            return false;
        }
        true
    }

    fn params(&mut self, f: &ast::Function) {
        if let (true, Some([first, ..])) = (f.entry, f.returns.as_deref()) {
            self.error(Code::BadParameter, first.span, "an entry returns nothing");
        }
        if let (true, Some([first, ..])) = (f.entry, f.params.as_deref()) {
            self.need(first.span, "an entry's list of parameters", Since::new(1, 4, 0), true);
        }
        let (returns, _) = self.param_list(f.returns.as_deref().unwrap_or(&[]), true, f.entry);
        self.body.function.returns = returns;
        let (params, size) = self.param_list(f.params.as_deref().unwrap_or(&[]), false, f.entry);
        self.body.function.params = params;
        self.body.function.param_size = size;
        if f.entry {
            let limit = PARAM_BYTES
                .iter()
                .find(|(since, _)| self.module.version >= since.version && self.sm >= since.sm)
                .map_or(256, |(_, bytes)| *bytes);
            if size > limit {
                let message = format!("{size} bytes of parameters; at most {limit} here");
                self.error(Code::BadParameter, f.name.span, message);
            }
        }
    }

    /// Parameters with their layout, declared in the current scope; and their total size.
    fn param_list(&mut self, list: &[ast::Variable], returned: bool, entry: bool) -> (Vec<Param>, u32) {
        let mut params = Vec::new();
        let mut offset = 0u32;
        for v in list {
            let Ok(mut param) = self.param(v, entry) else { continue };
            offset = offset.next_multiple_of(param.align);
            param.offset = offset;
            offset = match offset.checked_add(param.size) {
                Some(next) => next,
                None => {
                    self.error(Code::BadParameter, v.span, "the parameters take 4 GiB or more");
                    continue;
                }
            };
            let span = v.declarators[0].name.span;
            let lanes = v.vector.as_ref().map_or(1, |n| n.text.trim_start_matches('v').parse().unwrap_or(1));
            let entity = match v.space.text == "reg" {
                // A vector of registers is as many parameters as it has elements.
                true if lanes > 1 => {
                    let ids = self.add_registers(&param.name, param.ty, lanes);
                    let name = param.name.clone();
                    param.size = param.ty.bytes();
                    for id in &ids {
                        params.push(Param { register: Some(*id), ..param.clone() });
                    }
                    if let Err(earlier) = self.scopes.declare(&name, Entity::Registers(ids), span) {
                        self.duplicate(&name, span, earlier);
                    }
                    continue;
                }
                true => {
                    let id = self.add_register(&param.name, param.ty);
                    param.register = Some(id);
                    Entity::Register(id)
                }
                false => Entity::Param(params.len() as u32, returned),
            };
            if let Err(earlier) = self.scopes.declare(&param.name, entity, span) {
                self.duplicate(&param.name, span, earlier);
            }
            params.push(param);
        }
        (params, offset)
    }

    /// One parameter, at offset 0.
    pub(super) fn param(&mut self, v: &ast::Variable, entry: bool) -> Result<Param, Reported> {
        let d = &v.declarators[0];
        let space = v.space.text.as_str();
        if !(space == "param" || space == "reg" && !entry) {
            let message = format!("a parameter cannot be in `.{space}`");
            self.error(Code::BadParameter, v.space.span, message);
            return Err(Reported);
        }
        let shape = self.shape(v)?;
        let (size, _) = self.size(d, &shape)?;
        if d.init.is_some() || d.range.is_some() {
            self.error(Code::BadParameter, d.name.span, "a parameter is no range and has no initialiser");
            return Err(Reported);
        }
        if d.dims.first() == Some(&None) {
            let message = "a parameter without a size is not supported yet";
            self.error(Code::UnsupportedDirective, d.name.span, message);
            return Err(Reported);
        }
        if space == "reg" && !d.dims.is_empty() {
            self.error(Code::BadParameter, d.name.span, "a `.reg` parameter is no array");
            return Err(Reported);
        }
        let (Ok(size), Ok(align)) = (u32::try_from(size), u32::try_from(shape.align)) else {
            self.error(Code::BadParameter, d.name.span, "the parameter takes 4 GiB or more");
            return Err(Reported);
        };
        let mut pointer = None;
        if let Some(p) = &v.pointer {
            let to = match &p.space {
                None => Space::Generic,
                Some(name) => match super::mods::space(&name.text) {
                    Some(space @ (Space::Global | Space::Const | Space::Shared | Space::Local)) => space,
                    _ => {
                        self.error(Code::BadParameter, name.span, "`.ptr` to no space of memory");
                        return Err(Reported);
                    }
                },
            };
            let align = match &p.align {
                Some(e) => self.alignment(e)? as u32,
                None => 4,
            };
            pointer = Some((to, align));
        }
        Ok(Param { name: d.name.text.clone(), ty: shape.ty, offset: 0, size, align, pointer, register: None })
    }

    fn directives(&mut self, f: &ast::Function) {
        for d in &f.directives {
            let entry_only = !matches!(d.name.text.as_str(), "pragma" | "noreturn");
            if entry_only && !f.entry && !known_unsupported(&d.name.text) {
                let message = format!("`.{}` belongs to an entry", d.name.text);
                self.error(Code::BadDirective, d.name.span, message);
                continue;
            }
            self.directive(d);
        }
        let (most, exact) = (self.body.function.maxntid, self.body.function.reqntid);
        if most.is_some() && exact.is_some() {
            self.error(Code::BadDirective, f.name.span, "`.maxntid` and `.reqntid` cannot stand together");
        }
        if self.body.function.reqnctapercluster.is_some() && self.body.function.maxclusterrank.is_some() {
            let message = "`.reqnctapercluster` and `.maxclusterrank` cannot stand together";
            self.error(Code::BadDirective, f.name.span, message);
        }
        let block = most.or(exact);
        if let Some(threads) = block.map(|b| b.iter().fold(1u64, |all, n| all.saturating_mul((*n).into())))
            && threads > THREADS_PER_BLOCK.into()
        {
            let message = format!("blocks of {threads} threads; the most is {THREADS_PER_BLOCK}");
            let help = Some("no launch can use such a block".to_owned());
            let code = Code::OversizedBlock;
            self.diagnostics.add(Diagnostic { code, message, span: f.name.span, related: None, help });
        }
    }

    fn directive(&mut self, d: &Directive) {
        let name = d.name.text.as_str();
        match name {
            "maxntid" => self.body.function.maxntid = self.sizes(d),
            "reqntid" => {
                self.need(d.name.span, ".reqntid", Since::new(2, 1, 0), true);
                self.body.function.reqntid = self.sizes(d);
            }
            "minnctapersm" => {
                self.need(d.name.span, ".minnctapersm", Since::new(2, 0, 0), true);
                self.body.function.minnctapersm = self.sizes(d).map(|s| s[0]);
            }
            // The deprecated name of the same (PTX ISA, `.maxnctapersm`).
            "maxnctapersm" => self.body.function.minnctapersm = self.sizes(d).map(|s| s[0]),
            "maxnreg" => self.body.function.maxnreg = self.sizes(d).map(|s| s[0]),
            "reqnctapercluster" => {
                self.need(d.name.span, ".reqnctapercluster", Since::new(7, 8, 90), true);
                self.body.function.reqnctapercluster = self.sizes(d);
            }
            "maxclusterrank" => {
                self.need(d.name.span, ".maxclusterrank", Since::new(7, 8, 90), true);
                self.body.function.maxclusterrank = self.sizes(d).map(|s| s[0]);
            }
            "explicitcluster" => {
                self.need(d.name.span, ".explicitcluster", Since::new(7, 8, 90), true);
                if !d.args.is_empty() {
                    self.error(Code::BadDirective, d.name.span, "`.explicitcluster` takes no numbers");
                }
                self.body.function.explicitcluster = true;
            }
            "noreturn" => {
                self.need(d.name.span, ".noreturn", Since::new(6, 4, 30), true);
                self.body.function.noreturn = true;
            }
            "pragma" => {
                let texts = d.args.iter().filter_map(|arg| match arg {
                    Argument::Text(text) => Some(text),
                    Argument::Value(_) => None,
                });
                self.pragmas(texts);
            }
            _ if known_unsupported(name) => {
                self.error(
                    Code::UnsupportedDirective,
                    d.name.span,
                    format!("`.{name}` is not supported yet"),
                );
            }
            _ => self.error(Code::UnknownDirective, d.name.span, format!("unknown directive `.{name}`")),
        }
    }

    /// One to three positive numbers (one where only one can be), the missing ones being 1.
    fn sizes(&mut self, d: &Directive) -> Option<[u32; 3]> {
        let most =
            if matches!(d.name.text.as_str(), "maxntid" | "reqntid" | "reqnctapercluster") { 3 } else { 1 };
        if d.args.is_empty() || d.args.len() > most {
            let message = format!("`.{}` takes 1 to {most} numbers", d.name.text);
            self.error(Code::BadDirective, d.name.span, message);
            return None;
        }
        let mut sizes = [1; 3];
        for (size, arg) in sizes.iter_mut().zip(&d.args) {
            let value = match arg {
                Argument::Value(e) => self.integer(e).ok()?,
                Argument::Text(_) => 0,
            };
            match u32::try_from(value) {
                Ok(value @ 1..) => *size = value,
                _ => {
                    let message = format!("`.{}` takes positive numbers of 32 bits", d.name.text);
                    self.error(Code::BadDirective, d.name.span, message);
                    return None;
                }
            }
        }
        Some(sizes)
    }
}

/// Directives of the PTX ISA that are not supported.
fn known_unsupported(name: &str) -> bool {
    matches!(name, "blocksareclusters" | "abi_preserve" | "abi_preserve_control" | "language")
}
