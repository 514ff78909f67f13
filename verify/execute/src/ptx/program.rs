//! Where the variables of a module lie, and how a function's frame is laid out.

use super::flow::Flow;
use crate::launch::LaunchError;
use crate::memory::{self, Memory};
use sassafras_ptx::checked::{Function, FunctionId, Module, Param, Variable, VariableId};
use sassafras_semantics::Space;
use sassafras_semantics::concrete::Concrete;
use std::sync::atomic::AtomicBool;

/// Where a function's own variables and parameters lie.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// Address of each variable in its space; for `.local` and `.param` ones relative to the frame.
    pub variables: Vec<u64>,
    /// Offset of each parameter in the frame's `.param` memory.
    pub params: Vec<u64>,
    /// The same of each return parameter.
    pub returns: Vec<u64>,
    /// Bytes of `.param` memory.
    pub param_bytes: u64,
    /// Bytes of `.param` memory, from the start, that are read-only: a kernel's parameters.
    pub read_only: u64,
    /// Bytes of `.local` memory.
    pub local_bytes: u64,
}

/// A module ready to run from an entry.
#[derive(Debug)]
pub(super) struct Program<'m> {
    pub module: &'m Module,
    pub entry: FunctionId,
    pub domain: Concrete,
    /// Address of each module variable in its space.
    pub variables: Vec<u64>,
    /// By function.
    pub frames: Vec<Frame>,
    /// Bytes of static shared memory, which dynamic shared memory follows.
    pub static_shared: u64,
    /// The number of the arrangement of variables and functions.
    pub places: u32,
    /// By function and instruction: it is stepped for one lane after the other, as a step of all has come to nothing.
    pub apart: Vec<Vec<AtomicBool>>,
    /// A unit of the machine does what barrier objects ask for.
    pub barrier_unit: bool,
    /// In lock step: by function.
    pub flows: Option<Vec<Flow>>,
}

/// Places things one after another.
#[derive(Default)]
struct Cursor(u64);

impl Cursor {
    fn place(&mut self, size: u64, align: u64) -> u64 {
        let at = self.0.next_multiple_of(align.max(1));
        self.0 = at + size;
        at
    }

    /// The same; in all arrangements but the first with a gap before it, so that it lies at no greater multiple than it asks for.
    fn place_with_gap(&mut self, v: &Variable, places: u32) -> u64 {
        let align = v.align.max(1);
        if places > 0 {
            let at = self.0.next_multiple_of(align);
            self.0 = match (at / align + u64::from(places)) % 2 {
                0 => at + align,
                _ => at + 2 * align * u64::from(places),
            };
        }
        self.place(v.size, v.align)
    }
}

/// In which order variables are placed.
fn order(count: usize, places: u32) -> Box<dyn Iterator<Item = usize>> {
    if places % 2 == 1 { Box::new((0..count).rev()) } else { Box::new(0..count) }
}

/// Most bytes of a function's parameters, and of what it hands over.
const MOST_PARAMS: u64 = 1 << 20;
/// Bytes for all variables together.
const ROOM: u64 = 1 << 30;

/// Alignment of dynamic shared memory, which is at least that of any vector.
const DYNAMIC_ALIGN: u64 = 16;

struct Loader<'w> {
    memory: &'w mut Memory,
    shared: Cursor,
    /// Largest alignment of an external shared variable.
    dynamic_align: u64,
    constant: Cursor,
    places: u32,
    /// Bytes that are left for variables.
    room: u64,
}

impl Loader<'_> {
    /// Places a variable that lives as long as the launch (of shared memory: as the block).
    fn place(&mut self, v: &Variable) -> Result<u64, LaunchError> {
        let at = self.placed(v)?;
        self.room = self.room.saturating_sub(v.size);
        Ok(at)
    }

    fn placed(&mut self, v: &Variable) -> Result<u64, LaunchError> {
        let external = || LaunchError::Program(format!("the external variable `{}` is not defined", v.name));
        let contents = || {
            let mut bytes = v.init.clone().unwrap_or_default();
            bytes.resize(v.size as usize, 0);
            bytes
        };
        Ok(match v.space {
            Space::Shared if v.size == 0 => {
                self.dynamic_align = self.dynamic_align.max(v.align);
                0
            }
            Space::Shared => self.shared.place_with_gap(v, self.places),
            _ if v.external => return Err(external()),
            Space::Const | Space::Global | Space::Generic if v.size > self.room => {
                return Err(LaunchError::Program(format!(
                    "the variable `{}` has more bytes than there are here",
                    v.name
                )));
            }
            Space::Const => {
                let at = self.constant.place(v.size, v.align);
                self.memory.constant.resize(at as usize, 0);
                self.memory.constant.extend(contents());
                at
            }
            Space::Global | Space::Generic => {
                if self.places > 0 {
                    self.memory.global.allocate(vec![0; 64 * self.places as usize], v.align, false);
                }
                self.memory.global.allocate(contents(), v.align, false)
            }
            Space::Local | Space::Param | Space::Bank(_) => {
                return Err(LaunchError::Program(format!(
                    "the variable `{}` cannot be in {:?} here",
                    v.name, v.space
                )));
            }
        })
    }

    fn frame(&mut self, f: &Function) -> Result<Frame, LaunchError> {
        let (mut param, mut local) = (Cursor::default(), Cursor::default());
        let mut slots = |params: &[Param]| -> Vec<u64> {
            let place = |p: &Param| match f.entry {
                true => {
                    param.0 = param.0.max(u64::from(p.offset + p.size));
                    u64::from(p.offset)
                }
                false => param.place(p.size.into(), p.align.into()),
            };
            params.iter().map(place).collect()
        };
        let (params, returns) = (slots(&f.params), slots(&f.returns));
        let read_only = if f.entry { param.0.max(f.param_size.into()) } else { 0 };
        param.0 = param.0.max(read_only);
        let mut variables = vec![0; f.variables.len()];
        for i in order(f.variables.len(), self.places) {
            let v = &f.variables[i];
            variables[i] = match v.space {
                Space::Param => param.place(v.size, v.align),
                Space::Local => local.place_with_gap(v, self.places),
                _ => self.place(v)?,
            };
        }
        Ok(Frame { variables, params, returns, param_bytes: param.0, read_only, local_bytes: local.0 })
    }
}

impl<'m> Program<'m> {
    /// Places all variables and fills memory with what they hold at the start.
    pub fn load(
        module: &'m Module,
        entry: FunctionId,
        domain: Concrete,
        memory: &mut Memory,
        places: u32,
    ) -> Result<Program<'m>, LaunchError> {
        let mut loader = Loader {
            memory,
            shared: Cursor::default(),
            dynamic_align: DYNAMIC_ALIGN,
            constant: Cursor::default(),
            places,
            room: ROOM,
        };
        let mut variables = vec![0; module.variables.len()];
        for i in order(module.variables.len(), places) {
            variables[i] = loader.place(&module.variables[i])?;
        }
        let frames = module.functions.iter().map(|f| loader.frame(f)).collect::<Result<Vec<_>, _>>()?;
        for (f, frame) in module.functions.iter().zip(&frames) {
            if frame.param_bytes > MOST_PARAMS {
                let what = format!("`{}` takes {} bytes of parameters", f.name, frame.param_bytes);
                return Err(LaunchError::Program(what));
            }
        }
        // Where dynamic shared memory begins is open too: behind something that the system keeps, and behind no variable at all.
        let dynamic = |v: &Variable| v.space == Space::Shared && v.size == 0;
        let mut all = module.functions.iter().flat_map(|f| &f.variables).chain(&module.variables);
        let static_shared = match all.find(|v| dynamic(v)) {
            Some(v) => {
                let first = Variable { align: loader.dynamic_align, size: 0, ..v.clone() };
                loader.shared.place_with_gap(&first, places)
            }
            None => loader.shared.0.next_multiple_of(loader.dynamic_align),
        };
        let apart = |f: &Function| f.insts.iter().flatten().map(|_| AtomicBool::new(false)).collect();
        let apart = module.functions.iter().map(apart).collect();
        let mut program = Program {
            module,
            entry,
            domain,
            variables,
            frames,
            static_shared,
            places,
            apart,
            barrier_unit: true,
            flows: None,
        };
        program.dynamic_shared();
        program.relocate(memory)?;
        Ok(program)
    }

    /// External shared variables all lie where static shared memory ends.
    fn dynamic_shared(&mut self) {
        let base = self.static_shared;
        let dynamic = |v: &Variable| v.space == Space::Shared && v.size == 0;
        for (v, at) in self.module.variables.iter().zip(&mut self.variables) {
            if dynamic(v) {
                *at = base;
            }
        }
        for (f, frame) in self.module.functions.iter().zip(&mut self.frames) {
            for (v, at) in f.variables.iter().zip(&mut frame.variables) {
                if dynamic(v) {
                    *at = base;
                }
            }
        }
    }

    /// Writes the addresses that initialisers name.
    fn relocate(&self, memory: &mut Memory) -> Result<(), LaunchError> {
        let own = self
            .module
            .functions
            .iter()
            .zip(&self.frames)
            .map(|(f, frame)| (Some(f), &f.variables, &frame.variables));
        let all = std::iter::once((None, &self.module.variables, &self.variables)).chain(own);
        for (function, variables, addresses) in all {
            for (v, &at) in variables.iter().zip(addresses) {
                for (offset, function) in &v.init_functions {
                    let bytes = match v.space {
                        Space::Const => memory.constant.get_mut(at as usize..),
                        _ => memory.global.at_mut(at).map(|a| &mut a.bytes[..]),
                    };
                    let place = bytes.and_then(|b| b.get_mut(*offset as usize..*offset as usize + 8));
                    let Some(place) = place else {
                        return Err(LaunchError::Program(format!(
                            "the initialiser of `{}` is too long",
                            v.name
                        )));
                    };
                    place.copy_from_slice(&function_address(self, *function).to_le_bytes());
                }
                for init in &v.init_addresses {
                    let (target, base) = match (init.symbol, function) {
                        (VariableId::Module(i), _) => {
                            (&self.module.variables[i as usize], self.variables[i as usize])
                        }
                        (VariableId::Local(i), Some(f)) => (&f.variables[i as usize], addresses[i as usize]),
                        (VariableId::Local(_), None) => {
                            return Err(LaunchError::Program(format!(
                                "`{}` names a variable of a function",
                                v.name
                            )));
                        }
                    };
                    let window = if init.generic { memory::window(target.space).unwrap_or(0) } else { 0 };
                    let value = window.wrapping_add(base).wrapping_add_signed(init.addend);
                    let bytes = match v.space {
                        Space::Const => memory.constant.get_mut(at as usize..),
                        _ => memory.global.at_mut(at).map(|a| &mut a.bytes[..]),
                    };
                    // Also where its bytes are elements, each a masked part.
                    let size = usize::from(init.bytes);
                    let place =
                        bytes.and_then(|b| b.get_mut(init.offset as usize..init.offset as usize + size));
                    let Some(place) = place else {
                        return Err(LaunchError::Program(format!(
                            "the initialiser of `{}` is too long",
                            v.name
                        )));
                    };
                    place.copy_from_slice(&value.to_le_bytes()[..size]);
                }
            }
        }
        Ok(())
    }
}

/// Address of the first function: no memory is there.
const FUNCTIONS: u64 = 0x7e00_0000_0000;
/// The same under other numbers of [`crate::Options::places`]: each of the six bytes differs, so that none of them looks like one that PTX gives.
const ELSEWHERE: u64 = 0x7d01_0203_0510;
const FUNCTION_STRIDE: u64 = 128;

/// The address of a function.
pub(super) fn function_address(program: &Program<'_>, function: FunctionId) -> u64 {
    first_function(program) + FUNCTION_STRIDE * u64::from(function.0)
}

fn first_function(program: &Program<'_>) -> u64 {
    match program.places {
        0 => FUNCTIONS,
        places => ELSEWHERE + (u64::from(places) << 20),
    }
}

/// The function at an address.
pub(super) fn function_at(program: &Program<'_>, address: u64) -> Option<FunctionId> {
    let offset =
        address.checked_sub(first_function(program)).filter(|o| o.is_multiple_of(FUNCTION_STRIDE))?;
    let index = u32::try_from(offset / FUNCTION_STRIDE).ok()?;
    program.module.functions.get(index as usize).map(|_| FunctionId(index))
}
