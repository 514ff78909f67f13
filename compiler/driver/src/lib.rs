//! Options, modes, phases and parallel sessions.
