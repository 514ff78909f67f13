//! Code that the prover does not follow.

use crate::obstacles;
use std::fmt;

/// What is wrong with where code ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It goes on behind its last instruction.
    NoExit,
    /// Lanes come to the end of a piece of code apart.
    Apart,
    /// Nobody comes to the end of a piece of code.
    Unreached,
    /// The code is none of the cubin's.
    Elsewhere,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::NoExit => "the code ends without EXIT",
            Ending::Apart => "lanes come to the end apart",
            Ending::Unreached => "the code does not reach its end",
            Ending::Elsewhere => "the code is none of the cubin's",
        })
    }
}

/// What is wrong with a loop around a compare-and-swap that is to be one change of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap {
    /// It changes no word.
    NoChange,
    /// It is no event.
    NoEvent,
    /// It is one of another memory.
    OtherMemory,
    /// Its address depends on what was guessed.
    Guessed,
    /// Its word was not loaded.
    NotLoaded,
    /// What it stores was not written.
    NotWritten,
    /// A round of the loop has no beginning.
    NoBeginning,
    /// The loop is left before it.
    LeftEarly,
}

impl fmt::Display for Swap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Swap::NoChange => "a compare-and-swap that is no change of a word",
            Swap::NoEvent => "a compare-and-swap without an event",
            Swap::OtherMemory => "a compare-and-swap of another memory",
            Swap::Guessed => "a compare-and-swap whose address depends on a guess",
            Swap::NotLoaded => "a loop whose word was not loaded",
            Swap::NotWritten => "a compare-and-swap of what was not written",
            Swap::NoBeginning => "a round of a loop that has no beginning",
            Swap::LeftEarly => "a loop that is left before its compare-and-swap",
        })
    }
}

const LOOK: &str = "look at the instruction that is named";
const ELSE: &str = "nothing: the rest of the module can be proved with `--entry`";
const FORM: &str = "the instruction has no meaning here yet";
const BANK: &str = "what lies at a place of a constant bank is not known: only bank 0's parameters, module constants and the cubin's own tables are";
const COPY: &str = "what is copied to shared memory in the background may be seen, or changed, before the copy has been waited for";

obstacles! {
    /// Code that the prover does not follow.
    Target;
    /// An instruction without a meaning.
    NoMeaning {
        /// What is not supported, as the step function of SASS names it.
        form: Box<str>,
    } = "U0301" "{form} is not supported", FORM, ELSE;
    /// A word that is no instruction.
    NoInstruction {
        /// What the decoder says.
        said: Box<str>,
    } = "U0302" "{said}", "a word of the code is no instruction that is known", "`sassafras disasm` on the cubin names the word";
    /// A modifier without a meaning.
    Modifier {
        /// Its text.
        text: Box<str>,
    } = "U0303" "the modifier `{text}` is not supported", FORM, ELSE;
    /// A call or return that counts how deep calls are.
    CountsCalls {
        /// Its mnemonic.
        mnemonic: Box<str>,
    } = "U0304" "a {mnemonic} that counts calls is not supported", FORM, ELSE;
    /// Several registers as one operand that begin at no multiple of their number.
    Misaligned {
        /// The first register.
        register: Box<str>,
        /// How many there are.
        units: u32,
    } = "U0305" "{register} as the first of {units} registers",
        "several registers as one operand have to begin at a multiple of their number, or the hardware faults", LOOK;
    /// A branch that goes between instructions.
    BetweenInstructions {} = "U0307" "a branch between instructions",
        "a branch of the target goes to no multiple of the size of an instruction", LOOK;
    /// A jump to an address that is not one of a few.
    Jump {} = "U0308" "a jump to an address that is not one of a few",
        "where a jump goes is computed, and is not an entry of a table that is known", LOOK;
    /// A call under a predicate operand.
    PredicatedCall {} = "U0309" "a call under a predicate operand", FORM, ELSE;
    /// Code that does not end as it should.
    NoEnd {
        /// How it ends.
        ending: Ending,
    } = "U0310" "{ending}", "the ways through the target do not all come to an `EXIT`", "`sassafras check` on the cubin shows where control goes";
    /// A chip that is not known.
    Chip {
        /// Its number.
        sm: u32,
    } = "U0311" "sm_{sm} is not known", "the cubin is for a chip that is not known here", "`sassafras isa` lists the chips";
    /// A constant bank at a place where nothing is known to lie.
    BankOutside {
        /// The bank.
        bank: u8,
        /// Byte address in it.
        at: u128,
    } = "U0312" "constant bank {bank} at {at:#x} is not supported", BANK, LOOK;
    /// The same, at no multiple of the size of the access.
    BankMisaligned {
        /// The bank.
        bank: u8,
        /// Byte address in it.
        at: u128,
        /// Size of the access in bytes.
        bytes: u32,
    } = "U0313" "constant bank {bank} at {at:#x}, which is no multiple of {bytes} is not supported", BANK, LOOK;
    /// A constant bank at an address that is computed.
    BankAddress {
        /// The bank.
        bank: u8,
    } = "U0314" "constant bank {bank} at an address that is not constant is not supported", BANK, LOOK;
    /// Bank 0 behind the parameters.
    BankEnd {
        /// Size of the access in bytes.
        bytes: u32,
        /// Byte address.
        at: u64,
        /// Where the parameters end.
        end: u64,
    } = "U0315" "{bytes} bytes of constant bank 0 at {at:#x}, which ends at {end:#x} is not supported", BANK, LOOK;
    /// A part of bank 0 of which there are several copies.
    BankCopies {
        /// Byte address.
        at: u64,
    } = "U0316" "constant bank 0 at {at:#x}, of which there are copies is not supported", BANK, LOOK;
    /// A special register without a meaning.
    SpecialRegister {
        /// Its name.
        register: Box<str>,
    } = "U0317" "the special register {register} is not supported", FORM, ELSE;
    /// The result of a barrier that has none.
    BarrierResult {} = "U0319" "the result of a barrier that did not reduce",
        "a result of a reducing barrier is read where the last barrier has none", LOOK;
    /// A loop around a compare-and-swap that is no change of a word.
    CompareAndSwap {
        /// What is wrong with it.
        fault: Swap,
    } = "U0320" "{fault}", "a loop around a compare-and-swap stands for one atomic operation, and was not shown to be one", LOOK;
    /// A fence that is taken for more than it is.
    WeakenedFence {
        /// The fence.
        fence: Box<str>,
        /// What it is taken for.
        taken: Box<str>,
    } = "U0321" "`{fence}` is no `{taken}` is not supported", "a fence of the target is weaker than that of the source that it stands for", LOOK;
    /// A copy to shared memory that may be under way.
    CopyUnderWay {} = "U0322" "a copy to shared memory may be under way", COPY, "`LDGDEPBAR` and `DEPBAR` before the instruction";
    /// A copy to shared memory that others may see early.
    CopySeen {} = "U0323" "a copy to shared memory that others may see early", COPY, LOOK;
    /// A buffer of `vprintf` in a large variable.
    Buffer {
        /// Bytes of the largest local variable.
        room: u32,
    } = "U0324" "a buffer of vprintf among {room} bytes of local memory is not supported",
        "what `vprintf` prints is compared word by word, and the variable that it may lie in is too large for that", "a variable of its own for the arguments";
    /// A guard that no meaning was given to.
    Stopped {
        /// Why a lane stopped, as its state says.
        said: Box<str>,
    } = "U0327" "{said}", "a lane stops where the prover expects it to go on", "look at the instruction that is named; report it, with both files, if its address is right";
    /// What only the text says: that of the linker.
    Said {
        /// The text.
        said: Box<str>,
    } = "U0399" "{said}", "the target has something that the prover does not follow", LOOK;
}
