//! Files that hold cubins and PTX: fat binaries, host objects, executables, shared libraries and static archives.
//!
//! * [`open`]: what a file is, and every item in it.
//! * [`Item::contents`]: the bytes of one item, unpacked.
//!
//! Facts: nvcc and fatbinary 13.0.88 with every kind of output and every `--compress-mode`, beside what cuobjdump 13.2.51
//! says of the same files. A count or size in a header is never believed before the bytes are there.

mod archive;
mod fatbin;
mod host;
mod pack;

use std::borrow::Cow;
use std::ops::Range;

use sassafras_cubin::Error;
use sassafras_cubin::elf::{self, Header, constants as c};

/// What a file is as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One cubin.
    Cubin,
    /// PTX text.
    Ptx,
    /// One or more fat binaries (`nvcc -fatbin`).
    Fatbin,
    /// An ELF object of the host (`nvcc -c`, `-dc`).
    Object,
    /// An executable of the host.
    Executable,
    /// A shared library, or an executable that is loaded anywhere.
    Shared,
    /// A static archive (`nvcc -lib`).
    Archive,
}

impl Form {
    /// Its name in messages and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Form::Cubin => "cubin",
            Form::Ptx => "ptx",
            Form::Fatbin => "fatbin",
            Form::Object => "object",
            Form::Executable => "executable",
            Form::Shared => "shared",
            Form::Archive => "archive",
        }
    }
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Machine code for one chip.
    Cubin,
    /// PTX text.
    Ptx,
    /// Intermediate code for link-time optimisation, obfuscated: it can be listed only.
    Nvvm,
    /// A kind of fat binary entry that is not known.
    Other(u16),
}

/// How an item is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// Not at all.
    None,
    /// An LZ4 block: CUDA 11, 12, and `--compress-mode=speed`.
    Lz4,
    /// A Zstandard frame: CUDA 12.4 and later.
    Zstd,
}

impl Packing {
    /// Its name in messages and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Packing::None => "none",
            Packing::Lz4 => "lz4",
            Packing::Zstd => "zstd",
        }
    }
}

/// One cubin or PTX text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// The number in `sm_90`; 0 for bare PTX, whose text says it.
    pub sm: u32,
    /// `a` for one chip only, `f` for a family, or nothing.
    pub suffix: &'static str,
    /// Major and minor version: of PTX that of the language, of a cubin that of its format.
    pub version: (u16, u16),
    /// Whether it was compiled for debugging (`-G`).
    pub debug: bool,
    /// How it is compressed.
    pub packing: Packing,
    /// Its bytes in the file, still compressed.
    pub stored: Range<u64>,
    /// Its size in bytes, unpacked, as the header says it.
    pub size: u64,
    /// The archive's member that it stands in.
    pub member: Option<String>,
    /// The host file's section that it stands in.
    pub section: Option<String>,
    /// Number of the fat binary in the file, from 0: PTX and cubins of one source stand together.
    pub group: usize,
    /// The source's name, where the fat binary says it.
    pub source: Option<String>,
    /// ptxas's options for PTX, as the fat binary has them, blanks included.
    pub options: String,
    /// The flags of the entry in the fat binary.
    pub flags: u64,
}

/// A file, opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// What it is.
    pub form: Form,
    /// What it holds, in file order.
    pub items: Vec<Item>,
}

/// Whether bytes are a container of cubins, rather than one cubin or PTX text.
pub fn is_container(bytes: &[u8]) -> bool {
    fatbin::begins(bytes) || archive::begins(bytes) || bytes.starts_with(b"\x7fELF") && !is_cubin(bytes)
}

/// Whether an ELF file is for NVIDIA's machine; one that is cut short counts, so that its own reader says what is wrong.
fn is_cubin(bytes: &[u8]) -> bool {
    let machine = bytes.get(0x12..0x14).map(|b| u16::from_le_bytes([b[0], b[1]]));
    bytes.starts_with(b"\x7fELF") && machine.is_none_or(|m| m == c::MACHINE)
}

/// Opens a file of any form.
///
/// # Errors
/// A file of no known form, or one whose headers contradict its bytes, with the offset.
pub fn open(bytes: &[u8]) -> Result<Container, Error> {
    if is_cubin(bytes) {
        let header = elf::read(bytes)?.header;
        return Ok(Container { form: Form::Cubin, items: vec![cubin(&header, bytes.len() as u64)] });
    }
    if fatbin::begins(bytes) {
        let items = fatbin::read(bytes, 0..bytes.len() as u64, 0)?;
        return Ok(Container { form: Form::Fatbin, items });
    }
    if archive::begins(bytes) {
        return Ok(Container { form: Form::Archive, items: archive::read(bytes)? });
    }
    if bytes.starts_with(b"\x7fELF") {
        let (form, items) = host::read(bytes, 0..bytes.len() as u64, 0)?;
        return Ok(Container { form, items });
    }
    if is_ptx(bytes) {
        let item = Item { kind: Kind::Ptx, ..cubin(&Header::default(), bytes.len() as u64) };
        return Ok(Container { form: Form::Ptx, items: vec![item] });
    }
    // The reader of cubins says what is missing.
    Err(elf::read(bytes).err().unwrap_or_else(|| Error::at(0, "the file is of no known form")))
}

/// A whole file as one item.
fn cubin(header: &Header, size: u64) -> Item {
    Item {
        kind: Kind::Cubin,
        sm: header.sm(),
        suffix: if header.accelerated() { "a" } else { "" },
        version: (0, 0),
        debug: false,
        packing: Packing::None,
        stored: 0..size,
        size,
        member: None,
        section: None,
        group: 0,
        source: None,
        options: String::new(),
        flags: 0,
    }
}

/// Whether bytes are text with a `.version` before anything but comments and blanks.
fn is_ptx(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut rest = text.trim_start();
    loop {
        let after = match (rest.strip_prefix("//"), rest.strip_prefix("/*")) {
            (Some(line), _) => line.split_once('\n').map(|l| l.1),
            (_, Some(comment)) => comment.split_once("*/").map(|l| l.1),
            _ => return rest.starts_with(".version"),
        };
        let Some(after) = after else { return false };
        rest = after.trim_start();
    }
}

impl Item {
    /// The target as it is spelt: `sm_90a`.
    pub fn target(&self) -> String {
        format!("sm_{}{}", self.sm, self.suffix)
    }

    /// Its bytes, unpacked, out of those of the file that it was found in.
    ///
    /// # Errors
    /// A stream that does not unpack to the size in its header, or a kind that has no readable bytes.
    pub fn contents<'a>(&self, file: &'a [u8]) -> Result<Cow<'a, [u8]>, Error> {
        let at = self.stored.start;
        match self.kind {
            Kind::Cubin | Kind::Ptx => {}
            Kind::Nvvm => return Err(Error::unsupported(at, "reading obfuscated NVVM code")),
            Kind::Other(kind) => return Err(Error::unsupported(at, format!("an entry of kind {kind:#x}"))),
        }
        let stored = part(file, &self.stored)?;
        let bytes = pack::unpack(stored, self.packing, self.size, at)?;
        Ok(match self.kind {
            // Entries are padded to eight bytes.
            Kind::Ptx => cut(bytes, |b| b.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1)),
            _ => cut(bytes, elf_end),
        })
    }
}

/// Leaves `length` bytes.
fn cut<'a>(bytes: Cow<'a, [u8]>, length: impl Fn(&[u8]) -> usize) -> Cow<'a, [u8]> {
    let length = length(&bytes);
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..length]),
        Cow::Owned(mut bytes) => {
            bytes.truncate(length);
            Cow::Owned(bytes)
        }
    }
}

/// Where an ELF image ends by its own headers, when only zeros follow; else all of it.
fn elf_end(bytes: &[u8]) -> usize {
    let quad = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let half = |at: usize| Some(u64::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let end = || {
        let sections = quad(0x28)?.checked_add(half(0x3c)? * 64)?;
        let segments = quad(0x20)?.checked_add(half(0x38)? * 56)?;
        usize::try_from(sections.max(segments)).ok()
    };
    match end() {
        Some(end) if end >= 64 && bytes.get(end..).is_some_and(|rest| rest.iter().all(|&b| b == 0)) => end,
        _ => bytes.len(),
    }
}

/// A part of a file.
fn part<'a>(file: &'a [u8], range: &Range<u64>) -> Result<&'a [u8], Error> {
    let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    file.get(at(range.start)..at(range.end))
        .ok_or_else(|| Error::at(range.start, "a part of the file lies outside it"))
}
