//! A function of the IR ready to run: its code in a row, and where variables lie.

use crate::launch::LaunchError;
use crate::memory::{self, Memory};
use sassafras_ir::{Block, Function, Inst, Module, Terminator, VariableId};
use sassafras_semantics::Space;
use sassafras_semantics::concrete::Concrete;

/// Bytes of local memory below the variables of a function that keeps what is live across its own calls there (`docs/ir.md`, "Lowering").
const STACK: u64 = 16 << 10;
/// How the variable is called at which such a stack begins.
const STACK_NAME: &str = "$stack";
/// Alignment of dynamic shared memory, which is at least that of any vector.
const DYNAMIC_ALIGN: u64 = 16;
/// Bytes for all variables together.
const ROOM: u64 = 1 << 30;

/// What stands at a position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Inst(Inst),
    /// The end of a block.
    End(Block),
}

/// A function ready to run.
#[derive(Debug)]
pub(super) struct Program<'m> {
    pub function: &'m Function,
    pub domain: Concrete,
    /// Blocks one after another, in the order of their numbers.
    pub code: Vec<Place>,
    /// By block: the position at which it begins.
    pub starts: Vec<u32>,
    /// By variable: its address in its space.
    pub addresses: Vec<u64>,
    /// Variables of the module in global memory: name and address.
    pub named: Vec<(String, u64)>,
    /// Bytes of static shared memory, which dynamic shared memory follows.
    pub shared: u64,
    /// Bytes of local memory of a thread.
    pub local: u64,
}

/// The next multiple of an alignment; the cursor goes behind what is placed.
fn place(cursor: &mut u64, size: u64, align: u64) -> u64 {
    let at = cursor.next_multiple_of(align.max(1));
    *cursor = at + size;
    at
}

impl<'m> Program<'m> {
    /// Places the variables of a module and fills memory with what they hold at the start.
    ///
    /// # Errors
    /// There is no such function, or its variables do not fit.
    pub fn load(
        module: &'m Module,
        name: &str,
        domain: Concrete,
        memory: &mut Memory,
    ) -> Result<Program<'m>, LaunchError> {
        let found = module.functions.iter().zip(0u32..).find(|(f, _)| f.name == name);
        let (function, number) = found.ok_or_else(|| LaunchError::NoEntry {
            name: name.to_owned(),
            has: module.functions.iter().map(|f| format!("`{}`", f.name)).collect::<Vec<_>>().join(", "),
        })?;
        let (mut code, mut starts) = (Vec::new(), Vec::new());
        for (block, data) in function.blocks.iter() {
            starts.push(code.len() as u32);
            code.extend(data.insts.iter().map(|&i| Place::Inst(i)));
            code.push(Place::End(block));
        }
        let mut program = Program {
            function,
            domain,
            code,
            starts,
            addresses: vec![0; module.variables.len()],
            named: Vec::new(),
            shared: 0,
            local: 0,
        };
        program.variables(module, number, memory)?;
        Ok(program)
    }

    fn variables(&mut self, module: &Module, number: u32, memory: &mut Memory) -> Result<(), LaunchError> {
        let own = |owner: Option<u32>| owner.is_none_or(|o| o == number);
        let stacked = module.variables.values().any(|v| own(v.owner) && v.name.ends_with(STACK_NAME));
        self.local = if stacked { STACK } else { 0 };
        let dynamic = |id: &VariableId| module.variables[*id].size == 0;
        // What a block pays for lies in the order that the function says.
        for id in self.function.shared.iter().filter(|id| !dynamic(id)) {
            let v = &module.variables[*id];
            self.addresses[id.0 as usize] = place(&mut self.shared, v.size, v.align);
        }
        let mut align = DYNAMIC_ALIGN;
        for (id, v) in module.variables.iter().filter(|(_, v)| own(v.owner)) {
            if v.size > ROOM {
                let what = format!("the variable `{}` has more bytes than there are here", v.name);
                return Err(LaunchError::Program(what));
            }
            let mut contents = v.init.clone().unwrap_or_default();
            contents.resize(v.size as usize, 0);
            self.addresses[id.0 as usize] = match v.space {
                Space::Shared => {
                    align = if v.size == 0 { align.max(v.align) } else { align };
                    continue;
                }
                Space::Local => place(&mut self.local, v.size, v.align),
                Space::Const => {
                    let at = (memory.constant.len() as u64).next_multiple_of(v.align.max(1));
                    memory.constant.resize(at as usize, 0);
                    memory.constant.extend(contents);
                    at
                }
                Space::Global | Space::Generic => memory.global.allocate(contents, v.align, false),
                Space::Param | Space::Bank(_) => {
                    return Err(LaunchError::Program(format!(
                        "the variable `{}` is in {:?}",
                        v.name, v.space
                    )));
                }
            };
        }
        let global = module.variables.iter().filter(|(_, v)| v.space == Space::Global && v.owner.is_none());
        let named = global.map(|(id, v)| (v.name.clone(), self.addresses[id.0 as usize]));
        self.named = named.collect();
        self.shared = self.shared.next_multiple_of(align);
        for (id, _) in module.variables.iter().filter(|(id, v)| v.space == Space::Shared && dynamic(id)) {
            self.addresses[id.0 as usize] = self.shared;
        }
        self.relocate(module, memory)
    }

    /// Writes the addresses that initialisers name: generic ones, and offsets in the variable's own space.
    fn relocate(&self, module: &Module, memory: &mut Memory) -> Result<(), LaunchError> {
        for (id, v) in module.variables.iter() {
            let at = self.addresses[id.0 as usize];
            let generic =
                v.init_addresses.iter().map(|&(offset, to, addend)| (true, (offset, to, addend, 8)));
            for (generic, (offset, to, addend, count)) in
                generic.chain(v.init_offsets.iter().map(|&init| (false, init)))
            {
                let window = memory::window(module.variables[to].space).filter(|_| generic);
                let base = window.unwrap_or(0);
                let value = base.wrapping_add(self.addresses[to.0 as usize]).wrapping_add_signed(addend);
                let bytes = match v.space {
                    Space::Const => memory.constant.get_mut(at as usize..),
                    _ => memory.global.at_mut(at).map(|a| &mut a.bytes[..]),
                };
                let count = usize::from(count);
                let here = bytes.and_then(|b| b.get_mut(offset as usize..offset as usize + count));
                let Some(here) = here else {
                    return Err(LaunchError::Program(format!("the initialiser of `{}` is too long", v.name)));
                };
                here.copy_from_slice(&value.to_le_bytes()[..count]);
            }
        }
        Ok(())
    }

    /// 1-based line of the PTX of what stands at a position; none if it has none.
    pub fn line(&self, pc: u32) -> Option<u32> {
        let line = match self.code.get(pc as usize)? {
            Place::Inst(inst) => self.function.insts[*inst].line,
            Place::End(block) => self.function.blocks[*block].line,
        };
        (line > 0).then_some(line)
    }

    /// What stands at a position, for people.
    pub fn text(&self, pc: u32) -> String {
        match self.code.get(pc as usize) {
            Some(Place::Inst(inst)) => sassafras_ir::text::print_op(&self.function.insts[*inst].op),
            Some(Place::End(block)) => match self.function.blocks[*block].terminator {
                Terminator::Jump(_) => "jump",
                Terminator::Branch { .. } => "branch",
                Terminator::Switch { .. } => "switch",
                Terminator::Exit => "exit",
                Terminator::Trap => "trap",
                Terminator::Unreachable => "unreachable",
            }
            .to_owned(),
            None => String::new(),
        }
    }
}
