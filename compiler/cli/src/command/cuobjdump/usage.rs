//! `cuobjdump -res-usage`.

use sassafras_cubin::attribute::{self, FRAME_SIZE, REGCOUNT};
use sassafras_cubin::elf::{self, Image};

use crate::Failure;

/// The text for a cubin; of the functions named only, when some are.
pub fn text(bytes: &[u8], names: Option<&str>) -> Result<String, Failure> {
    let image = elf::read(bytes)?;
    let names: Option<Vec<&str>> = names.map(|list| list.split(',').map(str::trim).collect());
    let size = |name: &str| image.section(name).map_or(0, |i| image.sections[i].size());
    let mut out = String::from("\nResource usage:\n Common:\n");
    out.push_str(&format!("  GLOBAL:{}", size(".nv.global") + size(".nv.global.init")));
    for bank in 1..=17 {
        let own = size(&format!(".nv.constant{bank}"));
        if own > 0 {
            out.push_str(&format!(" CONSTANT[{bank}]:{own}"));
        }
    }
    out.push('\n');
    for s in image.symbols.iter().filter(|s| s.info & 15 == 2 && s.section != 0) {
        let own = image.section_name(s.section.into()).strip_prefix(".text.") == Some(&s.name);
        if !own || names.as_ref().is_some_and(|list| !list.contains(&s.name.as_str())) {
            continue;
        }
        let name = &s.name;
        let record = |id| record(&image, id, name).unwrap_or(0);
        out.push_str(&format!(
            " Function {name}:\n  REG:{} STACK:{} SHARED:{} LOCAL:0",
            record(REGCOUNT),
            record(FRAME_SIZE),
            size(&format!(".nv.shared.{name}"))
        ));
        for bank in 0..=17 {
            let own = size(&format!(".nv.constant{bank}.{name}"));
            if own > 0 {
                out.push_str(&format!(" CONSTANT[{bank}]:{own}"));
            }
        }
        out.push_str(" TEXTURE:0 SURFACE:0 SAMPLER:0\n");
    }
    Ok(out)
}

/// The value of a record of `.nv.info` about a function.
fn record(image: &Image, id: u8, name: &str) -> Option<u32> {
    let section = image.section(".nv.info").map(|i| &image.sections[i])?;
    let records = attribute::parse(section.bytes(), section.offset).ok()?;
    records.iter().filter(|(_, r)| r.id == id).find_map(|(_, r)| {
        let words = r.as_words()?;
        let [symbol, value] = words[..] else { return None };
        (image.symbols.get(symbol as usize)?.name == name).then_some(value)
    })
}
