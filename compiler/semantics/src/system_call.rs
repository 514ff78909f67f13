//! Functions that a module only declares, and that the CUDA driver resolves.
//!
//! Source: CUDA C++ Programming Guide ("Formatted Output", "Assertion", "Dynamic Global Memory Allocation and Operations"), and PTX that
//! nvcc 13.0.88 writes; that ptxas 13.0.88 accepts them as undefined without `-c` is by experiment.

/// A system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SystemCall {
    /// `int vprintf(const char *format, const void *arguments)`: generic addresses; the number of arguments, or -1.
    Vprintf,
    /// `void __assertfail(message, file, unsigned line, function, size_t size)`: stops the launch.
    AssertFail,
    /// `void *malloc(size_t bytes)`: a generic address, 0 if there is no room.
    Malloc,
    /// `void free(void *pointer)`.
    Free,
}

impl SystemCall {
    /// All of them.
    pub const ALL: [SystemCall; 4] =
        [SystemCall::Vprintf, SystemCall::AssertFail, SystemCall::Malloc, SystemCall::Free];

    /// The symbol.
    pub const fn name(self) -> &'static str {
        match self {
            SystemCall::Vprintf => "vprintf",
            SystemCall::AssertFail => "__assertfail",
            SystemCall::Malloc => "malloc",
            SystemCall::Free => "free",
        }
    }

    /// The call of this symbol.
    pub fn named(name: &str) -> Option<SystemCall> {
        SystemCall::ALL.into_iter().find(|call| call.name() == name)
    }

    /// Widths of the parameters in bits.
    pub const fn parameters(self) -> &'static [u32] {
        match self {
            SystemCall::Vprintf => &[64, 64],
            SystemCall::AssertFail => &[64, 64, 32, 64, 64],
            SystemCall::Malloc | SystemCall::Free => &[64],
        }
    }

    /// Whether it comes back to who calls it: a failed assertion stops the kernel (CUDA C++ Programming Guide, "Assertion").
    pub const fn returns(self) -> bool {
        !matches!(self, SystemCall::AssertFail)
    }

    /// Width of the result in bits, if there is one.
    pub const fn result(self) -> Option<u32> {
        match self {
            SystemCall::Vprintf => Some(32),
            SystemCall::Malloc => Some(64),
            SystemCall::AssertFail | SystemCall::Free => None,
        }
    }
}
