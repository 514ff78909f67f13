//! The one machine-code form: blocks of SASS instructions over virtual or real registers, with text.
