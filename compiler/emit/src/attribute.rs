//! Records of `.nv.info` as bytes.

use sassafras_cubin::{Attribute, Error, Value};

/// Appends a record; `index` gives the index of a symbol.
///
/// # Errors
/// A value of more than 65,535 bytes, or an unknown symbol.
pub fn emit(
    out: &mut Vec<u8>,
    attribute: &Attribute,
    index: &dyn Fn(&str) -> Option<u32>,
) -> Result<(), Error> {
    let id = attribute.id;
    let mut sized = |bytes: &[u8]| match u16::try_from(bytes.len()) {
        Ok(len) => {
            out.extend([4, id]);
            out.extend(len.to_le_bytes());
            out.extend(bytes);
            Ok(())
        }
        Err(_) => Err(Error::part(format!("attribute {id:#04x}"), "its value is longer than 65,535 bytes")),
    };
    match &attribute.value {
        Value::Bytes(bytes) => return sized(bytes),
        Value::Symbols(names) => {
            let mut bytes = Vec::new();
            for name in names {
                let index = index(name).ok_or_else(|| {
                    Error::part(format!("attribute {id:#04x}"), format!("no symbol is called `{name}`"))
                })?;
                bytes.extend(index.to_le_bytes());
            }
            return sized(&bytes);
        }
        Value::Empty => out.extend([1, id, 0, 0]),
        Value::Byte(b) => out.extend([2, id, *b, 0]),
        Value::Half(h) => {
            out.extend([3, id]);
            out.extend(h.to_le_bytes());
        }
    }
    Ok(())
}
