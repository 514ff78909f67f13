//! What every form means: one step of one lane, over any [`Domain`] and [`State`].
//!
//! [`step`] reads the operands of an instruction by the names of its fields, computes with the domain's primitives, writes
//! registers and memory through the state, and says by an [`Outcome`] what comes next. The guard is the caller's business
//! ([`guard`]). A form or modifier without a meaning here is [`Trap::Unsupported`] with the form's name; a modifier that a
//! meaning overlooks fails the tests.
//!
//! Written from SASS sources alone (`nvdisasm`'s text, ptxas's output for PTX of one instruction, Mesa's NAK) and never
//! from the meanings of PTX, so that one misreading cannot hide on both sides of a comparison.
//!
//! - `lane`: operands by field name, flags, writes.
//! - `integer`, `logic`, `float`, `half`, `convert`: the arithmetic of one lane.
//! - `moves`, `special`, `memory`: registers of other files, memory, constants.
//! - `opaque`, `texture`: what is known by operands and effects alone.
//! - `matrix`: what a warp's registers hold together.
//! - `warpgroup`: products of four warps, by name.
//! - `control`, `warp`: branches and convergence; what the lanes of a warp do together.

mod control;
mod convert;
mod float;
mod half;
mod integer;
mod lane;
mod logic;
mod matrix;
mod memory;
mod moves;
mod opaque;
mod outcome;
mod register;
mod special;
mod texture;
mod warp;
mod warpgroup;

#[cfg(test)]
mod homes_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vectors;

pub use outcome::{Outcome, Output};
pub use register::Register;
pub use special::special_register;

use crate::form::RegClass;
use crate::inst::Inst;
use crate::meaning::Meaning;
use lane::Lane;
use outcome::Step;
use sassafras_semantics::{Domain, FloatFormat, FloatOp, Space, State, Trap, UnaryOp};

/// The value of the guard, one bit.
///
/// # Errors
/// What reading the predicate gives.
pub fn guard<D: Domain, S: State<D, Register = Register>>(
    d: &D,
    inst: &Inst,
    state: &mut S,
) -> Result<D::V, Trap> {
    let class = if inst.guard.uniform { RegClass::UP } else { RegClass::P };
    let value = if u64::from(inst.guard.pred) == crate::inst::PT {
        d.yes()
    } else {
        state.read(d, Register { class, number: inst.guard.pred })?
    };
    Ok(if inst.guard.negate { d.not(&value) } else { value })
}

/// Executes one instruction at `address` (bytes from the start of its section) for one lane whose guard holds.
///
/// # Errors
/// A fault of the state; [`Trap::Unsupported`] for what has no meaning here.
pub fn step<D: Domain, S: State<D, Register = Register>>(
    d: &D,
    inst: &Inst,
    address: u64,
    state: &mut S,
) -> Result<Outcome<D::V>, Trap> {
    dispatch(Lane::new(d, inst, address, state, None))
}

fn dispatch<D: Domain, S: State<D, Register = Register>>(lane: Lane<'_, D, S>) -> Step<D> {
    use FloatFormat::{F32, F64};
    use Meaning as M;
    match lane.inst.row().meaning {
        M::Iadd3 | M::Uiadd3 => lane.iadd3(1),
        M::Uiadd3Wide => lane.iadd3(2),
        M::Imad | M::Uimad => lane.imad(),
        M::ImadWide | M::UimadWide => lane.imad_wide(),
        M::ImadHi | M::UimadHi => lane.imad_hi(),
        M::Iabs => lane.iabs(),
        M::Imnmx => lane.imnmx(),
        M::Viadd => lane.viadd(),
        M::Vimnmx => lane.vimnmx(),
        M::Viaddmnmx => lane.viaddmnmx(),
        M::Vimnmx3 => lane.vimnmx3(),
        M::Idp => lane.idp(),
        M::Vabsdiff => lane.vabsdiff(),
        M::Vabsdiff4 => lane.vabsdiff4(),
        M::Lea | M::Ulea => lane.lea(),
        M::Lop3 | M::Ulop3 => lane.lop3(),
        M::Plop3 | M::Uplop3 | M::Plop3Sign => lane.plop3(),
        M::Shf | M::Ushf => lane.shf(),
        M::Brev | M::Ubrev => lane.unary_bits(UnaryOp::Reverse),
        M::Popc | M::Upopc => lane.unary_bits(UnaryOp::Popcount),
        M::Flo | M::Uflo => lane.flo(),
        M::Prmt | M::Uprmt => lane.prmt(),
        M::Sel | M::Usel => lane.sel(),
        M::Isetp | M::Uisetp => lane.isetp(),
        M::Sgxt | M::Usgxt => lane.sgxt(),
        M::Bmsk | M::Ubmsk => lane.bmsk(),
        M::R2p | M::Ur2up => lane.r2p(),
        M::P2r | M::Up2ur => lane.p2r(),
        M::Mov | M::Umov | M::R2ur => lane.mov(),
        M::Cs2r | M::S2r | M::S2ur => lane.special_register(),
        M::Ldc => lane.load_constant(),
        M::Iadd64 => lane.iadd3(2),
        M::Imnmx64 => lane.imnmx_wide(),
        M::Isetp64 => lane.isetp_wide(),
        M::Mov64 => lane.mov_wide(),
        M::Sel64 => lane.sel_wide(),
        M::Fadd2 => lane.arithmetic_of_two(FloatOp::Add),
        M::Fmul2 => lane.arithmetic_of_two(FloatOp::Mul),
        M::Ffma2 => lane.arithmetic_of_two(FloatOp::Fma),
        M::Fhadd => lane.with_halves(FloatOp::Add),
        M::Fhfma => lane.with_halves(FloatOp::Fma),
        M::Fmnmx3 => lane.float_extremum_of_three(),
        M::Fadd => lane.arithmetic(FloatOp::Add, F32),
        M::Fmul => lane.arithmetic(FloatOp::Mul, F32),
        M::Ffma => lane.arithmetic(FloatOp::Fma, F32),
        M::Dadd => lane.arithmetic(FloatOp::Add, F64),
        M::Dmul => lane.arithmetic(FloatOp::Mul, F64),
        M::Dfma => lane.arithmetic(FloatOp::Fma, F64),
        M::Fmnmx => lane.float_extremum(F32),
        M::Dmnmx => lane.float_extremum(F64),
        M::Fsetp => lane.float_setp(F32),
        M::Dsetp => lane.float_setp(F64),
        M::Fset => lane.fset(),
        M::Fsel => lane.fsel(),
        M::Fchk => lane.fchk(),
        M::Mufu => lane.mufu(),
        M::F2i => lane.f2i(),
        M::I2i => lane.i2i(),
        M::I2ip => lane.i2ip(),
        M::F2ip => lane.f2ip(),
        M::ConvertPart => lane.convert_part(),
        M::I2f => lane.i2f(),
        M::F2f => lane.f2f(),
        M::F2fp => lane.f2fp(),
        M::F2fpMerge => lane.f2fp(),
        M::F2fpTf32 => lane.tf32(),
        M::F2fpFp8 => lane.narrow_fp8(FloatFormat::F32),
        M::F2fpFp8OfHalves => lane.narrow_fp8(FloatFormat::F16),
        M::F2fpUnpack => lane.widen_fp8(),
        M::Frnd => lane.frnd(),
        M::Hadd2 => lane.half_sum(),
        M::Hmul2 => lane.half_arithmetic(FloatOp::Mul),
        M::Hfma2 | M::Hfma2Relu => lane.half_arithmetic(FloatOp::Fma),
        M::Hmnmx2 => lane.half_extremum(),
        M::Hset2 => lane.half_set(),
        M::Hsetp2 => lane.half_setp(),
        M::Ldg => lane.load(Space::Global, 64),
        M::LdgWide => lane.load_wide(),
        M::StgWide => lane.store_wide(),
        M::Ld => lane.load(Space::Generic, 64),
        M::Lds => lane.load(Space::Shared, 32),
        M::Ldl => lane.load(Space::Local, 32),
        M::Stg => lane.store(Space::Global, 64),
        M::St => lane.store(Space::Generic, 64),
        M::Sts => lane.store(Space::Shared, 32),
        M::Stl => lane.store(Space::Local, 32),
        M::Atomg | M::Red | M::AtomgAmpere | M::RedAmpere => lane.atomic(Space::Global, 64),
        M::Atom => lane.atomic(Space::Generic, 64),
        M::Atoms => lane.atomic(Space::Shared, 32),
        M::AtomgCas => lane.compare_and_swap(Space::Global, 64),
        M::AtomCas => lane.compare_and_swap(Space::Generic, 64),
        M::AtomsCas => lane.compare_and_swap(Space::Shared, 32),
        M::AtomsCast => lane.compare_and_store(Space::Shared, 32),
        M::Ldgsts => lane.copy_to_shared(),
        M::Qspc => lane.query_space(),
        M::Membar => lane.membar(),
        // Neither caches nor the state of outstanding accesses are modelled: every access is performed at once.
        M::Cctl => lane.cctl(),
        M::Depbar => lane.group_wait(),
        M::Errbar | M::Ldgdepbar | M::Nop | M::Pmtrig => Ok(Outcome::Next),
        M::SparseMma => lane.sparse_product(),
        M::Gmma | M::GmmaFence | M::GmmaWait => lane.warpgroup(),
        M::Preexit
        | M::Acqbulk
        | M::Fence
        | M::ClusterBarrier
        | M::Syncs
        | M::Arrives
        | M::Bulk
        | M::AtomsArrive
        | M::AtomArrive => lane.opaque(),
        M::Tex | M::Tld | M::Tld4 | M::Txd => lane.texture(),
        M::Txq => lane.texture_query(),
        M::Suld | M::Sust | M::Sured => lane.surface(),
        M::Bra => lane.bra(),
        M::Bssy => lane.bssy(),
        M::Bsync => lane.bsync(),
        M::Break => lane.r#break(),
        M::Bmov => lane.bmov(),
        M::Warpsync | M::WarpsyncAll => lane.warpsync(),
        M::Collective if lane.inst.row().mnemonic == "ENDCOLLECTIVE" => lane.end_collective(),
        M::Collective => lane.warpsync(),
        M::Yield | M::Nanosleep => Ok(Outcome::Yield),
        M::Exit => lane.exit(),
        M::Ret => lane.ret(),
        M::Brx => lane.indirect(true),
        M::Jmx => lane.indirect(false),
        M::Call => lane.call(),
        M::Bpt => Err(Trap::Trapped),
        M::Bar => lane.bar(),
        M::B2r => lane.b2r(),
        M::Shfl => lane.shfl(),
        M::Vote | M::Voteu => lane.vote(),
        M::Match => lane.r#match(),
        M::Redux => lane.redux(),
        M::Elect => lane.elect(),
        M::Lepc => lane.lepc(),
        M::Hmma => lane.hmma(),
        M::Imma => lane.imma(),
        M::Bmma => lane.bmma(),
        M::Dmma => lane.dmma(),
        M::Ldsm => lane.load_matrix(),
        M::Stsm => lane.store_matrix(),
        M::Movm => lane.transpose_matrix(),
        _ => Err(lane.unsupported("the instruction")),
    }
}
