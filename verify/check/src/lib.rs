//! Rules about one program in one form: IR, machine code, allocation, schedule and cubin.
