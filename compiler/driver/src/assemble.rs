//! The last phase: functions' words and a module's variables into a cubin.

use sassafras_chip::Chip;
use sassafras_codegen::Code;
use sassafras_codegen::select::Layout;
use sassafras_cubin as cubin;
use sassafras_ir as ir;
use sassafras_semantics::{Space, SystemCall};

use crate::limits::Bounds;

/// ptxas never gives a kernel fewer.
const FEWEST_REGISTERS: u32 = 4;

/// What does not fit a cubin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// A size of a function has more than 32 bits.
    #[error("{what} of `{function}` is beyond 4 GiB")]
    Beyond {
        /// Of what.
        what: &'static str,
        /// The function.
        function: String,
    },
    /// A parameter's number or offset has more than 16 bits.
    #[error("`{function}` has parameters beyond 64 KiB")]
    Parameters {
        /// The function.
        function: String,
    },
    /// A variable is larger than this machine can address.
    #[error("`{variable}` is too large")]
    Large {
        /// The variable.
        variable: String,
    },
    /// First values lie behind the end of their variable.
    #[error("the initialiser of `{variable}` is too long")]
    Initialiser {
        /// The variable.
        variable: String,
    },
}

/// Puts a module together. `codes` and `bounds` stand in the order of the module's functions; a function without code
/// was not asked for.
///
/// # Errors
/// Something does not fit the container.
pub fn assemble(
    module: &ir::Module,
    layout: &Layout,
    codes: &[Option<Code>],
    bounds: &[Bounds],
    chip: Chip,
    accelerated: bool,
    producer: cubin::Producer,
) -> Result<cubin::Cubin, AssembleError> {
    let mut out = cubin::Cubin { sm: chip.number(), accelerated, producer, ..cubin::Cubin::default() };
    let dynamic = module.variables.values().any(|v| v.space == Space::Shared && v.size == 0);
    for (index, f) in module.functions.iter().enumerate() {
        let Some(code) = &codes[index] else { continue };
        out.functions.push(function(module, layout, index, f, code, &bounds[index], chip, dynamic)?);
    }
    // ptxas writes entries last first.
    out.functions.reverse();
    system_calls(module, codes, &mut out);
    variables(module, layout, &mut out)?;
    Ok(out)
}

fn function(
    module: &ir::Module,
    layout: &Layout,
    index: usize,
    f: &ir::Function,
    code: &Code,
    bounds: &Bounds,
    chip: Chip,
    dynamic: bool,
) -> Result<cubin::Function, AssembleError> {
    let narrow = |n: u64, what: &'static str| {
        u32::try_from(n).map_err(|_| AssembleError::Beyond { what, function: f.name.clone() })
    };
    let mut params = Vec::new();
    for (ordinal, p) in f.params.iter().enumerate() {
        let place = u16::try_from(ordinal).ok().zip(u16::try_from(p.offset).ok());
        let (ordinal, offset) =
            place.ok_or_else(|| AssembleError::Parameters { function: f.name.clone() })?;
        params.push(cubin::Param { ordinal, offset, size: p.size, ..cubin::Param::default() });
    }
    // Dynamic shared memory counts in every entry of the module, as for ptxas.
    let placed = layout.shared_offsets.get(index).into_iter().flatten();
    let align = placed.map(|(&id, _)| module.variables[id].align).max().unwrap_or(1);
    let size = narrow(layout.shared[index], "shared memory")?;
    let shared =
        (size > 0 || dynamic).then_some(cubin::Shared { size, align: narrow(align.max(1), "alignment")? });
    Ok(cubin::Function {
        name: f.name.clone(),
        entry: true,
        binding: match (f.weak, f.visible) {
            (true, _) => cubin::Binding::Weak,
            (false, true) => cubin::Binding::Global,
            (false, false) => cubin::Binding::Local,
        },
        code: code.words.clone(),
        registers: (code.registers + chip.limits().reserved_registers).max(FEWEST_REGISTERS),
        barriers: code.barriers.min(16) as u8,
        params,
        param_base: chip.bank().parameters,
        param_size: f.param_size,
        shared,
        frame_size: code.frame_bytes,
        min_stack: Some(code.frame_bytes),
        exit_offsets: code.exits.clone(),
        coop_group_offsets: code.collectives.clone(),
        coop_group_masks: vec![u32::MAX; code.collectives.len()],
        max_registers: bounds.stated,
        max_threads: bounds.threads,
        required_threads: f.reqntid,
        attributes: clusters(f),
        crs_stack_size: code.diverges.then_some(0),
        ..cubin::Function::default()
    })
}

/// What directives say of clusters, as records.
fn clusters(f: &ir::Function) -> Vec<cubin::Attribute> {
    use cubin::attribute as a;
    let explicit =
        f.explicitcluster.then_some(cubin::Attribute { id: a::EXPLICIT_CLUSTER, value: cubin::Value::Empty });
    let size = f.reqnctapercluster.map(|n| cubin::Attribute::words(a::CTA_PER_CLUSTER, &n));
    let most = f.maxclusterrank.map(|n| cubin::Attribute::words(a::MAX_CLUSTER_RANK, &[n]));
    [explicit, size, most].into_iter().flatten().collect()
}

/// What the cubin says of calls that the driver resolves: undefined symbols, edges of the call graph, and records of each entry, as in
/// ptxas 13.0.88's cubins.
fn system_calls(module: &ir::Module, codes: &[Option<Code>], out: &mut cubin::Cubin) {
    for (f, code) in module.functions.iter().zip(codes).rev() {
        let Some(code) = code else { continue };
        let mut names: Vec<String> = Vec::new();
        for call in sassafras_codegen::select::system_calls(f) {
            if names.iter().all(|name| name != call.name()) {
                names.push(call.name().to_owned());
            }
        }
        if names.is_empty() {
            continue;
        }
        for name in &names {
            out.calls[0].push((f.name.clone(), name.clone()));
            if out.externs.iter().all(|e| e.name != *name) {
                out.externs.push(cubin::Extern { name: name.clone(), function: true });
            }
        }
        let records = [
            cubin::Attribute { id: cubin::attribute::EXTERNS, value: cubin::Value::Symbols(names) },
            cubin::Attribute::words(cubin::attribute::SYSCALL_OFFSETS, &code.calls),
        ];
        if let Some(entry) = out.functions.iter_mut().find(|entry| entry.name == f.name) {
            entry.attributes.extend(records);
        }
    }
}

/// Variables of global and constant memory, and the slots of bank 4.
fn variables(module: &ir::Module, layout: &Layout, out: &mut cubin::Cubin) -> Result<(), AssembleError> {
    // Variables with and without first values lie in two sections, each in the order of declaration.
    let mut ends = [0u64; 2];
    for (id, v) in module.variables.iter() {
        let space = match v.space {
            Space::Global => cubin::Space::Global,
            Space::Const => cubin::Space::Constant,
            _ => continue,
        };
        let has_values = v.init.is_some() || !v.init_addresses.is_empty() || !v.init_offsets.is_empty();
        let align = v.align.max(1);
        let offset = match space {
            cubin::Space::Constant => layout.offset[id],
            cubin::Space::Global => {
                let end = &mut ends[usize::from(has_values)];
                let offset = end.next_multiple_of(align);
                *end = offset + v.size;
                offset
            }
        };
        let size = usize::try_from(v.size).map_err(|_| AssembleError::Large { variable: v.name.clone() })?;
        let init =
            (has_values || space == cubin::Space::Constant).then(|| -> Result<Vec<u8>, AssembleError> {
                let mut bytes = v.init.clone().unwrap_or_default();
                bytes.resize(size, 0);
                // Constants lie where they do for good: their offsets are numbers, as ptxas has it.
                for &(at, target, addend, count) in &v.init_offsets {
                    let number = layout.offset[target].wrapping_add_signed(addend);
                    let count = usize::from(count);
                    let place = usize::try_from(at).ok().and_then(|at| bytes.get_mut(at..at + count));
                    place
                        .ok_or_else(|| AssembleError::Initialiser { variable: v.name.clone() })?
                        .copy_from_slice(&number.to_le_bytes()[..count]);
                }
                Ok(bytes)
            });
        let init = init.transpose()?;
        let address = |&(offset, target, addend): &(u64, ir::VariableId, i64)| cubin::Relocation {
            offset,
            kind: match module.variables[target].space {
                Space::Const => cubin::relocation::GENERIC_64,
                _ => cubin::relocation::ADDRESS_64,
            },
            symbol: module.variables[target].name.clone(),
            addend,
        };
        out.variables.push(cubin::Variable {
            name: v.name.clone(),
            space,
            offset,
            size: v.size,
            align,
            init,
            relocations: v.init_addresses.iter().map(address).collect(),
            exported: v.visible,
            weak: v.weak,
            other: if v.managed { MANAGED } else { 0 },
        });
    }
    let slot = |&id: &ir::VariableId| cubin::Address { symbol: module.variables[id].name.clone(), addend: 0 };
    let function = |call: &SystemCall| cubin::Address { symbol: call.name().to_owned(), addend: 0 };
    out.addresses = layout.addresses.iter().map(slot).chain(layout.calls.iter().map(function)).collect();
    Ok(())
}

/// `st_other` of a managed variable (ptxas 13.0.88's cubins).
const MANAGED: u8 = 4;
