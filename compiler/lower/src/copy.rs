//! `cp.async` (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
//!
//! A copy may be done at any time between the instruction and the wait for its group; here it is done at once, so that waits have nothing to
//! wait for.

use crate::context::{Context, Result};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Compare, Edge, MemoryAccess, Op, Type, Value};
use sassafras_ptx::checked::{Inst, Operand, Type as T};
use sassafras_semantics::Space;

impl Context<'_, '_> {
    pub(crate) fn copy_async(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        if matches!(inst.mods.mode, Some("commit_group" | "wait_group" | "wait_all")) {
            return Ok(());
        }
        let Operand::Immediate(bytes @ (4 | 8 | 16)) = *operand(o, 2)? else {
            return Err(Refusal::Needed("a copy of 4, 8 or 16 bytes"));
        };
        let (word, lanes) = (T::B(32), bytes as u32 / 4);
        let (to, write) = self.access_in(Space::Shared, inst, operand(o, 0)?, word, lanes)?;
        let (from, read) = self.access_in(Space::Global, inst, operand(o, 1)?, word, lanes)?;
        let whole = |c: &mut Self| {
            let load = c.b().emit(Op::Load(read), &[from], &vec![Type::I32; lanes as usize]);
            let values = c.function.insts[load].results.to_vec();
            c.store_words(write, to, &values);
        };
        // A cache policy is a hint.
        let hinted = usize::from(inst.mods.hints.contains(&"L2::cache_hint"));
        let given = match o[..o.len() - hinted].get(3) {
            None => {
                whole(self);
                return Ok(());
            }
            // `ignore-src`
            Some(Operand::Register(r)) if self.register_type(*r) == T::Pred => {
                let ignore = self.register(*r);
                let (none, all) = (self.b().i32(0), self.b().i32(bytes as u32));
                self.b().select(ignore, none, all)
            }
            Some(size) => self.value(size, T::U(32))?,
        };
        // Bytes behind those given are zero, and what stands there is not read.
        let all = self.b().i32(bytes as u32);
        let complete = self.b().compare(Compare::UGe, given, all);
        let [full, part, after] = [(); 3].map(|()| self.function.add_block());
        self.b().branch(complete, Edge::new(full, &[]), Edge::new(part, &[]));
        self.block = full;
        whole(self);
        self.b().jump(after, &[]);
        self.block = part;
        let zero = self.b().i32(0);
        self.store_words(write, to, &vec![zero; lanes as usize]);
        self.bytes(read, from, write, to, given, after);
        self.block = after;
        Ok(())
    }

    fn store_words(&mut self, access: MemoryAccess, to: Value, words: &[Value]) {
        let args: Vec<Value> = std::iter::once(to).chain(words.iter().copied()).collect();
        self.b().emit(Op::Store(access), &args, &[]);
    }

    /// A loop that copies the first `given` bytes.
    fn bytes(
        &mut self,
        read: MemoryAccess,
        from: Value,
        write: MemoryAccess,
        to: Value,
        given: Value,
        after: sassafras_ir::Block,
    ) {
        let [head, body] = [(); 2].map(|()| self.function.add_block());
        let zero = self.b().i32(0);
        self.b().jump(head, &[zero]);
        let at = self.function.add_param(head, Type::I32);
        self.block = head;
        let more = self.b().compare(Compare::ULt, at, given);
        self.b().branch(more, Edge::new(body, &[]), Edge::new(after, &[]));
        self.block = body;
        let byte = |access| MemoryAccess { bytes: 1, lanes: 1, ..access };
        let wide = self.b().zext(at, Type::I64);
        let source = self.b().add(from, wide);
        let value = self.b().value(Op::Load(byte(read)), &[source], Type::I32);
        let target = self.b().add(to, at);
        self.b().emit(Op::Store(byte(write)), &[target, value], &[]);
        let one = self.b().i32(1);
        let next = self.b().add(at, one);
        self.b().jump(head, &[next]);
    }
}
