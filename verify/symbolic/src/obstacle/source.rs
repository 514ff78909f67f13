//! Sources that are not shown to mean one thing.

use super::place::Claim;
use crate::obstacles;

const LOOK: &str = "look at the line that is named";
const ELSE: &str = "nothing: the rest of the module can be proved with `--entry`";
const FORM: &str = "the instruction has no meaning here yet";
const CALLS: &str = "calls are written out where they stand, and these are too many or too deep for that";
const FLATTEN: &str = "`.func` that call each other less deep, or `--unroll` with fewer iterations where functions call themselves";
const PARAMETER: &str = "a parameter is passed in a way of which it is not known which bytes it has";

obstacles! {
    /// A source that the prover does not follow.
    Source;
    /// An instruction without a meaning.
    NoMeaning {
        /// What is not supported, as the step function of PTX names it.
        form: Box<str>,
    } = "U0201" "{form} is not supported", FORM, ELSE;
    /// Too many instructions with those of calls.
    TooLong {
        /// How many are written out at most.
        most: usize,
    } = "U0202" "more than {most} instructions with those of calls", CALLS, FLATTEN;
    /// A call of a function that is somewhere else.
    NoBody {
        /// Its name.
        function: Box<str>,
    } = "U0203" "a call of `{function}`, which has no body",
        "the source calls a function that is not in the module, and that the driver does not have with these parameters",
        "write the function into the module, or declare the driver's with its own parameters";
    /// A call within too many others.
    TooDeep {
        /// The function's name.
        function: Box<str>,
    } = "U0204" "a call of `{function}`, which is nested too deep to be written out", CALLS, FLATTEN;
    /// A function that calls itself in too many places.
    Recursion {
        /// Its name.
        function: Box<str>,
    } = "U0205" "a call of `{function}`, which calls itself too often to be written out", CALLS, FLATTEN;
    /// A parameter at an address that is not constant.
    ParameterAddress {} = "U0206" "a parameter at an address that is not constant is not supported",
        PARAMETER, "`ld.param` at a constant offset, or `cvta` of the parameter of the entry";
    /// Bytes of a parameter that are not all there.
    ParameterBytes {
        /// Size of the access in bytes.
        bytes: u32,
        /// Where among the parameters.
        at: u64,
    } = "U0207" "{bytes} bytes of a parameter at {at:#x} is not supported", PARAMETER, LOOK;
    /// A constant that the cubin does not have.
    NoConstant {
        /// Its name.
        name: Box<str>,
    } = "U0209" "the constant `{name}`, which the cubin does not name is not supported",
        "where a constant of the source lies is read from the cubin, which does not have it",
        "a cubin with its symbols";
    /// A constant of which the cubin has another image.
    OtherConstant {
        /// Its name.
        name: Box<str>,
    } = "U0210" "the image of the constant `{name}`, which is another is not supported",
        "what the cubin has in the place of a constant is not what the source has", "compare its initialiser with the cubin's";
    /// The generic address of a parameter of a call.
    CallParameter {} = "U0211" "cvta of a parameter of a call is not supported",
        "parameters of calls are no memory here, and have no generic address", "copy it to a `.local` variable";
    /// Two functions at one address.
    OneAddress {} = "U0214" "two functions have one address",
        "the cubin gives two functions whose addresses are taken the same address, or one the address zero", LOOK;
    /// A lemma whose code gives an approximation, and cannot be used for this instruction.
    Lemma {
        /// What is wrong with it.
        said: Box<str>,
    } = "U0217" "{said}",
        "an approximation is to be what a lemma's code gives, and the lemma does not say so of this instruction", LOOK;
    /// Freedom of PTX, asked of code.
    CodeHasNoFreedom {} = "U0218" "code that is the source does what it says",
        "products are to be fused, or approximations chosen, in a source that leaves nothing of this open", LOOK;
    /// The hardware may not take what a source does that is code.
    Demand {
        /// What was not shown.
        claim: Claim,
    } = "U0219" "source: {claim}",
        "an access of a source that is code was not shown to be one that the hardware takes", "`--budget N`; look at how the address is made";
}
