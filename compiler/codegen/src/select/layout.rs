//! Where variables lie: shared memory, local frames, the bank of user constants, and the bank of addresses.

use sassafras_graph::SecondaryMap;
use sassafras_ir::{Module, Op, VariableId};
use sassafras_semantics::Space;

/// Offsets of all variables of a module.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Byte offset: in the function's shared memory (behind what the system reserves), in its frame, in bank 3, or, for a global variable, in
    /// the bank of addresses.
    pub offset: SecondaryMap<VariableId, u64>,
    /// Static shared bytes of each function, by index.
    pub shared: Vec<u64>,
    /// Frame bytes of each function, by index.
    pub local: Vec<u64>,
    /// Bytes of user constants (bank 3).
    pub constants: u64,
    /// Global variables whose addresses stand in bank 4, in order, 8 bytes each.
    pub addresses: Vec<VariableId>,
}

impl Layout {
    /// Lays out a module: in the order of declaration, each at its alignment; dynamic shared memory behind the rest.
    pub fn new(module: &Module) -> Layout {
        let count = module.functions.len();
        let mut layout = Layout { shared: vec![0; count], local: vec![0; count], ..Layout::default() };
        // Variables of the module that lie in shared memory are part of every kernel's.
        let mut common = 0;
        for (id, v) in module
            .variables
            .iter()
            .filter(|(_, v)| v.space == Space::Shared && v.owner.is_none() && v.size > 0)
        {
            layout.offset[id] = place(&mut common, v.size, v.align);
        }
        layout.shared.iter_mut().for_each(|s| *s = common);
        for (id, v) in module.variables.iter() {
            match (v.space, v.owner) {
                (Space::Shared, Some(owner)) if v.size > 0 => {
                    layout.offset[id] = place(&mut layout.shared[owner as usize], v.size, v.align);
                }
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
        let end = layout.shared.iter().copied().max().unwrap_or(0);
        for (id, v) in module.variables.iter().filter(|(_, v)| v.space == Space::Shared && v.size == 0) {
            let behind = v.owner.map_or(end, |owner| layout.shared[owner as usize]);
            layout.offset[id] = behind.next_multiple_of(v.align.max(1));
        }
        // What a launch adds begins where the static part ends: that goes up to it, in kernels that use it.
        for (function, end) in module.functions.iter().zip(&mut layout.shared) {
            let insts = function.blocks.values().flat_map(|b| &b.insts);
            let dynamic = insts.filter_map(|&i| match function.insts[i].op {
                Op::Address(id, _) => Some(id),
                _ => None,
            });
            let dynamic = dynamic
                .filter(|&id| module.variables[id].space == Space::Shared && module.variables[id].size == 0);
            *end = dynamic.map(|id| layout.offset[id]).fold(*end, u64::max);
        }
        layout
    }
}

fn place(end: &mut u64, size: u64, align: u64) -> u64 {
    let offset = end.next_multiple_of(align.max(1));
    *end = offset + size;
    offset
}
