//! The table of codes. A code keeps its meaning for ever; one that is no longer given leaves a gap.

/// What a code says about the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The input is not valid PTX.
    Wrong,
    /// Valid, but not supported here.
    Unsupported,
    /// Accepted.
    Warning,
}

impl Class {
    /// As shown in records.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Wrong => "error",
            Class::Unsupported => "unsupported",
            Class::Warning => "warning",
        }
    }
}

macro_rules! codes {
    ($($name:ident $text:literal $class:ident $title:literal, $help:literal;)*) => {
        /// A kind of finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`: ", $title, ".")] $name,)*
        }
        impl Code {
            /// Every code.
            pub const ALL: &[Code] = &[$(Code::$name),*];
            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self { $(Code::$name => $text),* }
            }
            /// What it says about the input.
            pub const fn class(self) -> Class {
                match self { $(Code::$name => Class::$class),* }
            }
            /// What it is about, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }
            /// What to do.
            pub const fn help(self) -> &'static str {
                match self { $(Code::$name => $help),* }
            }
        }
    };
}

codes! {
    // Text.
    NotAToken "P0001" Wrong "text that is no token", "remove it; PTX is ASCII text";
    Unexpected "P0002" Wrong "a token that cannot stand here", "see the PTX ISA, \"Syntax\"; a statement ends with `;`";
    Unfinished "P0003" Wrong "the text ends too early", "the file may have been cut short";
    TooDeep "P0004" Wrong "nested too deeply", "reduce the nesting of blocks or parentheses";
    BadNumber "P0005" Wrong "a number that cannot be read", "integers have at most 64 bits";
    TooLarge "P0006" Unsupported "a text of 4 GiB or more", "split the module";
    // Module.
    NoVersion "P0101" Wrong "no `.version`", "a module begins with `.version`, such as `.version 8.0`";
    UnknownVersion "P0102" Wrong "an unknown `.version`", "known versions are listed in the PTX ISA, \"Release History\"";
    NoTarget "P0103" Wrong "no `.target`", "after `.version` comes `.target`, such as `.target sm_90`";
    UnknownTarget "P0104" Wrong "an unknown `.target`", "targets are sm_10 and later, such as `sm_90` or `sm_90a`";
    TargetNeedsVersion "P0105" Wrong "the `.version` is older than the `.target`", "raise `.version`";
    AddressSize "P0106" Wrong "a bad `.address_size`", "write `.address_size 64`";
    Address32 "P0107" Unsupported "32-bit addresses", "write `.address_size 64`";
    UnknownDirective "P0108" Wrong "an unknown directive", "see the PTX ISA, \"Directives\"";
    BadDirective "P0109" Wrong "a directive with wrong arguments", "see the PTX ISA, \"Directives\"";
    UnsupportedDirective "P0110" Unsupported "a directive that is not supported yet", "this directive has no implementation here yet";
    DirectiveNeedsVersion "P0111" Wrong "a directive that needs a newer version or target", "raise `.version` or `.target`";
    OtherTarget "P0112" Wrong "a module that does not run on the chip asked for", "choose a chip with -arch that `.target` allows";
    // Names.
    Undeclared "P0201" Wrong "a name that is not declared", "declare it before its use, in this scope or one around it";
    Duplicate "P0202" Wrong "a name declared twice", "rename one of the two";
    WrongEntity "P0203" Wrong "a name of the wrong kind", "another kind of name is needed here";
    UndefinedLabel "P0204" Wrong "a label that is not defined", "define it in the same function";
    // Instructions.
    UnknownInstruction "P0301" Wrong "an unknown instruction", "see the PTX ISA, \"Instruction Set\"";
    UnknownModifier "P0302" Wrong "a modifier that this instruction does not take", "remove it, or see the PTX ISA for this instruction";
    NoSuchForm "P0303" Wrong "modifiers that do not go together", "see the PTX ISA for the forms of this instruction";
    OperandCount "P0304" Wrong "too many or too few operands", "see the PTX ISA for this instruction";
    OperandKind "P0305" Wrong "an operand of the wrong kind", "see the PTX ISA for this instruction";
    OperandType "P0306" Wrong "an operand of the wrong type", "types must agree in size, and `.u`/`.s` with `.f` only through `.b` (PTX ISA, \"Operand Type Checking\")";
    NeedsVersion "P0307" Wrong "an instruction that needs a newer `.version`", "raise `.version`";
    NeedsTarget "P0308" Wrong "an instruction that needs another `.target`", "raise `.target`";
    BadImmediate "P0309" Wrong "a constant that does not fit", "use a constant in the range that the PTX ISA gives";
    SpaceMismatch "P0310" Wrong "an address in another state space", "name the variable's own state space, or use a generic address";
    GoneForm "P0311" Wrong "a form that newer versions or targets no longer have", "write the form that took its place (PTX ISA, the notes of the instruction)";
    UnsupportedInstruction "P0390" Unsupported "an instruction that is not supported yet", "this form is valid PTX that has no implementation here yet";
    UnsupportedOperand "P0391" Unsupported "an operand that is not supported yet", "this operand is valid PTX that has no implementation here yet";
    // Functions and calls.
    CallMismatch "P0401" Wrong "a call that does not match", "arguments must match the callee's parameters in number and size";
    BadParameter "P0402" Wrong "a bad parameter", "see the PTX ISA, \"Kernel Function Parameters\"";
    BodyMissing "P0403" Wrong "a function without a body", "define it, or declare it `.extern`";
    OversizedBlock "P0404" Warning "a block size that no launch can have", "a block has at most 1024 threads";
    UnknownPragma "P0405" Warning "a pragma that is not known", "it is left out; it has no effect on the meaning (PTX ISA, `.pragma`)";
    // Variables.
    BadAlignment "P0501" Wrong "a bad alignment", "an alignment is a power of two";
    BadSize "P0502" Wrong "a bad array size", "sizes are positive and their product fits in 63 bits";
    BadInitialiser "P0503" Wrong "a bad initialiser", "it must fit in the variable, and its constants in the element type";
    InitialiserSpace "P0504" Wrong "an initialiser where none may stand", "only `.global` and `.const` variables have initialisers";
    BadType "P0505" Wrong "a type that cannot stand here", "see the PTX ISA, \"Restricted Use of Sub-Word Sizes\"";
    TooMuchShared "P0506" Wrong "too much shared memory", "use less, or a `.extern .shared` array that the launch sizes";
    UnsupportedType "P0590" Unsupported "a type that is not supported yet", "this type is valid PTX that has no implementation here yet";
    UnsupportedInitialiser "P0591" Unsupported "an initialiser that is not supported yet", "this initialiser is valid PTX that has no implementation here yet";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_order() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].name() < pair[1].name(), "{} {}", pair[0].name(), pair[1].name());
        }
        assert!(
            Code::ALL.iter().all(|c| c.name().len() == 5 && !c.help().is_empty() && !c.title().is_empty())
        );
    }
}
