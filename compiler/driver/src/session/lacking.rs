//! What selection has no code for, as a reader of PTX knows it.

use sassafras_chip::Target;
use sassafras_codegen::select::Error;
use sassafras_ir::Function;
use sassafras_ir::text::print_op;

/// The PTX instruction with its line, and the operation of the IR in its own text, for an operation without a rule. `ptx`: the module's text,
/// where the session has it.
pub(super) fn sentence(error: &Error, function: &Function, ptx: Option<&str>, target: Target) -> String {
    let Error::NoRule { line, operation } = error else { return error.to_string() };
    let number = usize::try_from(*line).unwrap_or_default();
    let written = number.checked_sub(1).and_then(|n| ptx?.lines().nth(n)).map(|text| first(text.trim()));
    // Selection names the operation by its fields, of which the text of the IR says the same.
    let own = function.blocks.iter().flat_map(|(_, block)| &block.insts).map(|&inst| &function.insts[inst]);
    let found = own.filter(|data| data.line == *line).find_map(|data| {
        let (_, rest) = operation.split_once(&format!("{:?}", data.op))?;
        Some(format!("`{}`{}", print_op(&data.op), rest.trim_start_matches(')')))
    });
    let meant = found.unwrap_or_else(|| operation.clone());
    match written {
        Some(text) => format!("line {line}: {target} has no code yet for `{text}`, in the IR {meant}; it"),
        None => format!("line {line}: {target} has no code yet for {meant}; it"),
    }
}

/// The first instruction of a line, without what is said behind it.
fn first(line: &str) -> &str {
    let code = line.split("//").next().unwrap_or(line).trim();
    code.split_inclusive(';').next().unwrap_or(code)
}
