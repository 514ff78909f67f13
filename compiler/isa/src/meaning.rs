//! The families of behaviour that forms share.

macro_rules! meanings {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What a form does, by family; `step` matches it and reads the form's fields for the rest. The text of each
        /// variant names the fields in the order of the instruction's text.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Meaning { $($(#[$doc])* $name,)* }

        impl Meaning {
            /// Every family.
            pub const ALL: &'static [Meaning] = &[$(Meaning::$name,)*];

            /// The family that a row's attribute `sem=` names.
            pub fn named(text: &str) -> Option<Meaning> {
                match text { $(stringify!($name) => Some(Meaning::$name),)* _ => None }
            }
        }
    };
}

meanings! {
    /// d = a + b + c, carries out in p0 and p1, with .X carries in from q0 and q1.
    Iadd3,
    /// Low 32 bits of a * b + c; with .X the carry q is added.
    Imad,
    /// d = (a * b + c) as 64 bits.
    ImadWide,
    /// High 32 bits of a * b + c (c is 64 bits).
    ImadHi,
    /// d = |b|.
    Iabs,
    /// d = q ? min(a, b) : max(a, b).
    Imnmx,
    /// d = a + b, without carry.
    Viadd,
    /// d = min or max of a and b, and a predicate.
    Vimnmx,
    /// d = min or max of a + b and c.
    Viaddmnmx,
    /// d = min or max of a, b and c.
    Vimnmx3,
    /// p and p2 = truth tables over the sign bits of three registers.
    Plop3Sign,
    /// d = (a << shift) + b, or the high part with .HI.
    Lea,
    /// d = truth table over a, b, c; p = (d != 0), combined with q.
    Lop3,
    /// p and p2 = truth tables over three predicates.
    Plop3,
    /// Funnel shift of c:a by b.
    Shf,
    /// Reverses bits.
    Brev,
    /// Finds the leading one.
    Flo,
    /// Counts ones.
    Popc,
    /// Picks bytes of a and c by the selector b.
    Prmt,
    /// d = q ? a : b.
    Sel,
    /// Integer comparison combined with q.
    Isetp,
    /// Sign- or zero-extends from a bit position.
    Sgxt,
    /// Makes a mask from position and width.
    Bmsk,
    /// Converts between integer widths with saturation.
    I2i,
    /// Packs two converted integers.
    I2ip,
    /// Packs two floats as integers.
    F2ip,
    /// Dot product of 8-bit or 16-bit parts.
    Idp,
    /// |a - b| + c.
    Vabsdiff,
    /// |a - b| + c over four bytes.
    Vabsdiff4,
    /// Predicates from a register's bits.
    R2p,
    /// A register from predicates.
    P2r,
    /// d = b, for the lanes of the byte mask.
    Mov,
    /// d = a special register that is read at fixed latency.
    Cs2r,
    /// d = a special register.
    S2r,
    /// ud = a special register of the warp.
    S2ur,
    /// ud = a, from one active lane.
    R2ur,
    /// ud = b.
    Umov,
    /// d = constant bank, through the load path; also ULDC.
    Ldc,
    /// Uniform counterpart of [`Meaning::Iadd3`].
    Uiadd3,
    /// [`Meaning::Uiadd3`] over pairs of registers: 64 bits.
    Uiadd3Wide,
    /// Uniform counterpart of [`Meaning::Imad`].
    Uimad,
    /// Uniform counterpart of [`Meaning::ImadWide`].
    UimadWide,
    /// Uniform counterpart of [`Meaning::ImadHi`].
    UimadHi,
    /// Uniform counterpart of [`Meaning::Lop3`].
    Ulop3,
    /// Uniform counterpart of [`Meaning::Shf`].
    Ushf,
    /// Uniform counterpart of [`Meaning::Sel`].
    Usel,
    /// Uniform counterpart of [`Meaning::Isetp`].
    Uisetp,
    /// Uniform counterpart of [`Meaning::Lea`].
    Ulea,
    /// Uniform counterpart of [`Meaning::Plop3`].
    Uplop3,
    /// Uniform counterpart of [`Meaning::Prmt`].
    Uprmt,
    /// Uniform counterpart of [`Meaning::Flo`].
    Uflo,
    /// Uniform counterpart of [`Meaning::Popc`].
    Upopc,
    /// Uniform counterpart of [`Meaning::Brev`].
    Ubrev,
    /// Uniform counterpart of [`Meaning::Sgxt`].
    Usgxt,
    /// Uniform counterpart of [`Meaning::Bmsk`].
    Ubmsk,
    /// Uniform counterpart of [`Meaning::P2r`].
    Up2ur,
    /// Uniform counterpart of [`Meaning::R2p`].
    Ur2up,
    /// Vote of the warp into uniform registers.
    Voteu,
    /// d = a + b over pairs of registers, carry out in p, with .X carry in from q.
    Iadd64,
    /// d = q ? min(a, b) : max(a, b), of 32 or 64 bits.
    Imnmx64,
    /// [`Meaning::Isetp`] over pairs of registers.
    Isetp64,
    /// d = b over pairs of registers.
    Mov64,
    /// [`Meaning::Sel`] over pairs of registers.
    Sel64,
    /// Two binary32 sums side by side.
    Fadd2,
    /// Two binary32 products side by side.
    Fmul2,
    /// Two fused products and sums side by side.
    Ffma2,
    /// d = a half + b in binary32.
    Fhadd,
    /// d = a half * a half + c in binary32, rounded once.
    Fhfma,
    /// d = q ? min(a, b, c) : max(a, b, c) in binary32.
    Fmnmx3,
    /// d = a + b in binary32.
    Fadd,
    /// d = a * b in binary32.
    Fmul,
    /// d = a * b + c in binary32, rounded once.
    Ffma,
    /// d = q ? min(a, b) : max(a, b) in binary32.
    Fmnmx,
    /// binary32 comparison combined with q.
    Fsetp,
    /// binary32 comparison with a mask or 1.0 as result.
    Fset,
    /// d = q ? a : b, with binary32 flags.
    Fsel,
    /// Whether the short division of a by b may be wrong.
    Fchk,
    /// Sum with per-lane signs, after a quad swizzle.
    Fswzadd,
    /// Approximate function of binary32 (a relation with a bound).
    Mufu,
    /// Float to integer.
    F2i,
    /// Integer to float.
    I2f,
    /// Float to float.
    F2f,
    /// A function or conversion of a part of a register that is not the lowest.
    ConvertPart,
    /// Known to decoder and printer only: `step` refuses it, and so does what builds on `step`.
    Unmodelled,
    /// Two floats to a packed pair.
    F2fp,
    /// One float to a half, the other half is c's high half.
    F2fpMerge,
    /// One float to tf32, to nearest or, if the form's id says `rz`, towards zero.
    F2fpTf32,
    /// Two floats to a pair of 8-bit numbers.
    F2fpFp8,
    /// A pair of binary16 to a pair of 8-bit numbers.
    F2fpFp8OfHalves,
    /// A pair of 8-bit numbers to a pair of binary16.
    F2fpUnpack,
    /// Rounds to an integral float.
    Frnd,
    /// d = a + b in binary64.
    Dadd,
    /// d = a * b in binary64.
    Dmul,
    /// d = a * b + c in binary64, rounded once.
    Dfma,
    /// binary64 comparison combined with q.
    Dsetp,
    /// binary64 minimum or maximum.
    Dmnmx,
    /// Packed half addition.
    Hadd2,
    /// Packed half multiplication.
    Hmul2,
    /// Packed half multiply-add.
    Hfma2,
    /// Packed half multiply-add that gives 0 for negative results; q is not understood.
    Hfma2Relu,
    /// Packed half comparison into predicates.
    Hsetp2,
    /// Packed half comparison into a register.
    Hset2,
    /// Packed half minimum or maximum.
    Hmnmx2,
    /// Load from global memory.
    Ldg,
    /// Store to global memory.
    Stg,
    /// Load of 32 bytes from global memory into two quads of registers.
    LdgWide,
    /// Store of 32 bytes to global memory out of two quads of registers.
    StgWide,
    /// Load through a generic address.
    Ld,
    /// Store through a generic address.
    St,
    /// Load from shared memory.
    Lds,
    /// Store to shared memory.
    Sts,
    /// Load from local memory.
    Ldl,
    /// Store to local memory.
    Stl,
    /// Loads matrices from shared memory, spread over the warp.
    Ldsm,
    /// Stores matrices to shared memory.
    Stsm,
    /// Transposes a matrix between registers.
    Movm,
    /// Atomic on global memory with result.
    Atomg,
    /// Compare and swap on global memory.
    AtomgCas,
    /// Atomic through a generic address.
    Atom,
    /// Compare and swap through a generic address.
    AtomCas,
    /// [`Meaning::Atomg`] with the types of sm_80 to sm_89, integers and floats in one field.
    AtomgAmpere,
    /// [`Meaning::Red`] with the types of sm_80 to sm_89.
    RedAmpere,
    /// Atomic on global memory without result.
    Red,
    /// Atomic on shared memory.
    Atoms,
    /// Arrival at a barrier object, two words of shared memory.
    AtomsArrive,
    /// [`Meaning::AtomsArrive`] by a generic address.
    AtomArrive,
    /// Compare and swap on shared memory.
    AtomsCas,
    /// Compare and store on shared memory if equal, telling by predicate.
    AtomsCast,
    /// Orders memory accesses.
    Membar,
    /// Orders between proxies.
    Fence,
    /// Cache control.
    Cctl,
    /// Waits for outstanding memory errors.
    Errbar,
    /// Copies from global to shared memory without registers.
    Ldgsts,
    /// Closes a group of copies.
    Ldgdepbar,
    /// Waits for groups of copies or for scoreboards.
    Depbar,
    /// Arrives at a barrier in shared memory when copies are done.
    Arrives,
    /// Operations on barriers in shared memory.
    Syncs,
    /// HGMMA, IGMMA, QGMMA, BGMMA: a warpgroup's product, done by the WARPGROUP.DEPBAR that waits for its group; gsb0 ends a group.
    Gmma,
    /// HMMA.SP, IMMA.SP: a product with half the elements of A and their places.
    SparseMma,
    /// WARPGROUP.ARRIVE: registers written before are seen by the products behind it.
    GmmaFence,
    /// WARPGROUP.DEPBAR: waits until `n` of the latest groups at most are under way.
    GmmaWait,
    /// Copies, stores and reductions that are counted at barriers in shared memory, and prefetches of as many bytes.
    Bulk,
    /// Prefetch or query of an address kind.
    Qspc,
    /// Jump relative to the next instruction.
    Bra,
    /// Names the place where lanes of the mask meet, and saves the mask.
    Bssy,
    /// Waits for the lanes of a convergence barrier.
    Bsync,
    /// Takes the guarded lanes out of a convergence barrier.
    Break,
    /// Moves between convergence barriers and registers.
    Bmov,
    /// Waits for a set of lanes.
    Warpsync,
    /// Waits for all lanes of the warp.
    WarpsyncAll,
    /// Calls a piece of code that the lanes of a mask run together, or ends it.
    Collective,
    /// Lets other lanes of the warp run.
    Yield,
    /// Waits some time.
    Nanosleep,
    /// Ends the lanes.
    Exit,
    /// Returns to the address in registers.
    Ret,
    /// Calls a target.
    Call,
    /// Jumps relative to registers.
    Brx,
    /// Jumps to the address in registers.
    Jmx,
    /// Does nothing.
    Nop,
    /// Stops at a breakpoint or traps.
    Bpt,
    /// Block barrier.
    Bar,
    /// Reads a block barrier's result or state.
    B2r,
    /// Exchange between lanes.
    Shfl,
    /// Vote of the warp.
    Vote,
    /// Lanes with equal values.
    Match,
    /// Reduction over the warp.
    Redux,
    /// Picks one lane.
    Elect,
    /// Address of the next instruction.
    Lepc,
    /// Moves to or from the return-address stack.
    Rpcmov,
    /// Matrix multiply-accumulate on floats.
    Hmma,
    /// Matrix multiply-accumulate on integers.
    Imma,
    /// Matrix multiply-accumulate on binary64.
    Dmma,
    /// Matrix product of bits: those that match are counted.
    Bmma,
    /// Changes the register count of the warp.
    Usetmaxreg,
    /// Ends the block's claim so that a dependent grid may start.
    Preexit,
    /// Waits for the grid that this one depends on.
    Acqbulk,
    /// Cluster barrier.
    ClusterBarrier,
    /// Counts an event for profilers.
    Pmtrig,
    /// Reads a texture by coordinates.
    Tex,
    /// Reads texels by integer coordinates.
    Tld,
    /// One component of four texels.
    Tld4,
    /// Reads a texture by coordinates and slopes.
    Txd,
    /// Asks a texture's or surface's header.
    Txq,
    /// Reads a surface.
    Suld,
    /// Writes a surface.
    Sust,
    /// Reduction in a surface.
    Sured,
}
