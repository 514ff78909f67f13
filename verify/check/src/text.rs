//! Whether the text of a form reads back as the form.
//!
//! The text of an instruction is its own: it depends on no other. So an instruction that stood in the form before, whose text was read back
//! then, need not be read again; what names it uses must be there, as reading the whole text would see. So it is with the list of virtual
//! registers where it is the same. All else of a function is read back each time.

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use sassafras_graph::{Entity, PrimaryMap};
use sassafras_ir as ir;
use sassafras_machine::{Block, BlockData, Function, Holdings, MInst, VReg, VRegData, text};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The functions of machine code whose texts were read back last, by name: a mark of each.
#[derive(Debug, Default)]
pub struct Read(Mutex<FxHashMap<String, u64>>);

/// A mark by which a function is known again.
fn mark(f: &Function) -> u64 {
    let mut hasher = FxHasher::default();
    for data in f.vregs.values() {
        (data.class, data.units).hash(&mut hasher);
    }
    for data in f.blocks.values() {
        data.insts.hash(&mut hasher);
    }
    hasher.finish()
}

impl Read {
    fn marks(&self) -> MutexGuard<'_, FxHashMap<String, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is wrong with the text of a function of machine code. `before` is what the stage was given.
    pub fn machine(&self, before: Option<&Function>, f: &Function) -> Option<String> {
        let known = self.marks().get(&f.name).copied();
        let fault = machine(before.filter(|before| known == Some(mark(before))), f);
        match fault {
            None => self.marks().insert(f.name.clone(), mark(f)),
            Some(_) => self.marks().remove(&f.name),
        };
        fault
    }
}

/// What is wrong with the text of a function, that of the instructions of `before` left out.
fn machine(before: Option<&Function>, f: &Function) -> Option<String> {
    let seen: FxHashSet<&MInst> =
        before.into_iter().flat_map(|before| before.blocks.values()).flat_map(|data| &data.insts).collect();
    let mut blocks = PrimaryMap::new();
    for data in f.blocks.values() {
        let mut insts = Vec::new();
        for inst in &data.insts {
            if !seen.contains(inst) {
                insts.push(inst.clone());
            } else if let Some(fault) = stray(f, inst) {
                return Some(fault);
            }
        }
        let BlockData { params, insts: _, succs, line } = data;
        blocks.push(BlockData { params: params.clone(), insts, succs: succs.clone(), line: *line });
    }
    let vregs = match before.is_some_and(|before| before.vregs == f.vregs) {
        true => named(f, &blocks),
        false => f.vregs.clone(),
    };
    let Function {
        name,
        chip,
        phase,
        blocks: _,
        layout,
        entry,
        vregs: _,
        frame,
        shared_bytes,
        param_bytes,
        max_registers,
        held: _,
    } = f;
    let rest = Function {
        name: name.clone(),
        chip: *chip,
        phase: *phase,
        blocks,
        layout: layout.clone(),
        entry: *entry,
        vregs,
        frame: *frame,
        shared_bytes: *shared_bytes,
        param_bytes: *param_bytes,
        max_registers: *max_registers,
        held: Holdings::default(),
    };
    match text::parse(&text::print(&rest)) {
        Ok(again) if again == rest => None,
        Ok(_) => Some("the function differs when its text is read back".to_owned()),
        Err(error) => Some(format!("its text does not read: {error}")),
    }
}

/// The virtual registers up to the last one that these blocks name.
fn named(f: &Function, blocks: &PrimaryMap<Block, BlockData>) -> PrimaryMap<VReg, VRegData> {
    let mut count = 0;
    let mut name = |vreg: VReg| count = count.max(vreg.index() + 1);
    for data in blocks.values() {
        data.params.iter().copied().for_each(&mut name);
        data.succs.iter().flat_map(|edge| &edge.args).copied().for_each(&mut name);
        let operands = data.insts.iter().flat_map(MInst::operands);
        operands.filter_map(|operand| operand.reg.vreg()).for_each(&mut name);
    }
    let mut vregs = PrimaryMap::new();
    f.vregs.values().take(count).for_each(|&data| {
        vregs.push(data);
    });
    vregs
}

/// A register or a block that an instruction names and the function does not have: no text says what it is.
fn stray(f: &Function, inst: &MInst) -> Option<String> {
    if let Some(target) = inst.target.filter(|target| f.blocks.get(*target).is_none()) {
        return Some(format!("its text does not read: no block {target}"));
    }
    let vregs = inst.operands().into_iter().filter_map(|operand| operand.reg.vreg());
    let vreg = vregs.into_iter().find(|vreg| f.vregs.get(*vreg).is_none())?;
    Some(format!("its text does not read: no register {vreg}"))
}

/// What is wrong with the text of a module of the IR, made by a phase of this name.
pub fn intermediate(module: &ir::Module, phase: &str) -> Option<String> {
    match ir::text::parse(&ir::text::print(module, phase)) {
        Ok((again, _)) if again == *module => None,
        Ok(_) => Some("the module differs when its text is read back".to_owned()),
        Err(error) => Some(format!("its text does not read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "sassafras machine 1 ssa sm_90\nfunction \"k\"\nentry b0\nlayout b0 b1\nframe local 0 spill 0\nshared 0\nparams 16\nregisters 32\n\
        v0 R 1\nv1 R 1\nb0():\n  s2r d=v0 sr=0x21\n  iadd3.rrr d=v1 a=v0 b=v0\n  -> b1()\nb1():\n  exit\n";

    /// Known instructions are held against what the function has, and new ones are read.
    #[test]
    fn what_changes_is_read_again() {
        let f = text::parse(TEXT).expect("it reads");
        let read = Read::default();
        assert_eq!(read.machine(None, &f), None);
        assert_eq!(read.machine(Some(&f), &f), None);
        let mut fewer = f.clone();
        fewer.vregs = PrimaryMap::new();
        fewer.vregs.push(f.vregs[sassafras_machine::VReg(0)]);
        assert_eq!(read.machine(Some(&f), &fewer).as_deref(), Some("its text does not read: no register v1"));
        // A guard of a file that the form does not have is not what the text says.
        let mut wrong = f.clone();
        let inst = wrong.blocks[Block(0)].insts[1].inst_mut().expect("an instruction of the hardware");
        inst.guard = sassafras_isa::Guard { pred: 0, negate: false, uniform: true };
        for before in [None, Some(&f), Some(&wrong)] {
            read.machine(None, &f);
            assert!(read.machine(before, &wrong).is_some());
        }
        // What was objected to is not taken for read.
        assert!(read.machine(Some(&wrong), &wrong).is_some());
    }
}
