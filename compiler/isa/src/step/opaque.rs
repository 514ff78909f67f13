//! Instructions that are known by name, operands and effects alone: which opaque operation each is.
//!
//! Source: what ptxas 13.0 makes of kernels of one PTX instruction, per modifier.

use super::lane::Lane;
use super::outcome::{Outcome, Step};
use super::register::Register;
use crate::meaning::Meaning as M;
use sassafras_semantics::{Domain, Opaque, Space, State, Trap};

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    pub(super) fn opaque(mut self) -> Step<D> {
        match self.inst.row().meaning {
            M::Preexit => self.ask("griddepcontrol.launch_dependents", &[])?,
            M::Acqbulk => self.ask("griddepcontrol.wait", &[])?,
            M::Fence => match self.text("space") {
                ".S" => self.ask("proxyfence.shared", &[])?,
                ".G" => self.ask("proxyfence.global", &[])?,
                other => return Err(self.unsupported(&format!("space {other}"))),
            },
            M::ClusterBarrier => match self.inst.row().mnemonic {
                "UCGABAR_ARV" => self.ask("clusterbarrier.arrive", &[])?,
                _ => self.ask("clusterbarrier.wait", &[])?,
            },
            M::Syncs => return self.barrier_object(),
            M::AtomsArrive => {
                let address = self.address(32)?;
                return self.arrive_at_words(&address);
            }
            M::AtomArrive => {
                let address = self.address(64)?;
                let address = self.state.cvta_to(self.d, Space::Shared, &address)?;
                let address = self.d.extract(&address, 0, 32);
                return self.arrive_at_words(&address);
            }
            // Before sm_90 it is for objects that are words.
            M::Arrives if !self.has("count") => {
                let address = self.object()?;
                self.ask("mbarrier.words.copies", &[address])?
            }
            M::Arrives => {
                let what = match self.text("count") {
                    ".ARVCNT" => "mbarrier.copies.arrive",
                    ".TRANSCNT" => "mbarrier.copies.complete_tx",
                    other => return Err(self.unsupported(&format!("count {other}"))),
                };
                let address = self.object()?;
                self.ask(what, &[address])?
            }
            M::Bulk => return self.bulk(),
            _ => return Err(self.unsupported("the instruction")),
        };
        Ok(Outcome::Next)
    }

    /// Asks the state for an operation by name.
    pub(super) fn ask(&mut self, name: &str, arguments: &[D::V]) -> Result<Vec<D::V>, Trap> {
        let op = Opaque::named(name).ok_or_else(|| self.unsupported(name))?;
        self.state.opaque(self.d, op, arguments)
    }

    /// The address of a barrier object, 32 bits: a register, a uniform one, an offset.
    fn object(&mut self) -> Result<D::V, Trap> {
        let a = self.bits32("a")?;
        let u = if self.has("u") { self.bits32("u")? } else { self.constant(32, 0) };
        let offset = self.raw("o");
        let sum = self.d.add(&a, &u);
        Ok(self.d.add(&sum, &self.d.constant(32, u128::from(offset as u32))))
    }

    /// `ATOMS.ARRIVE`, `ATOM.ARRIVE`: the word of the object before, of 64 bits.
    fn arrive_at_words(mut self, address: &D::V) -> Step<D> {
        let before = self.ask("mbarrier.words.arrive", std::slice::from_ref(address))?;
        self.set_wide("d", &before[0]);
        self.set("p", &self.d.yes());
        self.next()
    }

    /// `SYNCS`: one family of fields for each form.
    fn barrier_object(mut self) -> Step<D> {
        let address = self.object()?;
        if self.has("try") {
            let what = if self.flag("try") { "mbarrier.try_wait" } else { "mbarrier.test_wait" };
            let phase = self.bits32("b")?;
            let done = self.ask(what, &[address, phase])?;
            self.set("p", &done[0]);
        } else if self.has("optout") {
            return self.arrive(address);
        } else if self.has("op") {
            match self.text("op") {
                ".IV" => self.ask("mbarrier.inval", &[address])?,
                other => return Err(self.unsupported(&format!("operation {other}"))),
            };
        } else {
            if self.target("d").is_some() {
                return Err(self.unsupported("the old word of the object"));
            }
            let word = self.bits64("b")?;
            self.ask("mbarrier.init", &[address, word])?;
        }
        self.next()
    }

    /// `SYNCS.ARRIVE`: how many arrive, and how many bytes more are expected, by letters: `1` one, `0` none, `R` what the register says, `X` less
    /// by what it says. Without letters one arrives, and the register says how many bytes.
    fn arrive(mut self, address: D::V) -> Step<D> {
        let (remote, drop) = match (self.text("red"), self.flag("optout")) {
            ("", drop) => (false, drop),
            (".RED", drop) => (true, drop),
            (other, _) => return Err(self.unsupported(&format!("result {other}"))),
        };
        let (count, b) = (self.text("count"), self.bits32("b")?);
        let (none, one) = (self.constant(32, 0), self.constant(32, 1));
        if let ".A0TR" | ".A0TX" | ".A0T1" = count {
            if !remote || drop {
                return Err(self.unsupported("a result of bytes alone"));
            }
            let what = if count == ".A0TX" { "mbarrier.complete_tx" } else { "mbarrier.expect_tx" };
            let bytes = if count == ".A0T1" { one } else { b };
            self.ask(what, &[address, bytes])?;
            return self.next();
        }
        let (arrivals, bytes) = match count {
            ".A1T0" => (one, none),
            ".ART0" => (b, none),
            "" => (one, b),
            other => return Err(self.unsupported(&format!("count {other}"))),
        };
        let drop = if drop { ".drop" } else { "" };
        let what = if remote { "mbarrier.remote.arrive" } else { "mbarrier.arrive" };
        let state = self.ask(&format!("{what}{drop}"), &[address, arrivals, bytes])?;
        if let Some(state) = state.first() {
            self.set_wide("d", state);
        } else if self.target("d").is_some() {
            return Err(self.unsupported("a result of an object elsewhere"));
        }
        self.next()
    }

    /// Copies by units of 16 bytes, and stores and reductions that are counted at a barrier object.
    fn bulk(mut self) -> Step<D> {
        let (d, mnemonic) = (self.d, self.inst.row().mnemonic);
        let hint = self.has("e");
        match mnemonic {
            "UBLKCP" => {
                let pair = self.bits64("b")?;
                let (to, object) = (d.extract(&pair, 0, 32), d.extract(&pair, 32, 32));
                let size = self.bits32("c")?;
                let several = self.flag("mc");
                match (self.text("to"), hint) {
                    (".S.G", _) if several => {
                        let mut arguments = vec![to, object, self.bits64("a")?, size];
                        if hint {
                            arguments.push(self.bits64("e")?);
                        }
                        self.ask(if hint { "bulk.in.multi.hint" } else { "bulk.in.multi" }, &arguments)?
                    }
                    (".G.S", _) if !several => {
                        let mut arguments = vec![pair, self.bits32("a")?, size];
                        if hint {
                            arguments.push(self.bits64("e")?);
                        }
                        self.ask(if hint { "bulk.out.hint" } else { "bulk.out" }, &arguments)?
                    }
                    (".S.G", false) => {
                        let from = self.bits64("a")?;
                        self.ask("bulk.in", &[to, object, from, size])?
                    }
                    (".S.G", true) => {
                        let (from, policy) = (self.bits64("a")?, self.bits64("e")?);
                        self.ask("bulk.in.hint", &[to, object, from, size, policy])?
                    }
                    (".S.S", false) => {
                        let from = self.bits32("a")?;
                        self.ask("bulk.across", &[to, object, from, size])?
                    }
                    (other, _) => return Err(self.unsupported(&format!("direction {other}"))),
                };
            }
            "UBLKRED" => {
                let name = self.bulk_reduction()?;
                let mut arguments = vec![self.bits64("b")?, self.bits32("a")?, self.bits32("c")?];
                if hint {
                    arguments.push(self.bits64("e")?);
                }
                self.ask(&format!("{name}{}", if hint { ".hint" } else { "" }), &arguments)?;
            }
            "UBLKPF" => {
                let mut arguments = vec![self.bits64("a")?, self.bits32("c")?];
                let hint = self.has("u");
                if hint {
                    arguments.push(self.bits64("u")?);
                }
                self.ask(if hint { "bulk.prefetch.hint" } else { "bulk.prefetch" }, &arguments)?;
            }
            "UTMACMDFLUSH" => _ = self.ask("bulk.commit", &[])?,
            // A tensor map that is fetched ahead of its use is a hint.
            "UTMACCTL" if self.text("op") == ".PF" => _ = self.bits64("a")?,
            "UTMALDG" | "UTMASTG" | "UTMAREDG" | "UTMAPF" => return self.tensor(),
            "STAS" | "REDAS" => return self.shared_async(),
            _ => return Err(self.unsupported("the instruction")),
        }
        self.next()
    }

    /// Which reduction `UBLKRED` does to global memory. Source: each `cp.reduce.async.bulk` through ptxas 13.0.88 (black-box): logic has
    /// the types without a sign.
    fn bulk_reduction(&mut self) -> Result<String, Trap> {
        if self.text("to") != ".G.S" {
            return Err(self.unsupported("a reduction in shared memory"));
        }
        let (op, ty) = (self.text("op"), self.text("ty"));
        let ty = match ty {
            "" => "u32",
            ".S32" => "s32",
            ".U64" => "u64",
            ".S64" => "s64",
            ".F16.RN" => "f16",
            ".BF16.RN" => "bf16",
            ".F32.RN" => "f32",
            ".F64.RN" => "f64",
            other => return Err(self.unsupported(&format!("type {other}"))),
        };
        Ok(format!("bulk.reduce{}.{ty}", op.to_lowercase()))
    }

    /// `DEPBAR.LE SB0, n`: it waits for groups of bulk copies, if there are any; the scoreboard is theirs. By itself it is the wait of `.read`:
    /// what the copies wrote is seen behind a `CCTL.IVALL` (ptxas 13.0.88, `cp.async.bulk.wait_group` with and without `.read`).
    pub(super) fn group_wait(mut self) -> Step<D> {
        if self.text("sb") == "SB0" {
            let n = self.raw("n");
            let n = self.constant(32, n);
            self.ask("bulk.wait.read", &[n])?;
        }
        self.next()
    }

    /// Boxes of tensors: shared addresses, then coordinates, in uniform registers side by side.
    fn tensor(mut self) -> Step<D> {
        let dimensions = self.raw("dim") as u32 + 1;
        let what = match self.inst.row().mnemonic {
            "UTMALDG" => "in",
            "UTMASTG" => "out",
            "UTMAREDG" => "reduce",
            _ => "prefetch",
        };
        let mut name = format!("tensor.{what}.{dimensions}");
        let addresses = match what {
            "in" => 2,
            "prefetch" => 0,
            _ => 1,
        };
        let mut all = self.words("b", dimensions + addresses)?;
        let coordinates = all.split_off(addresses as usize);
        let map = self.bits64("a")?;
        let mut arguments = match what {
            "in" => vec![all[0].clone(), all[1].clone(), map],
            "prefetch" => vec![map],
            _ => vec![map, all[0].clone()],
        };
        if what == "reduce" {
            name += &self.text("op").to_lowercase();
        }
        // Without a mode of its own a form with offsets has them.
        if self.text("mode") == ".IM2COL" || self.inst.row().id.starts_with("utmapf.c") {
            name += ".im2col";
        }
        if what == "in" || what == "prefetch" {
            let several = self.flag("mc");
            name += if several { ".multi" } else { "" };
            let word = if self.has("c") { self.bits32("c")? } else { self.constant(32, 0) };
            arguments.push(word);
        }
        arguments.extend(coordinates);
        if self.has("u") {
            name += ".hint";
            arguments.push(self.bits64("u")?);
        }
        self.ask(&name, &arguments)?;
        self.next()
    }

    fn shared_async(mut self) -> Step<D> {
        let d = self.d;
        if self.raw("o") != 0 || self.target("u").is_some() {
            return Err(self.unsupported("an offset"));
        }
        let pair = self.bits64("a")?;
        let (to, object) = (d.extract(&pair, 0, 32), d.extract(&pair, 32, 32));
        let name = match (self.text("op"), self.text("ty"), self.text("sz")) {
            ("", _, "") => "store.b32",
            ("", _, ".64") => "store.b64",
            ("", _, ".128") => "store.b128",
            (".ADD", ".64", _) => "add.b64",
            (".ADD", _, _) => "add.b32",
            (".MIN", "", _) => "umin.b32",
            (".MAX", "", _) => "umax.b32",
            (".MIN", ".S32", _) => "smin.b32",
            (".MAX", ".S32", _) => "smax.b32",
            (".INC", "", _) => "inc.b32",
            (".DEC", "", _) => "dec.b32",
            (".AND", "", _) => "and.b32",
            (".OR", "", _) => "or.b32",
            (".XOR", "", _) => "xor.b32",
            (op, ty, _) => return Err(self.unsupported(&format!("operation {op}{ty}"))),
        };
        let units = match name {
            "store.b64" | "add.b64" => 2,
            "store.b128" => 4,
            _ => 1,
        };
        let value = self.bits("b", units)?;
        self.ask(&format!("sharedasync.{name}"), &[to, value, object])?;
        self.next()
    }
}
