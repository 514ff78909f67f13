//! What a verdict may rest on.

macro_rules! assumptions {
    ($($name:ident $id:literal $base:literal $what:literal;)*) => {
        /// What a verdict may rest on; `docs/proof.md` has the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Assumption { $(#[doc = $what] $name,)* }
        impl Assumption {
            /// All of them.
            pub const ALL: &[Assumption] = &[$(Assumption::$name),*];
            /// Its name.
            pub const fn id(self) -> &'static str {
                match self { $(Assumption::$name => $id),* }
            }
            /// Whether it belongs to the base set.
            pub const fn base(self) -> bool {
                match self { $(Assumption::$name => $base),* }
            }
            /// What is assumed.
            pub const fn what(self) -> &'static str {
                match self { $(Assumption::$name => $what),* }
            }
        }
    };
}

assumptions! {
    Launch "A-LAUNCH" true "thread and block indices lie within the launch, and the launch within the chip's limits";
    Bank "A-BANK" true "constant bank 0 holds launch dimensions, parameters and descriptors";
    Addr "A-ADDR" true "variables are disjoint and aligned, and so are the windows of the spaces";
    Ub "A-UB" true "inputs on which the source is undefined are excluded";
    Drf "A-DRF" true "the source has no data race";
    Nc "A-NC" false "nothing writes what ld.global.nc reads";
    Term "A-TERM" false "the source ends";
    Conv "A-CONV" true "convergence is as docs/convergence.md says";
    Fp "A-FP" false "floating-point operations are functions of their operands";
    Switch "A-SWITCH" true "lanes of a warp that are apart take turns at branches and meeting places alone";
    Leader "A-LEADER" false "the highest of the lanes that execute together does the atomics of all, one behind the other";
    Opaque "A-OPAQUE" false "an opaque operation gives the same where its operands and the memory that it finds are the same";
    Call "A-CALL" false "a function that the driver resolves keeps the registers that ptxas relies on and the stack from the stack pointer on, and does the same for the same operands and memory";
    Retry "A-RETRY" false "a loop around a compare-and-swap that fails only where others changed the word ends";
    Stack "A-STACK" false "where functions call themselves, a thread has all the local memory that the chip allows it";
    Sched "A-SCHED" true "every register is ready when it is read";
    Ready "A-READY" false "what the hazard checker could not decide is ready when it is read";
    Isa "A-ISA" true "the instruction tables and meanings are right";
    Solver "A-SOLVER" true "the solver's unsat is right";
}
