//! Static archives of host objects.

use object::read::archive::ArchiveFile;

use crate::{Item, fatbin, host, part};
use sassafras_cubin::Error;

/// Whether bytes begin with an archive, an ordinary or a thin one.
pub fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"!<arch>\n") || bytes.starts_with(b"!<thin>\n")
}

/// Reads every member that holds something; members that are no ELF file of the host, or hold nothing, are passed over.
pub fn read(file: &[u8]) -> Result<Vec<Item>, Error> {
    let wrong = |e: object::read::Error| Error::at(0, format!("the archive: {e}"));
    let archive = ArchiveFile::parse(file).map_err(wrong)?;
    if archive.is_thin() {
        return Err(Error::unsupported(0, "a thin archive, whose members are other files,"));
    }
    let mut items: Vec<Item> = Vec::new();
    for member in archive.members() {
        let member = member.map_err(wrong)?;
        let (offset, size) = member.file_range();
        let range = offset..offset.saturating_add(size);
        let bytes = part(file, &range)?;
        let group = items.last().map_or(0, |last| last.group + 1);
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let mut more = if fatbin::begins(bytes) {
            fatbin::read(file, range, group)?
        } else if bytes.starts_with(b"\x7fELF") {
            match host::read(file, range, group) {
                Ok((_, items)) => items,
                // Most members of a library have no device code.
                Err(_) if !host::names_a_section(bytes) => Vec::new(),
                Err(error) => return Err(error),
            }
        } else {
            Vec::new()
        };
        more.iter_mut().for_each(|item| item.member = Some(name.clone()));
        items.append(&mut more);
    }
    Ok(items)
}
