//! Statements of a function.

use super::Checker;
use super::operand::{Kind, Reported};
use super::pragma::nounroll;
use super::scope::Entity;
use crate::ast::{Block, Name, Prototype, Statement};
use crate::checked::{self, Label, LabelId, Param};
use crate::diagnostics::Code;

impl Checker {
    pub(super) fn block_statements(&mut self, block: &Block) {
        self.labels(block);
        for statement in &block.statements {
            match statement {
                Statement::Label(name) => self.place(name),
                Statement::Instruction(inst) => self.instruction(inst),
                Statement::Variable(v) => self.local_variable(v),
                Statement::Block(inner) => {
                    self.scopes.push();
                    self.block_statements(inner);
                    self.scopes.pop();
                }
                Statement::BranchTargets(name, targets) => self.branch_targets(name, targets),
                Statement::CallTargets(name, targets) => self.call_targets(name, targets),
                Statement::CallPrototype(p) => self.call_prototype(p),
                Statement::Loc(loc) => self.location(loc),
                Statement::Pragma(texts) => {
                    self.pragmas(texts);
                    if nounroll(texts) {
                        let here = self.body.insts.len() as u32;
                        self.body.function.nounroll.push(here);
                    }
                }
                Statement::Section(_) => {}
            }
        }
    }

    /// Declares the labels of a block: a branch may stand before its target.
    fn labels(&mut self, block: &Block) {
        for statement in &block.statements {
            let (name, entity) = match statement {
                Statement::Label(name) => {
                    let id = LabelId(self.body.function.labels.len() as u32);
                    self.body.function.labels.push(Label { name: name.text.clone(), target: u32::MAX });
                    (name, Entity::Label(id))
                }
                Statement::BranchTargets(name, _) => (name, Entity::Targets),
                Statement::CallTargets(name, _) => (name, Entity::Prototype),
                Statement::CallPrototype(p) => (&p.name, Entity::Prototype),
                _ => continue,
            };
            if let Err(earlier) = self.scopes.declare(&name.text, entity, name.span) {
                self.duplicate(&name.text, name.span, earlier);
            }
        }
    }

    /// Gives a label its place.
    fn place(&mut self, name: &Name) {
        let here = self.body.insts.len() as u32;
        let Ok(Kind::Label(id)) = self.lookup(name) else { return };
        let labels = &mut self.body.function.labels;
        if labels[id.0 as usize].target == u32::MAX {
            labels[id.0 as usize].target = here;
            return;
        }
        // A duplicate, which was reported, leaves a label without a place.
        for label in labels.iter_mut().filter(|l| l.name == name.text && l.target == u32::MAX) {
            label.target = here;
        }
    }

    fn branch_targets(&mut self, name: &Name, targets: &[Name]) {
        let mut list = Vec::new();
        for target in targets {
            match self.scopes.find(&target.text) {
                Some(super::scope::Found::Entity(Entity::Label(id))) => list.push(*id),
                _ => {
                    let message = format!("`{}` is no label of this function", target.text);
                    self.error(Code::UndefinedLabel, target.span, message);
                }
            }
        }
        if self.body.function.branch_targets.insert(name.text.clone(), list).is_some() {
            let message = format!("a second `.branchtargets` named `{}` in one function", name.text);
            self.error(Code::UnsupportedDirective, name.span, message);
        }
    }

    fn call_targets(&mut self, name: &Name, targets: &[Name]) {
        let mut prototype = checked::Prototype::default();
        for (i, target) in targets.iter().enumerate() {
            let Ok(Kind::Function(id)) = self.lookup(target) else {
                self.error(Code::WrongEntity, target.span, format!("`{}` is no function", target.text));
                continue;
            };
            prototype.targets.push(id);
            if i == 0 {
                let f = &self.module.functions[id.0 as usize];
                (prototype.returns, prototype.params) = (f.returns.clone(), f.params.clone());
            }
        }
        self.add_prototype(name, prototype);
    }

    fn call_prototype(&mut self, p: &Prototype) {
        let list = |this: &mut Self,
                    list: &Option<Vec<crate::ast::Variable>>|
         -> Result<Vec<Param>, Reported> {
            let list: Vec<_> = list.as_deref().unwrap_or(&[]).iter().map(|v| this.param(v, false)).collect();
            list.into_iter().collect()
        };
        let (Ok(returns), Ok(params)) = (list(self, &p.returns), list(self, &p.params)) else { return };
        for d in p.directives.iter().filter(|d| d.name.text != "noreturn") {
            let message = format!("`.{}` is not supported yet", d.name.text);
            self.error(Code::UnsupportedDirective, d.name.span, message);
        }
        self.add_prototype(&p.name, checked::Prototype { returns, params, targets: Vec::new() });
    }

    fn add_prototype(&mut self, name: &Name, prototype: checked::Prototype) {
        match self.body.function.prototypes.get(&name.text) {
            // The compiler names them by number and may repeat one; only one that differs cannot be kept.
            Some(earlier) if *earlier != prototype => {
                let message = format!("a second, different prototype named `{}` in one function", name.text);
                self.error(Code::UnsupportedDirective, name.span, message);
            }
            _ => {
                self.body.function.prototypes.insert(name.text.clone(), prototype);
            }
        }
    }
}
