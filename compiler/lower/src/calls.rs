//! Who calls whom.

use rustc_hash::FxHashSet;
use sassafras_ptx::checked::{Function, FunctionId, Inst, Module, Op, Operand};

/// What calls there are.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    /// The functions that may call themselves, directly or through others.
    pub recursive: FxHashSet<FunctionId>,
    /// Those whose address is taken, in order. A call through a register may be one of any of them.
    pub taken: Vec<FunctionId>,
}

/// The calls of a module.
pub(crate) fn calls(module: &Module) -> Calls {
    let mut taken: Vec<FunctionId> = Vec::new();
    let own = module.functions.iter().flat_map(|f| &f.variables);
    let mut take = |id: FunctionId| {
        if !taken.contains(&id) {
            taken.push(id);
        }
    };
    for variable in module.variables.iter().chain(own) {
        variable.init_functions.iter().for_each(|(_, id)| take(*id));
    }
    for inst in module.functions.iter().flat_map(body) {
        let callee = inst.operands.iter().position(|o| matches!(o, Operand::Function(_)));
        for (at, operand) in inst.operands.iter().enumerate() {
            // A direct call does not take the address of what it calls.
            if inst.op == Op::Call && Some(at) == callee {
                continue;
            }
            named(operand, &mut take);
        }
    }
    taken.sort_by_key(|id| id.0);

    let calls: Vec<Vec<FunctionId>> = module
        .functions
        .iter()
        .map(|f| {
            let mut all = Vec::new();
            for inst in body(f).filter(|inst| inst.op == Op::Call) {
                match inst.operands.iter().find_map(|o| match o {
                    Operand::Function(id) => Some(*id),
                    _ => None,
                }) {
                    Some(id) => all.push(id),
                    None => all.extend(&taken),
                }
            }
            all
        })
        .collect();
    let reaches_itself = |start: usize| {
        if calls[start].is_empty() {
            return false;
        }
        let mut seen = vec![false; calls.len()];
        let mut work = vec![start];
        while let Some(f) = work.pop() {
            for id in calls.get(f).into_iter().flatten() {
                let to = id.0 as usize;
                if to == start {
                    return true;
                }
                if let Some(seen) = seen.get_mut(to)
                    && !std::mem::replace(seen, true)
                {
                    work.push(to);
                }
            }
        }
        false
    };
    let recursive = (0..calls.len()).filter(|&f| reaches_itself(f)).map(|f| FunctionId(f as u32)).collect();
    Calls { recursive, taken }
}

fn body(f: &Function) -> impl Iterator<Item = &Inst> {
    f.insts.iter().flatten()
}

/// Calls `take` for each function that an operand names.
fn named(operand: &Operand, take: &mut impl FnMut(FunctionId)) {
    match operand {
        Operand::Function(id) => take(*id),
        Operand::Vector(items) => items.iter().for_each(|o| named(o, take)),
        Operand::List(items) => items.iter().for_each(|o| named(o, take)),
        _ => {}
    }
}
