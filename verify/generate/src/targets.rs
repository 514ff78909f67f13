//! What the fuzz targets over generated PTX and over the table of SASS check. `tests/twins.rs` runs each for a second.

use crate::ptx::{Request, module};
use crate::reduce::reduce;
use arbitrary::{Result, Unstructured};
use sassafras_isa::{Chip, Style, decode, encode as word, parse, print};

/// A generated module is accepted.
///
/// # Panics
/// When it is not.
pub fn accepted(u: &mut Unstructured<'_>) -> Result<()> {
    let sm = u.choose(&Chip::ALL[..])?.number();
    let size = u.int_in_range(0..=80)?;
    let made = module(u, &Request { sm, size, ..Request::default() })?;
    if let Err(found) = sassafras_ptx::load(&made.text, "generated.ptx") {
        panic!("{}\n{}", found.render(), made.text);
    }
    Ok(())
}

/// Reduction ends, whatever is kept, and each of its steps checks.
///
/// # Panics
/// When a step does not.
pub fn reduction(u: &mut Unstructured<'_>) -> Result<()> {
    let sm = u.choose(&Chip::ALL[..])?.number();
    let size = u.int_in_range(0..=8)?;
    let salt: u64 = u.arbitrary()?;
    let made = module(u, &Request { sm, size, ..Request::default() })?;
    // Something of no sense that holds of some texts: what is kept must not matter.
    let keep = |text: &str| {
        if let Err(found) = sassafras_ptx::load(text, "step.ptx") {
            panic!("a step does not check: {}\n{text}", found.render());
        }
        let sum = text.bytes().fold(salt, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        (sum >> 32) % 3 != 0
    };
    let small = reduce(&made.text, &keep, 1, &mut |_, _| {});
    assert!(small.is_ok(), "{small:?}");
    Ok(())
}

/// A legal instruction of any form: word and text read back as it.
///
/// # Panics
/// When one does not.
pub fn encode(u: &mut Unstructured<'_>) -> Result<()> {
    let chip = *u.choose(&Chip::ALL[..])?;
    let form = u.choose_index(sassafras_isa::forms().len())?;
    let inst = sassafras_isa::generate(sassafras_isa::FormId(form as u16), u);
    // Not every chip has every form.
    let Ok(bits) = word(&inst, chip) else { return Ok(()) };
    match decode(bits, chip) {
        Ok(again) => assert!(again == inst, "{inst:?} encodes to {bits:#034x}, which decodes to {again:?}"),
        Err(e) => panic!("{inst:?} encodes to {bits:#034x}, which does not decode on {chip:?}: {e}"),
    }
    let style = Style { control: true, exact: true, ..Style::default() };
    let text = print(&inst, &style);
    match parse(&text, &style) {
        Ok(again) => assert!(again == inst, "{inst:?} prints as `{text}`, which parses to {again:?}"),
        Err(e) => panic!("{inst:?} prints as `{text}`, which does not parse: {e}"),
    }
    Ok(())
}
