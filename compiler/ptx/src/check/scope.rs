//! Names, by scope. Labels, variables, registers and functions share one space of names, as in ptxas.

use crate::checked::{FunctionId, LabelId, RegisterId, Type, VariableId};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Register(RegisterId),
    /// A vector of registers, reached by `.x` and so on.
    Registers(Vec<RegisterId>),
    Variable(VariableId),
    /// A parameter of the function; `true` for a return parameter.
    Param(u32, bool),
    Label(LabelId),
    Function(FunctionId),
    Targets,
    Prototype,
}

/// `%r<10>`: ten names, made registers when they are first used.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub count: u64,
    pub ty: Type,
    /// Elements of each register, 1 if it is no vector.
    pub lanes: u8,
    pub span: Span,
    /// Registers made so far, the first of each vector.
    pub made: FxHashMap<u64, RegisterId>,
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<String, (Entity, Span)>,
    ranges: FxHashMap<String, Range>,
}

/// The scopes open at a point, the innermost last.
#[derive(Default)]
pub(super) struct Scopes {
    stack: Vec<Scope>,
}

/// What a name was found to be.
pub(super) enum Found<'a> {
    Entity(&'a Entity),
    /// A register of a range.
    Indexed(&'a mut Range, u64),
}

impl Scopes {
    pub fn push(&mut self) {
        self.stack.push(Scope::default());
    }
    pub fn pop(&mut self) {
        self.stack.pop();
    }

    fn top(&mut self) -> &mut Scope {
        if self.stack.is_empty() {
            self.push();
        }
        self.stack.last_mut().expect("there is a scope: one was just made if not")
    }

    /// Declares a name; the place of the earlier declaration if there is one in this scope.
    pub fn declare(&mut self, name: &str, entity: Entity, span: Span) -> Result<(), Span> {
        let top = self.top();
        if let Some((_, earlier)) = top.names.get(name) {
            return Err(*earlier);
        }
        let in_range = splits(name).find_map(|(prefix, i)| top.ranges.get(prefix).filter(|r| i < r.count));
        if let Some(range) = in_range {
            return Err(range.span);
        }
        top.names.insert(name.to_owned(), (entity, span));
        Ok(())
    }

    /// Declares `prefix<count>`.
    pub fn declare_range(
        &mut self,
        prefix: &str,
        count: u64,
        ty: Type,
        lanes: u8,
        span: Span,
    ) -> Result<(), Span> {
        let top = self.top();
        let taken = |name: &str| splits(name).any(|(p, i)| p == prefix && i < count);
        if let Some((_, (_, earlier))) = top.names.iter().find(|(name, _)| taken(name)) {
            return Err(*earlier);
        }
        if let Some(range) = top.ranges.get(prefix) {
            return Err(range.span);
        }
        top.ranges.insert(prefix.to_owned(), Range { count, ty, lanes, span, made: FxHashMap::default() });
        Ok(())
    }

    /// Finds a name in the innermost scope that has it.
    pub fn find(&mut self, name: &str) -> Option<Found<'_>> {
        let at = self.stack.iter().rposition(|scope| {
            scope.names.contains_key(name)
                || splits(name).any(|(prefix, i)| scope.ranges.get(prefix).is_some_and(|r| i < r.count))
        })?;
        let scope = &mut self.stack[at];
        if scope.names.contains_key(name) {
            return scope.names.get(name).map(|(entity, _)| Found::Entity(entity));
        }
        let (prefix, index) =
            splits(name).find(|(prefix, i)| scope.ranges.get(*prefix).is_some_and(|r| *i < r.count))?;
        scope.ranges.get_mut(prefix).map(|range| Found::Indexed(range, index))
    }
}

/// The ways to read a name as a prefix and a number: `%r10` is `%r` 10, or `%r1` 0.
fn splits(name: &str) -> impl Iterator<Item = (&str, u64)> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    (1..=digits.min(19)).rev().filter_map(move |n| {
        let (prefix, number) = name.split_at(name.len() - n);
        let canonical = number == "0" || !number.starts_with('0');
        (canonical && !prefix.is_empty()).then(|| number.parse().ok().map(|i| (prefix, i)))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_splits_every_way() {
        assert_eq!(splits("%r10").collect::<Vec<_>>(), [("%r", 10), ("%r1", 0)]);
        assert_eq!(splits("%r01").collect::<Vec<_>>(), [("%r0", 1)]);
        assert_eq!(splits("%r").count(), 0);
        assert_eq!(splits("7").count(), 0);
    }

    #[test]
    fn ranges_and_names_collide() {
        let mut scopes = Scopes::default();
        scopes.push();
        let here = Span { start: 1, end: 2 };
        assert!(scopes.declare_range("%r", 3, Type::B(32), 1, here).is_ok());
        assert!(scopes.declare("%r2", Entity::Targets, here).is_err());
        assert!(scopes.declare("%r3", Entity::Targets, here).is_ok());
        assert!(matches!(scopes.find("%r2"), Some(Found::Indexed(_, 2))));
        assert!(scopes.find("%r4").is_none());
        scopes.push();
        assert!(scopes.declare("%r2", Entity::Targets, here).is_ok());
        assert!(matches!(scopes.find("%r2"), Some(Found::Entity(Entity::Targets))));
        assert!(scopes.declare_range("%r", 2, Type::B(32), 1, here).is_ok());
        assert!(scopes.declare_range("%r", 2, Type::B(32), 1, here).is_err());
    }
}
