//! Products of a warpgroup, by name.
//!
//! Source: what ptxas 13.0.88 makes of kernels of one `wgmma` instruction for sm_90a, per modifier. Descriptors stand in four uniform registers, A's in the
//! lower two. A group that nothing is in ends with `HGMMA.64x8x16.F16 RZ, gdesc[URZ], RZ, !UPT, gsb0`.

use super::lane::Lane;
use super::outcome::{Outcome, Step};
use super::register::Register;
use crate::form::RegClass;
use crate::meaning::Meaning as M;
use sassafras_semantics::{Domain, State};

/// The types of sums and factors, by the form's name and the texts of its fields.
fn types(id: &str, text: &mut impl FnMut(&str) -> &'static str) -> Option<(&'static str, String)> {
    let of = |text: &str| text.trim_start_matches('.').to_lowercase();
    let sum = if id.contains(".f16.") { "f16" } else { "f32" };
    Some(match id.split('.').next()? {
        "hgmma" if id.contains("tf32") => ("f32", "tf32.tf32".to_owned()),
        "hgmma" if text("ty") == ".BF16" => (sum, "bf16.bf16".to_owned()),
        "hgmma" => (sum, "f16.f16".to_owned()),
        "qgmma" => (sum, format!("{}.{}", of(text("ta")), of(text("tb")))),
        "igmma" => ("s32", format!("{}.{}", of(text("sa")), of(text("sb")))),
        "bgmma" => ("s32", "b1.b1".to_owned()),
        _ => return None,
    })
}

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    pub(super) fn warpgroup(mut self) -> Step<D> {
        match self.inst.row().meaning {
            // Of registers alone, which are in order here.
            M::GmmaFence => {}
            M::GmmaWait => {
                let n = self.raw("n");
                let n = self.constant(32, n);
                self.ask("wgmma.wait", &[n])?;
            }
            _ => self.warpgroup_product()?,
        }
        Ok(Outcome::Next)
    }

    fn warpgroup_product(&mut self) -> Result<(), sassafras_semantics::Trap> {
        let d = self.d;
        let id = self.inst.row().id;
        let commits = self.text("gsb") == "gsb0";
        let (target, shape) = (self.target("d"), self.text("shape"));
        let keeps = self.pred("q")?;
        let (registers, sparse) = (id.ends_with(".rs"), id.contains(".sp"));
        let (sum, factors) = types(id, &mut |field| self.text(field))
            .ok_or_else(|| self.unsupported("the type of a factor"))?;
        let columns = shape.split('x').nth(1).ok_or_else(|| self.unsupported("the shape"))?;
        let kind = if registers { "rs" } else { "ss" };
        let name = format!("wgmma.{kind}{}.n{columns}.{sum}.{factors}", if sparse { ".sp" } else { "" });

        let index = self.inst.row().field("d").ok_or_else(|| self.unsupported("the result"))?;
        let units = u32::from(self.inst.units(index));
        let old = self.words("c", units)?;
        let none = self.constant(32, 0);
        let mut arguments = Vec::with_capacity(units as usize + 9);
        arguments.extend(old.iter().map(|one| d.ite(&keeps, one, &none)));
        let (mut negates_a, negates_b) = (false, self.text("neg").contains(".negB"));
        if registers {
            negates_a |= self.negated("a");
            arguments.extend(self.words("a", 4)?);
        } else {
            negates_a |= self.text("neg").contains(".negA");
        }
        let descriptors = self.bits(if registers { "b" } else { "a" }, 4)?;
        if !registers {
            arguments.push(d.extract(&descriptors, 0, 64));
        }
        arguments.push(d.extract(&descriptors, 64, 64));
        arguments.push(keeps);
        let mut selector = 0;
        if sparse {
            arguments.push(self.bits32("e")?);
            selector = self.raw("sel") as u32;
        }
        let transposed = self.text("tnsp");
        let flags = u32::from(negates_a)
            | u32::from(negates_b) << 1
            | u32::from(transposed.contains(".tnspA")) << 2
            | u32::from(transposed.contains(".tnspB")) << 3
            | u32::from(self.flag("sat")) << 4
            | selector << 8;
        arguments.push(self.constant(32, flags.into()));
        // What keeps nothing, reads no descriptor and writes nowhere is there for the end of its group.
        let nothing = target.is_none() && self.target(if registers { "b" } else { "a" }).is_none();
        if !nothing {
            let results = self.ask(&name, &arguments)?;
            if let Some(first) = target {
                for (unit, result) in (0..).zip(&results) {
                    let register = Register { class: RegClass::R, number: first.number + unit };
                    self.state.write(d, register, result.clone());
                }
            }
        }
        if commits {
            self.ask("wgmma.commit", &[])?;
        }
        Ok(())
    }
}
