//! Any 16 bytes through the SASS codec.

use sassafras_isa::{Chip, Style, decode, encode, parse, print};

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A legal instruction.
    Accepted,
    /// An error that says why.
    Rejected,
}

/// A word decodes to an instruction that encodes to the same word, and whose text reads back as the same instruction; or to an error that
/// names a bit or an opcode.
///
/// # Panics
/// When it does neither.
pub fn codec(bytes: [u8; 16]) -> Fate {
    let word = u128::from_le_bytes(bytes);
    let inst = match decode(word, Chip::Sm90) {
        Ok(inst) => inst,
        Err(e) => {
            let message = e.to_string();
            assert!(message.contains("bit"), "{word:#034x}: the error names no bit: {message}");
            return Fate::Rejected;
        }
    };
    match encode(&inst, Chip::Sm90) {
        Ok(again) => assert_eq!(again, word, "{word:#034x} came back as {again:#034x}: {inst:?}"),
        Err(e) => panic!("{word:#034x} decodes to {inst:?}, which does not encode: {e}"),
    }
    let style = Style { control: true, exact: true, ..Style::default() };
    let text = print(&inst, &style);
    match parse(&text, &style) {
        Ok(again) => assert_eq!(again, inst, "{word:#034x}: `{text}` reads back as another instruction"),
        Err(e) => panic!("{word:#034x}: `{text}` does not read back: {e}"),
    }
    Fate::Accepted
}
