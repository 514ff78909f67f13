//! PTX to IR.
//!
//! [`lower()`] takes a checked module and gives an IR module with one function per kernel. Device functions are inlined, but for
//! those that may call themselves: of these there is one body for each call from outside.
//!
//! - [`error`]: what is not supported, with its place.
//! - `flatten`: a kernel and all that it calls as one list of instructions and jumps.
//! - `calls`: who calls whom. `stack`: activations of functions that may call themselves.
//! - `flow`: basic blocks of that list, what they read and write, liveness.
//! - `context`: registers to SSA values: a block that has several predecessors gets a parameter for each register that is
//!   live into it; guards become selects, guarded effects, or branches.
//! - `forms`: which types and modifiers each operation is lowered with; the others are refused.
//! - `variables`: variables and symbols. `operand`: operands to values.
//! - `integer`, `logic`, `float`, `convert`, `compare`, `memory`, `copy`, `warp`, `data`: the operations by family.
//!
//! Prefetches and hints about eviction have no effect on results and are not carried on. What PTX leaves to an implementation is chosen
//! here once: a register that is read before it is written is [`sassafras_ir::Op::Undef`]; a kernel that runs off its end exits.

mod calls;
mod compare;
mod context;
mod convert;
mod copy;
mod data;
pub mod error;
mod flatten;
mod float;
mod flow;
mod forms;
mod integer;
mod logic;
mod matrix;
mod memory;
mod object;
mod opaque;
mod operand;
pub mod refusal;
mod stack;
mod tensor;
mod texture;
mod variables;
mod video;
mod warp;
mod warpgroup;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use refusal::Refusal;

use sassafras_ir::CacheOperator;
use sassafras_ptx::checked;

/// Choices that change what is computed within what PTX allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// A multiplication and an addition without rounding suffixes may become one fused operation (`-fmad`).
    pub fmad: bool,
    /// Cache operators of global and generic loads and stores.
    pub caches: Caches,
    /// Whether the chip has a unit for barrier objects.
    pub barrier_unit: bool,
}

impl Default for Options {
    /// As ptxas has it, for the newest chips.
    fn default() -> Options {
        Options { fmad: true, caches: Caches::default(), barrier_unit: true }
    }
}

/// Cache operators in the place of those that the PTX gives or leaves out (`-dlcm -dscm -flcm -fscm`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caches {
    /// Of loads without one.
    pub default_load: Option<CacheOperator>,
    /// Of stores without one.
    pub default_store: Option<CacheOperator>,
    /// Of all loads.
    pub forced_load: Option<CacheOperator>,
    /// Of all stores.
    pub forced_store: Option<CacheOperator>,
}

/// Lowers every kernel of a module.
///
/// # Errors
/// All forms that are not supported, in all kernels, in order of their lines.
pub fn lower(module: &checked::Module, options: &Options) -> Result<sassafras_ir::Module, Vec<Error>> {
    let mut errors = Vec::new();
    let mut out = sassafras_ir::Module::default();
    let globals = variables::module_variables(module, &mut out, &mut errors);
    let calls = calls::calls(module);
    let mut names = out.variables.values().map(|v| v.name.clone()).collect();
    for function in module.functions.iter().filter(|f| f.entry) {
        match context::kernel(module, function, &globals, options, &calls, &mut names, &mut out) {
            Ok(function) => out.functions.push(function),
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() {
        return Ok(out);
    }
    errors.sort_by_key(|e| (e.line, e.span.start));
    errors.dedup();
    Err(errors)
}
