//! Calls of functions that may call themselves: what is live behind a call waits on a stack in local memory.
//!
//! The stack grows down from the kernel's frame. The variable `stack` points to the frame of the activation that runs: the number of the
//! site that it was entered from, its own local variables, then what the caller put aside.

use crate::context::{Context, Result};
use crate::flow::FlatBlock;
use crate::variables::FRAME_ALIGN;
use sassafras_ir::{MemoryAccess, Op, Type, Value};
use sassafras_semantics::Space;

/// An access to the stack.
fn access(offset: u32, ty: Type) -> MemoryAccess {
    MemoryAccess { offset: offset as i32, ..MemoryAccess::weak(Space::Local, (ty.bits() / 8) as u8) }
}

/// The width in which a variable is put aside.
fn kept(ty: Type) -> Type {
    if ty.bits() < 32 { Type::I32 } else { ty }
}

impl Context<'_, '_> {
    /// Variables that are put aside at a site with their offsets in the frame, and the frame's size.
    fn layout(&self, site: usize) -> (Vec<(u32, u32)>, u32) {
        let mut end = self.symbols.frame(self.flat.sites[site].instance);
        let mut all = Vec::new();
        for variable in self.flow.saved(site) {
            let bytes = kept(self.variable_type(variable)).bits() / 8;
            let at = end.next_multiple_of(bytes);
            all.push((variable, at));
            end = at + bytes;
        }
        (all, end.next_multiple_of(FRAME_ALIGN))
    }

    /// Where the stack is before anything was called.
    pub(crate) fn start_stack(&mut self) {
        if let Some(variable) = self.symbols.stack {
            let value = self.b().value(Op::Address(variable, 0), &[], Type::I32);
            self.set(self.flow.stack, value);
        }
    }

    pub(crate) fn save(&mut self, site: usize) {
        let (saved, size) = self.layout(site);
        let above = self.read(self.flow.stack);
        let size = self.b().i32(size);
        let frame = self.b().sub(above, size);
        for (variable, at) in saved {
            let value = self.read(variable);
            let ty = kept(self.function.ty(value));
            let value = self.resize(value, ty, false);
            self.b().emit(Op::Store(access(at, ty)), &[frame, value], &[]);
        }
        let number = self.b().i32(site as u32);
        self.b().emit(Op::Store(access(0, Type::I32)), &[frame, number], &[]);
    }

    pub(crate) fn enter(&mut self, site: usize) {
        let (_, size) = self.layout(site);
        let above = self.read(self.flow.stack);
        let size = self.b().i32(size);
        let frame = self.b().sub(above, size);
        self.set(self.flow.stack, frame);
    }

    pub(crate) fn resume(&mut self, site: usize) {
        let (saved, size) = self.layout(site);
        let frame = self.read(self.flow.stack);
        for (variable, at) in saved {
            let ty = self.variable_type(variable);
            let wide = kept(ty);
            let value = self.b().value(Op::Load(access(at, wide)), &[frame], wide);
            let value = self.resize(value, ty, false);
            self.set(variable, value);
        }
        let size = self.b().i32(size);
        let above = self.b().add(frame, size);
        self.set(self.flow.stack, above);
    }

    /// Which of the sites that enter an activation it was entered from.
    pub(crate) fn site_index(&mut self, instance: usize) -> Value {
        let frame = self.read(self.flow.stack);
        let number = self.b().value(Op::Load(access(0, Type::I32)), &[frame], Type::I32);
        // Sites are numbered over the kernel; the targets are those of this activation.
        let mut index = self.b().i32(0);
        let sites = self.flat.sites.iter().enumerate().filter(|(_, s)| s.instance == instance);
        for (n, (site, _)) in sites.enumerate().skip(1) {
            let (site, n) = (self.b().i32(site as u32), self.b().i32(n as u32));
            let here = self.b().compare(sassafras_ir::Compare::Eq, number, site);
            index = self.b().select(here, n, index);
        }
        index
    }

    /// A function's number in the module, from what stands for its address.
    pub(crate) fn function_index(&mut self, address: Value) -> Result<Value> {
        let word = self.resize(address, Type::I32, false);
        let number = self.b().lshr_by(word, crate::variables::FUNCTION_STRIDE.trailing_zeros());
        let one = self.b().i32(1);
        Ok(self.b().sub(number, one))
    }
}

/// Blocks that belong to a site: where it saves, where it resumes, and what follows.
#[derive(Clone, Copy)]
pub(crate) struct SiteBlocks {
    pub save: FlatBlock,
    pub resume: FlatBlock,
    pub rest: FlatBlock,
}
