//! What can be done to a module.

use super::{names, walk};
use sassafras_ptx::ast::{BinaryOp, Expr, Item, Module, Operand, OperandKind, Statement};

/// A kind of step; all of one kind are tried before those of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Tidy,
    Items,
    Windows,
    Flow,
    Constants,
    Forward,
    Operands,
    Suffixes,
    Parameters,
}

impl Phase {
    pub const ALL: [Phase; 11] = [
        Phase::Items,
        Phase::Windows,
        Phase::Tidy,
        Phase::Flow,
        Phase::Constants,
        Phase::Forward,
        Phase::Windows,
        Phase::Operands,
        Phase::Suffixes,
        Phase::Parameters,
        Phase::Tidy,
    ];
}

/// One step. Statements have the numbers of [`walk::change`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Labels and declarations that nobody uses go.
    Tidy,
    /// An item of the module goes.
    Item(usize),
    /// Instructions between two numbers go.
    Window(usize, usize),
    /// A scope's statements stand where it stood.
    Unwrap(usize),
    /// An instruction runs without its guard.
    Unguard(usize),
    /// An instruction's result is a constant.
    Constant(usize),
    /// What a move copies is read where its result was.
    Forward(usize),
    /// An operand's leaf is another: statement, operand, leaf, which replacement.
    Operand(usize, usize, usize, Other),
    /// A suffix goes.
    Suffix(usize, usize),
    /// A parameter of an item goes.
    Parameter(usize, usize),
    /// A directive of an item goes.
    Directive(usize, usize),
}

/// What stands in an operand's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    Constant(&'static str),
    /// The address or sum without what is added.
    Base,
    /// The predicate without its negation.
    Plain,
}

const CONSTANTS: [&str; 4] = ["0", "1", "0f3F800000", "0d3FF0000000000000"];

/// The size of the largest steps of a phase; they are halved down to one.
pub(super) fn largest(phase: Phase, module: &Module) -> usize {
    let mut count = 0;
    walk::visit(module, &mut |_| count += 1);
    if phase == Phase::Windows { (count / 2).max(1) } else { 1 }
}

/// Every step of a phase and size, in order.
pub(super) fn steps(phase: Phase, size: usize, module: &Module) -> Vec<Step> {
    let mut all = Vec::new();
    let mut number = 0;
    let mut each = |see: &mut dyn FnMut(usize, &Statement)| {
        walk::visit(module, &mut |s| {
            see(number, s);
            number += 1;
        });
    };
    match phase {
        Phase::Tidy => all.push(Step::Tidy),
        Phase::Items => {
            let goes =
                |item: &Item| !matches!(item, Item::Version(_) | Item::Target(_) | Item::AddressSize(_));
            let numbers = (0..module.items.len()).filter(|&i| goes(&module.items[i]));
            all.extend(numbers.rev().map(Step::Item));
        }
        Phase::Windows => {
            each(&mut |_, _| {});
            // From the end: what is stored last goes with what computes it.
            let mut end = number;
            while end > 0 {
                let start = end.saturating_sub(size);
                all.push(Step::Window(start, end));
                end = start;
            }
        }
        Phase::Flow => each(&mut |n, s| match s {
            Statement::Block(_) => all.push(Step::Unwrap(n)),
            Statement::Instruction(i) if i.guard.is_some() => all.push(Step::Unguard(n)),
            _ => {}
        }),
        Phase::Constants => each(&mut |n, s| {
            if matches!(s, Statement::Instruction(i) if !names::is_constant(i)) {
                all.push(Step::Constant(n));
            }
        }),
        Phase::Forward => each(&mut |n, s| {
            if matches!(s, Statement::Instruction(i) if i.root.text == "mov" && i.guard.is_none()) {
                all.push(Step::Forward(n));
            }
        }),
        Phase::Operands => each(&mut |n, s| operands(n, s, &mut all)),
        Phase::Suffixes => each(&mut |n, s| {
            if let Statement::Instruction(i) = s {
                all.extend((0..i.suffixes.len()).map(|j| Step::Suffix(n, j)));
            }
        }),
        Phase::Parameters => {
            for (n, item) in module.items.iter().enumerate() {
                if let Item::Function(f) = item {
                    let count = f.params.as_ref().map_or(0, Vec::len);
                    all.extend((0..count).rev().map(|p| Step::Parameter(n, p)));
                    all.extend((0..f.directives.len()).rev().map(|d| Step::Directive(n, d)));
                }
            }
        }
    }
    all
}

/// What each leaf of a statement's operands can be instead.
fn operands(n: usize, s: &Statement, all: &mut Vec<Step>) {
    let Statement::Instruction(i) = s else { return };
    for (o, operand) in i.operands.iter().enumerate() {
        let mut operand = operand.clone();
        let address = matches!(operand.kind, OperandKind::Address(_));
        let mut list = Vec::new();
        walk::leaves(&mut operand, &mut list);
        for (l, leaf) in list.iter().enumerate() {
            match &leaf.kind {
                OperandKind::Value(Expr::Binary(BinaryOp::Add | BinaryOp::Sub, ..)) => {
                    all.push(Step::Operand(n, o, l, Other::Base));
                }
                OperandKind::Value(Expr::Number(now)) if !address => {
                    let smaller = CONSTANTS.iter().take_while(|c| **c != now.text);
                    all.extend(smaller.map(|c| Step::Operand(n, o, l, Other::Constant(c))));
                }
                OperandKind::Value(_) if !address && o > 0 => {
                    all.extend(CONSTANTS.iter().map(|c| Step::Operand(n, o, l, Other::Constant(c))));
                }
                OperandKind::Not(_) => all.push(Step::Operand(n, o, l, Other::Plain)),
                _ => {}
            }
        }
    }
}

/// The module behind a step; none if it changes nothing.
pub(super) fn apply(step: &Step, module: &Module) -> Option<Module> {
    let at = |wanted: usize, to: &dyn Fn(Statement) -> Vec<Statement>| {
        Some(walk::change(module, &mut |n, s| if n == wanted { to(s) } else { vec![s] }))
    };
    let instruction = |wanted: usize, to: &dyn Fn(&mut sassafras_ptx::ast::Instruction)| {
        at(wanted, &|mut s| {
            if let Statement::Instruction(i) = &mut s {
                to(i);
            }
            vec![s]
        })
    };
    match *step {
        Step::Tidy => Some(names::tidy(module)),
        Step::Item(n) => {
            let mut module = module.clone();
            module.items.remove(n);
            Some(module)
        }
        Step::Window(start, end) => {
            let inside = |n: usize| (start..end).contains(&n);
            Some(walk::change(module, &mut |n, s| match s {
                Statement::Instruction(_) if inside(n) => Vec::new(),
                other => vec![other],
            }))
        }
        Step::Unwrap(n) => at(n, &|s| match s {
            Statement::Block(b) => b.statements,
            other => vec![other],
        }),
        Step::Unguard(n) => instruction(n, &|i| i.guard = None),
        Step::Constant(n) => constant(module, n),
        Step::Forward(n) => forward(module, n),
        Step::Operand(n, o, l, other) => instruction(n, &|i| {
            let mut list = Vec::new();
            if let Some(operand) = i.operands.get_mut(o) {
                walk::leaves(operand, &mut list);
            }
            if let Some(leaf) = list.into_iter().nth(l) {
                replace(leaf, other);
            }
        }),
        Step::Suffix(n, j) => instruction(n, &|i| {
            if j < i.suffixes.len() {
                i.suffixes.remove(j);
            }
        }),
        Step::Parameter(n, p) => {
            let mut module = module.clone();
            if let Item::Function(f) = &mut module.items[n] {
                f.params.as_mut()?.remove(p);
            }
            Some(module)
        }
        Step::Directive(n, d) => {
            let mut module = module.clone();
            if let Item::Function(f) = &mut module.items[n] {
                f.directives.remove(d);
            }
            Some(module)
        }
    }
}

fn replace(leaf: &mut Operand, other: Other) {
    let kind = match (other, &leaf.kind) {
        (Other::Constant(text), _) => OperandKind::Value(Expr::Number(names::name(text))),
        (Other::Base, OperandKind::Value(Expr::Binary(_, base, _))) => OperandKind::Value((**base).clone()),
        (Other::Plain, OperandKind::Not(name)) => OperandKind::Value(Expr::Symbol(name.clone())),
        _ => return,
    };
    leaf.kind = kind;
}

/// The result of an instruction is a constant, in its own place.
fn constant(module: &Module, wanted: usize) -> Option<Module> {
    let mut found = None;
    let mut number = 0;
    walk::visit(module, &mut |s| {
        if number == wanted
            && let Statement::Instruction(i) = s
            && let Some(OperandKind::Value(Expr::Symbol(name))) = i.operands.first().map(|o| &o.kind)
        {
            found = Some((name.text.clone(), i.guard.clone()));
        }
        number += 1;
    });
    let (register, guard) = found?;
    let bodies = module.items.iter().filter_map(|item| match item {
        Item::Function(f) => f.body.as_ref(),
        _ => None,
    });
    let ty = bodies.filter_map(|b| names::type_of(b, &register)).next()?;
    let mut with = names::constant(&register, &ty)?;
    if let Statement::Instruction(i) = &mut with {
        i.guard = guard;
    }
    Some(walk::change(module, &mut |n, s| if n == wanted { vec![with.clone()] } else { vec![s] }))
}

/// What a move copies is read where its result was read. Others that write the same register keep it from being right, and then it is
/// up to whoever keeps.
fn forward(module: &Module, wanted: usize) -> Option<Module> {
    let mut found = None;
    let mut number = 0;
    walk::visit(module, &mut |s| {
        if number == wanted
            && let Statement::Instruction(i) = s
            && let [to, from] = &i.operands[..]
            && let OperandKind::Value(Expr::Symbol(to)) = &to.kind
        {
            found = Some((to.text.clone(), from.kind.clone()));
        }
        number += 1;
    });
    let (to, from) = found?;
    Some(walk::change(module, &mut |n, mut s| {
        if n == wanted {
            return Vec::new();
        }
        if let Statement::Instruction(i) = &mut s {
            for (o, operand) in i.operands.iter_mut().enumerate() {
                let result = o == 0 && !matches!(i.root.text.as_str(), "st" | "red");
                let mut list = Vec::new();
                walk::leaves(operand, &mut list);
                for leaf in list {
                    let same = matches!(&leaf.kind, OperandKind::Value(Expr::Symbol(n)) if n.text == to);
                    if same && !result {
                        leaf.kind = from.clone();
                    }
                }
            }
        }
        vec![s]
    }))
}
