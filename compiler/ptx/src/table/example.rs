//! Valid instructions from rows, and the rows as documentation.
//!
//! Registers in examples are named by type: `%r1` is 32 bits wide, `%rs1` 16, `%rd1` 64, `%rq1` 128, `%rb1` 8, `%f1` and `%fd1`
//! are floats, `%p1` a predicate; [`DECLARATIONS`] declares them.

use super::row::{Only, Row, Since, Slot, SlotKind, Value};
use crate::check::TARGETS;
use crate::checked::Type;

/// What the body of a function needs before an example.
pub const DECLARATIONS: &str = "\
\t.reg .pred %p<16>;
\t.reg .b8 %rb<16>;
\t.reg .b16 %rs<16>;
\t.reg .b32 %r<128>;
\t.reg .b64 %rd<16>;
\t.reg .b128 %rq<16>;
\t.reg .f32 %f<128>;
\t.reg .f64 %fd<16>;
\t.local .align 16 .b8 local_memory[64];
\t.param .align 16 .b8 argument[64];
LABEL:
TARGETS: .branchtargets LABEL;
";

/// What a module needs before an example.
pub const MODULE: &str = "\
.global .align 16 .b8 global_memory[64];
.const .align 16 .b8 const_memory[64];
.shared .align 16 .b8 shared_memory[64];
.func callee () { ret; }
";

impl Since {
    /// A target for examples: sm_90 where that has the form, else the first that has it.
    pub fn example_target(self) -> &'static str {
        let has = |name: &str, sm: u32| sm >= self.sm.max(90) && self.only.has(name);
        // sm_101 is the older name of sm_110, which newer tools do not take.
        let all = TARGETS.iter().filter(|(name, sm, _)| *sm != 101 && has(name, *sm));
        all.map(|(name, ..)| *name).next().expect("a form has a target")
    }
}

impl Row {
    /// The mnemonic with every choice, as in the table but with groups spelled out.
    pub fn head(&self) -> String {
        let mut text = self.root.to_owned();
        for element in &self.elements {
            let words: Vec<String> = element.choices.iter().map(|c| c.words.join(".")).collect();
            let one = match words.as_slice() {
                [word] => word.clone(),
                many => format!("<{}>", many.join("|")),
            };
            text += &if element.optional { format!("{{.{one}}}") } else { format!(".{one}") };
        }
        text
    }

    /// One form of the row with its operands' types, as in `mad.wide.u32 d:u64, a:u32, b:u32, c:u64`.
    pub fn syntax(&self, types: &[Type], words: &[&str]) -> String {
        let mut text = self.root.to_owned();
        let mut types_left = types.iter();
        let mut words_left = words.iter().peekable();
        for element in &self.elements {
            if element.is_type() {
                if let Some(ty) = types_left.next() {
                    text += &format!(".{}", ty.name());
                }
            } else {
                while words_left.peek().is_some_and(|w| element.choices.iter().any(|c| c.words.contains(w))) {
                    text += &format!(".{}", words_left.next().unwrap_or(&""));
                }
            }
        }
        let slots: Vec<String> = self.slots.iter().map(|s| slot_syntax(s, types)).collect();
        format!("`{text} {}`", slots.join(", ")).replace(" `", "`")
    }

    /// Mnemonics that use every choice of the row: all combinations of types, and every other choice with the first types and
    /// the fewest other words.
    pub fn variants(&self) -> Vec<Vec<&'static str>> {
        let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
        for element in &self.elements {
            let choices = if element.is_type() { element.choices.as_slice() } else { &element.choices[..1] };
            if element.optional {
                continue;
            }
            let longer = |start: &Vec<&'static str>| {
                let start = start.clone();
                choices.iter().map(move |c| start.iter().copied().chain(c.words.iter().copied()).collect())
            };
            all = all.iter().flat_map(longer).collect();
        }
        for (i, element) in self.elements.iter().enumerate().filter(|(_, e)| !e.is_type()) {
            for choice in element.choices.iter().skip(usize::from(!element.optional)) {
                let pick = |(j, e): (usize, &super::Element)| match () {
                    () if i == j => choice.words.clone(),
                    () if e.optional => Vec::new(),
                    () => e.choices[0].words.clone(),
                };
                all.push(self.elements.iter().enumerate().flat_map(pick).collect());
            }
        }
        all
    }

    /// The first mnemonic of the row with operands.
    pub fn example(&'static self) -> String {
        let suffixes: Vec<&str> =
            self.elements.iter().filter(|e| !e.optional).flat_map(|e| e.choices[0].words.clone()).collect();
        self.instruction(&suffixes)
    }

    /// A valid instruction with these suffixes, which must fit the row, in the row's order.
    pub fn instruction(&'static self, suffixes: &[&str]) -> String {
        let mnemonic: String =
            std::iter::once(self.root).chain(suffixes.iter().copied()).collect::<Vec<_>>().join(".");
        format!("{mnemonic} {};", self.operands(suffixes).join(", ")).replace(" ;", ";")
    }

    /// The operands of [`Row::instruction`], one for each slot.
    pub fn operands(&'static self, suffixes: &[&str]) -> Vec<String> {
        let types: Vec<Type> = suffixes.iter().filter_map(|s| Type::parse(s)).collect();
        let lanes = match () {
            () if suffixes.contains(&"v2") => 2,
            () if suffixes.contains(&"v4") => 4,
            () if suffixes.contains(&"v8") => 8,
            () => 1,
        };
        let space = SPACES
            .iter()
            .find(|(word, _)| suffixes.iter().any(|s| s == word || s.split("::").next() == Some(word)));
        let slots = self.slots.iter().enumerate();
        slots.map(|(i, s)| operand(s, i + 1, &types, suffixes, lanes, space.map(|s| s.1))).collect()
    }
}

/// An address in each space; a kernel's parameter before the variables of a function.
const SPACES: [(&str, &str); 6] = [
    ("param::entry", "parameter"),
    ("const", "const_memory"),
    ("global", "global_memory"),
    ("shared", "shared_memory"),
    ("local", "local_memory"),
    ("param", "argument"),
];

fn slot_syntax(slot: &Slot, types: &[Type]) -> String {
    let one = match slot.kind {
        SlotKind::Value(Value { ty, only: Only::Immediate | Only::Sign, .. }) => {
            format!("{}:.{} constant", slot.name, ty.resolve(types).name())
        }
        SlotKind::Value(Value { ty, .. }) => format!("{}:.{}", slot.name, ty.resolve(types).name()),
        SlotKind::Address => format!("[{}]", slot.name),
        SlotKind::Tensor => format!("[{}, {{x, …}}]", slot.name),
        SlotKind::Ids { .. } => "{byte, thread}".into(),
        SlotKind::Texture(texture) => {
            let names: Vec<_> = texture.types(types).iter().map(|ty| format!(".{}", ty.name())).collect();
            format!("[{}, {{{}}}]", slot.name, names.join(", "))
        }
        SlotKind::Pack => format!("{{{}, …}}", slot.name),
        SlotKind::AddressValue => format!("{}:.b64", slot.name),
        SlotKind::Label => "label".into(),
        SlotKind::Targets => "targets".into(),
        SlotKind::Call => "(results), function, (arguments)".into(),
    };
    let one = match slot.pair {
        Some((_, true)) => format!("{one}{{|p}}"),
        Some((_, false)) => format!("{one}|p"),
        None => one,
    };
    if slot.optional { format!("{{{one}}}") } else { one }
}

fn operand(
    slot: &Slot,
    i: usize,
    types: &[Type],
    suffixes: &[&str],
    lanes: usize,
    space: Option<&str>,
) -> String {
    let one = match slot.kind {
        SlotKind::Value(Value { only: Only::Immediate, most, .. }) => most.min(128).to_string(),
        SlotKind::Value(Value { only: Only::Sink, .. }) => "_".into(),
        SlotKind::Value(Value { only: Only::Sign, .. }) => "-1".into(),
        SlotKind::Value(value) if value.elements(suffixes) > 0 => {
            let items: Vec<_> =
                (0..value.elements(suffixes)).map(|n| register(value.ty.resolve(types), n)).collect();
            format!("{{{}}}", items.join(", "))
        }
        SlotKind::Value(value) if value.vector && lanes > 1 => {
            let items: Vec<_> = (0..lanes).map(|n| register(value.ty.resolve(types), n + 1)).collect();
            format!("{{{}}}", items.join(", "))
        }
        SlotKind::Value(value) => register(value.ty.resolve(types), i),
        SlotKind::Address if slot.name == "tmem" => "[%r1]".into(),
        SlotKind::Ids { .. } => "{0, 0}".into(),
        SlotKind::Address => {
            let own = SPACES.iter().find(|(word, _)| *word == slot.name).map(|s| s.1);
            format!("[{}]", own.or(space).unwrap_or("%rd1"))
        }
        SlotKind::Tensor => {
            let count = super::coordinates(suffixes).unwrap_or(0);
            let items: Vec<_> = (0..count).map(|n| register(Type::S(32), n)).collect();
            format!("[%rd{i}, {{{}}}]", items.join(", "))
        }
        SlotKind::Texture(texture) => {
            let types = texture.types(types);
            let items: Vec<_> = types.iter().enumerate().map(|(n, ty)| register(*ty, n)).collect();
            format!("[%rd1, {{{}}}]", items.join(", "))
        }
        SlotKind::Pack => {
            let half = register(Type::B((types[0].width() / 2) as u8), 1);
            format!("{{{half}, {half}}}", half = half).replacen("1,", "2,", 1)
        }
        SlotKind::AddressValue => register(Type::B(64), i),
        SlotKind::Label => "LABEL".into(),
        SlotKind::Targets => "TARGETS".into(),
        SlotKind::Call => "callee".into(),
    };
    match slot.pair {
        Some((ty, false)) => format!("{one}|{}", register(ty.resolve(types), i + 1)),
        _ => one,
    }
}

fn register(ty: Type, i: usize) -> String {
    use sassafras_semantics::FloatFormat::{F32, F64};
    let name = match ty {
        Type::Pred => "%p",
        Type::F(F32) => "%f",
        Type::F(F64) => "%fd",
        other => match other.width() {
            8 => "%rb",
            16 => "%rs",
            64 => "%rd",
            128 => "%rq",
            _ => "%r",
        },
    };
    format!("{name}{i}")
}
