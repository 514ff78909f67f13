//! Hazards, and what a cubin declares beside its code.

use super::place::Claim;
use crate::obstacles;

const DECLARED: &str = "what the cubin declares beside its code is not what the source and the code need";
const CHECK: &str = "`sassafras check` and `sassafras list` on the cubin say what it declares";
const LAUNCH: &str = "the cubin is refused, or launched in another way, where the source is not";
const IMAGE: &str = "what the cubin has in the place of a variable of the module is not what the source has";
const COMPARE: &str = "compare its initialiser with the cubin's";
const HAZARD: &str =
    "the control bits do not show that a register is ready when it is read, or free when it is written";
const PAIR: &str = "`sassafras check` on the cubin names the pair, and how long it has to wait";
const STACK: &str = "the cubin declares less stack than its code was shown to stay in, or more than there is";
const SIZES: &str = "the stack's size in `.nv.info` (FRAME_SIZE, MIN_STACK_SIZE)";

obstacles! {
    /// What stands beside the code, and the bits that say when it runs.
    Container;
    /// An instruction leads to where there is none.
    Astray {
        /// Its byte offset.
        at: u64,
        /// Where it leads.
        to: u64,
    } = "U0901" "hazards: {at:#06x} leads to {to:#x}, where there is no instruction", "a branch or the last instruction leads out of the code", PAIR;
    /// The checker of hazards objects.
    Hazard {
        /// What it says.
        said: Box<str>,
    } = "U0902" "hazards: {said}", HAZARD, PAIR;
    /// An acquire may come before what it acquires from.
    Acquire {
        /// Its byte offset.
        at: usize,
    } = "U0903" "hazards: {at:#06x}: an acquire while what it acquires from may be under way",
        "the first-level cache is emptied before the load that this orders has come back", "wait for its scoreboard before the `CCTL.IVALL`";
    /// More registers are used than are declared.
    Registers {
        /// The highest that is used.
        highest: u32,
        /// How many the hardware keeps.
        reserved: u32,
        /// How many are declared.
        declared: u32,
    } = "U0904" "cubin: R{highest} is used, the hardware keeps {reserved}, and {declared} registers are declared", DECLARED, CHECK;
    /// It is not linked.
    NotLinked {} = "U0905" "cubin: it is not linked", "a relocatable cubin has no code that a launch would run", "link it: `nvlink`, or compile without `-c`";
    /// Something is in another file.
    Elsewhere {
        /// Its name.
        symbol: Box<str>,
    } = "U0906" "cubin: `{symbol}` is somewhere else", DECLARED, CHECK;
    /// Two things have one name.
    Twice {
        /// The name.
        symbol: Box<str>,
    } = "U0907" "cubin: there are two of `{symbol}`", DECLARED, CHECK;
    /// A symbol names a part of something.
    Part {
        /// The symbol.
        symbol: Box<str>,
    } = "U0908" "cubin: the symbol `{symbol}` is not the whole of one section or variable", DECLARED, CHECK;
    /// A section cannot be read.
    Section {
        /// Its name.
        section: Box<str>,
    } = "U0909" "cubin: the section `{section}` cannot be read", DECLARED, CHECK;
    /// More barriers are declared than there are.
    ManyBarriers {
        /// How many are declared.
        declared: u8,
        /// How many a block has.
        most: u32,
    } = "U0910" "cubin: {declared} barriers are declared, and a block has {most}", DECLARED, CHECK;
    /// More barriers are used than are declared.
    Barriers {
        /// How many are used.
        used: u64,
        /// How many are declared.
        declared: u8,
    } = "U0911" "cubin: {used} barriers are used, and {declared} are declared", DECLARED, CHECK;
    /// A variable of another space or size.
    Variable {
        /// Its name.
        variable: Box<str>,
    } = "U0912" "cubin: the variable `{variable}` is another", IMAGE, COMPARE;
    /// A variable that holds something else before the launch.
    Image {
        /// Its name.
        variable: Box<str>,
    } = "U0913" "cubin: the image of `{variable}` is another", IMAGE, COMPARE;
    /// A variable with addresses in other places.
    Addresses {
        /// Its name.
        variable: Box<str>,
    } = "U0914" "cubin: the addresses in `{variable}` are others", IMAGE, COMPARE;
    /// A variable with another address in one place.
    Address {
        /// Byte offset in the variable.
        at: u64,
        /// Its name.
        variable: Box<str>,
    } = "U0915" "cubin: the address at {at} in `{variable}` is another", IMAGE, COMPARE;
    /// A constant of a source that is a cubin is missing.
    NoConstant {
        /// Its name.
        variable: Box<str>,
    } = "U0916" "cubin: the constant `{variable}` is missing", IMAGE, COMPARE;
    /// A variable at no multiple of its alignment.
    Alignment {
        /// Its name.
        variable: Box<str>,
        /// The alignment in bytes.
        wanted: u64,
    } = "U0917" "cubin: `{variable}` lies at no multiple of {wanted} bytes", IMAGE, CHECK;
    /// Two constants with a byte in common.
    Overlap {
        /// The name of the one.
        first: Box<str>,
        /// The name of the other.
        second: Box<str>,
    } = "U0918" "cubin: `{first}` and `{second}` overlap", IMAGE, CHECK;
    /// Blocks of another shape are required.
    Shape {
        /// Threads in x, y, z.
        required: [u32; 3],
    } = "U0919" "cubin: blocks of {required:?} are required", LAUNCH, CHECK;
    /// Smaller blocks are required.
    Threads {
        /// Threads of a block at most.
        most: u64,
        /// How many the source allows.
        wanted: u64,
    } = "U0920" "cubin: blocks of at most {most} threads, the source allows {wanted}", LAUNCH, CHECK;
    /// Other clusters.
    OtherClusters {
        /// What the cubin says.
        own: Box<str>,
        /// What the source says.
        wanted: Box<str>,
    } = "U0921" "cubin: launched in {own}, the source in {wanted}", LAUNCH, CHECK;
    /// Clusters of several blocks.
    ManyInCluster {} = "U0922" "clusters of several blocks (A-LAUNCH)", "what blocks of one cluster do together is not followed", "nothing: the rest of the module can be proved with `--entry`";
    /// More registers than a thread has.
    ManyRegisters {
        /// How many are declared.
        declared: u32,
        /// How many a thread has.
        most: u32,
    } = "U0923" "cubin: {declared} registers, and a thread has {most}", LAUNCH, CHECK;
    /// More registers than there are for a block.
    BlockRegisters {
        /// Threads of a block.
        threads: u64,
        /// Registers of each.
        each: u32,
        /// How many there are.
        most: u32,
    } = "U0924" "cubin: {threads} threads of {each} registers take more than the {most} there are", LAUNCH, CHECK;
    /// A parameter is another.
    Parameter {
        /// Which.
        ordinal: usize,
        /// Its size in the source, bytes.
        bytes: u32,
        /// Its offset in the source, bytes.
        at: u32,
        /// Its name in the source.
        name: Box<str>,
    } = "U0925" "cubin: parameter {ordinal} is none of {bytes} bytes at offset {at} (`{name}`)", LAUNCH, CHECK;
    /// More or fewer parameters.
    Parameters {
        /// How many there are.
        count: usize,
        /// How many there should be.
        wanted: usize,
    } = "U0926" "cubin: {count} parameters, not {wanted}", LAUNCH, CHECK;
    /// Parameters lie elsewhere in the bank.
    ParameterBase {
        /// Where.
        at: u32,
    } = "U0927" "cubin: parameters lie at {at:#x} of the bank", LAUNCH, CHECK;
    /// More or fewer bytes of parameters.
    ParameterSize {
        /// How many there are.
        bytes: u32,
        /// How many there should be.
        wanted: u32,
    } = "U0928" "cubin: {bytes} bytes of parameters, not {wanted}", LAUNCH, CHECK;
    /// Too little shared memory.
    LittleShared {
        /// How many bytes the source takes.
        wanted: u64,
    } = "U0929" "cubin: fewer than {wanted} bytes of shared memory", LAUNCH, CHECK;
    /// Too much shared memory.
    MuchShared {
        /// Bytes that are declared.
        bytes: u64,
        /// Bytes that a block has.
        most: u32,
        /// Bytes that the source takes at most.
        whole: u64,
    } = "U0930" "cubin: {bytes} bytes of shared memory; a block has {most}, the source's {whole}", LAUNCH, CHECK;
    /// More stack than a thread has.
    MuchStack {
        /// Bytes that are declared.
        bytes: u32,
        /// Bytes that a thread has.
        most: u32,
    } = "U0931" "cubin: {bytes} bytes of stack, and a thread has {most}", STACK, SIZES;
    /// An access that may be outside the stack.
    Stack {
        /// Bytes that are declared.
        bytes: u32,
        /// What was shown not to hold.
        claim: Claim,
    } = "U0932" "cubin: {bytes} bytes of stack are declared: {claim}", STACK, SIZES;
}
