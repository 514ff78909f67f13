//! Where variables lie: shared memory, local frames, the bank of user constants, and the bank of addresses.

use rustc_hash::FxHashMap;
use sassafras_graph::SecondaryMap;
use sassafras_ir::{Function, Module, Op, VariableId};
use sassafras_semantics::{Space, SystemCall};

/// Offsets of all variables of a module.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Byte offset: in the function's frame, in bank 3, or, for a global variable, in the bank of addresses.
    pub offset: SecondaryMap<VariableId, u64>,
    /// By function: byte offsets of shared variables, behind what the system reserves.
    pub shared_offsets: Vec<FxHashMap<VariableId, u64>>,
    /// Static shared bytes of each function, by index.
    pub shared: Vec<u64>,
    /// Frame bytes of each function, by index.
    pub local: Vec<u64>,
    /// Bytes of user constants (bank 3).
    pub constants: u64,
    /// Global variables whose addresses stand in bank 4, in order, 8 bytes each.
    pub addresses: Vec<VariableId>,
    /// Functions whose addresses stand behind those: what the module calls and the driver resolves.
    pub calls: Vec<SystemCall>,
}

impl Layout {
    /// Lays out a module: in the order of declaration, each at its alignment. Shared memory is each function's own: what it lists, in
    /// that order, and dynamic shared memory behind.
    pub fn new(module: &Module) -> Layout {
        let count = module.functions.len();
        let mut layout = Layout { local: vec![0; count], ..Layout::default() };
        for (id, v) in module.variables.iter() {
            match (v.space, v.owner) {
                (Space::Local, Some(owner)) => {
                    layout.offset[id] = place(&mut layout.local[owner as usize], v.size, v.align);
                }
                (Space::Const, _) => layout.offset[id] = place(&mut layout.constants, v.size, v.align),
                (Space::Global, _) => {
                    layout.offset[id] = 8 * layout.addresses.len() as u64;
                    layout.addresses.push(id);
                }
                _ => {}
            }
        }
        for call in module.functions.iter().flat_map(system_calls) {
            if !layout.calls.contains(&call) {
                layout.calls.push(call);
            }
        }
        let align = dynamic_align(module);
        for function in &module.functions {
            let (mut offsets, mut end) = (FxHashMap::default(), 0);
            for id in shared_of(module, function) {
                let v = &module.variables[id];
                offsets.insert(id, place(&mut end, v.size, v.align));
            }
            // What a launch adds begins where the static part ends, in all entries of a module that declares such memory.
            end = end.next_multiple_of(align);
            let dynamic = module.variables.iter().filter(|(_, v)| v.space == Space::Shared && v.size == 0);
            offsets.extend(dynamic.map(|(id, _)| (id, end)));
            layout.shared_offsets.push(offsets);
            layout.shared.push(end);
        }
        layout
    }
}

impl Layout {
    /// The byte offset in bank 4 at which the address of a system call's function stands.
    pub fn slot(&self, call: SystemCall) -> Option<u64> {
        let place = self.calls.iter().position(|c| *c == call)?;
        Some(8 * (self.addresses.len() + place) as u64)
    }
}

/// The system calls of a function, in order, with repetitions.
pub fn system_calls(function: &Function) -> Vec<SystemCall> {
    let insts = function.blocks.values().flat_map(|b| &b.insts);
    let call = |&i: &sassafras_ir::Inst| match function.insts[i].op {
        Op::SystemCall(call) => Some(call),
        _ => None,
    };
    insts.filter_map(call).collect()
}

/// Alignment of dynamic shared memory, in bytes: the largest that a declaration of the module asks for, as ptxas has it; 1 without any.
fn dynamic_align(module: &Module) -> u64 {
    let dynamic = module.variables.values().filter(|v| v.space == Space::Shared && v.size == 0);
    dynamic.map(|v| v.align).fold(1, u64::max)
}

/// The static shared variables of a function in order: those that it lists, and what else it names.
fn shared_of(module: &Module, function: &Function) -> Vec<VariableId> {
    let mut all = function.shared.clone();
    for &inst in function.blocks.values().flat_map(|b| &b.insts) {
        if let Op::Address(id, _) = function.insts[inst].op
            && !all.contains(&id)
        {
            all.push(id);
        }
    }
    all.retain(|&id| module.variables[id].space == Space::Shared && module.variables[id].size > 0);
    all
}

fn place(end: &mut u64, size: u64, align: u64) -> u64 {
    let offset = end.next_multiple_of(align.max(1));
    *end = offset + size;
    offset
}
