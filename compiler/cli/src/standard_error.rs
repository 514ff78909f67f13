//! `eprint!` and `eprintln!` for this crate: a reader that went away is no error.
//!
//! The standard macros panic on a closed pipe, which would end the program by a signal and not by its exit code. These take
//! their place in every module that follows.

macro_rules! eprint {
    ($($arguments:tt)*) => {
        $crate::files::complain(&format!($($arguments)*))
    };
}

macro_rules! eprintln {
    ($($arguments:tt)*) => {
        $crate::files::complain(&(format!($($arguments)*) + "\n"))
    };
}
