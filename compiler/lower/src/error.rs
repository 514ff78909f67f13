//! What lowering cannot do.

use sassafras_ptx::checked::Inst;
use std::ops::Range;

/// A form that is not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{form}`: {message}")]
pub struct Error {
    /// 1-based line of the source; 0 if the error has none.
    pub line: u32,
    /// Bytes of the source text.
    pub span: Range<usize>,
    /// The form: the instruction's name with its types, or the name of a variable or function.
    pub form: String,
    /// What is not supported.
    pub message: String,
}

impl Error {
    /// An error at an instruction.
    pub(crate) fn at(inst: &Inst, message: impl Into<String>) -> Error {
        Error { line: inst.line, span: inst.span.clone(), form: form(inst), message: message.into() }
    }

    /// An error about something that has a name and no place.
    pub(crate) fn named(name: &str, message: impl Into<String>) -> Error {
        Error { line: 0, span: 0..0, form: name.into(), message: message.into() }
    }
}

/// The name of an instruction with its one-of-many suffix and its types.
fn form(inst: &Inst) -> String {
    let mut form = format!("{:?}", inst.op).to_lowercase();
    if let Some(mode) = inst.mods.mode {
        form += &format!(".{mode}");
    }
    for ty in &inst.types {
        form += &format!(".{}", type_name(*ty));
    }
    form
}

fn type_name(ty: sassafras_ptx::checked::Type) -> String {
    use sassafras_ptx::checked::Type;
    use sassafras_semantics::FloatFormat;
    match ty {
        Type::Pred => "pred".into(),
        Type::B(n) => format!("b{n}"),
        Type::U(n) => format!("u{n}"),
        Type::S(n) => format!("s{n}"),
        Type::F(FloatFormat::Bf16) => "bf16".into(),
        Type::F(FloatFormat::E4m3) => "e4m3".into(),
        Type::F(FloatFormat::E5m2) => "e5m2".into(),
        Type::Fp8x2(FloatFormat::E4m3) => "e4m3x2".into(),
        Type::Fp8x2(_) => "e5m2x2".into(),
        Type::F(format) => format!("f{}", format.width()),
        Type::Tf32 => "tf32".into(),
        Type::F16x2 => "f16x2".into(),
        Type::Bf16x2 => "bf16x2".into(),
        Type::U16x2 => "u16x2".into(),
        Type::S16x2 => "s16x2".into(),
        Type::F32x2 => "f32x2".into(),
    }
}
