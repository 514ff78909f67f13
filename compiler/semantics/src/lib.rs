//! Values, machine state and the vocabulary that every form's meaning is written in.
