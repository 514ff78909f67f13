//! Rules about the file of a cubin: sections, program headers, and records that say a thing twice.
//!
//! The judge's own table, from the files of ptxas 11.8.89, 12.0.140, 12.9.86, 13.0.88 and 13.5.37 (readelf): it shares none with the writer.

use crate::report::Report;
use crate::rules::Rule;
use sassafras_cubin::attribute::{self, Value};
use sassafras_cubin::elf::{Data, Image, Section, Segment, constants as c};
use sassafras_hazards::Verdict;

/// `PT_LOAD` and `PT_PHDR`.
const LOAD: u32 = 1;
const HEADERS: u32 = 6;
/// `PF_X`, `PF_W`, `PF_R`.
const RUNS: u32 = 1;
const WRITES: u32 = 2;
const READS: u32 = 4;
/// `sh_type` of constant bank 0 and of initialised variables in a relocatable object; the next banks have the next numbers.
const CONSTANTS: u32 = 0x7000_0064;
const INITIALISED: u32 = 0x7000_0008;
/// `sh_type` of shared memory that the system keeps, in a relocatable object of `ptxas -ewp`.
const RESERVED: u32 = 0x7000_0015;
/// Bytes of a program header.
const HEADER: u64 = 56;
/// What a section does in the running program.
const MODES: u64 = c::WRITE | c::ALLOC | c::EXEC;

/// How a name goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Not at all.
    Nothing,
    /// With `.` and a function's name.
    Function,
    /// Perhaps with a function's name.
    Perhaps,
}

/// A family of sections.
struct Family {
    name: &'static str,
    rest: Rest,
    /// `sh_type` in an executable, and in a relocatable object.
    kinds: [u32; 2],
    /// Which of write, alloc and exec are set.
    mode: u64,
}

const fn family(name: &'static str, rest: Rest, kind: u32, mode: u64) -> Family {
    Family { name, rest, kinds: [kind, kind], mode }
}

const FAMILIES: &[Family] = &[
    family(".text", Rest::Function, c::PROGBITS, c::ALLOC | c::EXEC),
    family(".nv.constant0", Rest::Function, c::PROGBITS, c::ALLOC),
    family(".nv.constant1", Rest::Perhaps, c::PROGBITS, c::ALLOC),
    family(".nv.constant2", Rest::Perhaps, c::PROGBITS, c::ALLOC),
    family(".nv.constant3", Rest::Nothing, c::PROGBITS, c::ALLOC),
    family(".nv.constant4", Rest::Nothing, c::PROGBITS, c::ALLOC),
    family(".nv.global.init", Rest::Nothing, c::PROGBITS, c::WRITE | c::ALLOC),
    Family {
        name: ".nv.global",
        rest: Rest::Nothing,
        kinds: [c::NOBITS, c::CUDA_GLOBAL],
        mode: c::WRITE | c::ALLOC,
    },
    // What the system keeps has its own name; it has no bytes in either kind of file.
    family(".nv.shared.reserved", Rest::Function, c::NOBITS, c::WRITE | c::ALLOC),
    Family {
        name: ".nv.shared",
        rest: Rest::Function,
        kinds: [c::NOBITS, c::CUDA_SHARED],
        mode: c::WRITE | c::ALLOC,
    },
    family(".nv.info", Rest::Perhaps, c::CUDA_INFO, 0),
    family(".nv.callgraph", Rest::Nothing, c::CUDA_CALLGRAPH, 0),
    family(".nv.rel.action", Rest::Nothing, c::CUDA_RELOCINFO, 0),
    family(".nv.compat", Rest::Nothing, c::CUDA_COMPAT, 0),
    family(".symtab", Rest::Nothing, c::SYMTAB, 0),
    family(".strtab", Rest::Nothing, c::STRTAB, 0),
    family(".shstrtab", Rest::Nothing, c::STRTAB, 0),
    family(".rel", Rest::Function, c::REL, 0),
    family(".rela", Rest::Function, c::RELA, 0),
    family(".note", Rest::Function, c::NOTE, 0),
];

impl Family {
    fn holds(&self, name: &str) -> bool {
        match name.strip_prefix(self.name) {
            Some("") => self.rest != Rest::Function,
            Some(rest) => self.rest != Rest::Nothing && rest.starts_with('.') && rest.len() > 1,
            None => false,
        }
    }
}

/// Judges a file.
pub fn check(image: &Image) -> Verdict {
    let mut report = Report::of("file");
    let relocatable = image.header.kind != c::EXECUTABLE;
    for section in image.sections.iter().skip(1) {
        described(section, relocatable, &mut report);
    }
    if relocatable {
        if !image.segments.is_empty() {
            report.add(Rule::CubinSegment, "program headers", "a relocatable object has none");
        }
    } else {
        segments(image, &mut report);
    }
    for section in &image.sections {
        if let Some(name) = section.name.strip_prefix(".nv.info.").filter(|_| section.flags & c::MERCURY == 0)
        {
            constants(image, section, name, &mut report);
        }
    }
    report.verdict()
}

/// The size of the parameters is said twice, and both times it is what the constant bank has behind its base.
fn constants(image: &Image, info: &Section, name: &str, report: &mut Report) {
    let Ok(records) = attribute::parse(info.bytes(), info.offset) else {
        report.add(Rule::CubinConstants, &info.name, "its records do not read");
        return;
    };
    let mut sizes = Vec::new();
    for (_, record) in &records {
        let words = record.as_words().unwrap_or_default();
        match (record.id, &record.value, &words[..]) {
            (attribute::CBANK_PARAM_SIZE, Value::Half(size), _) => sizes.push(u32::from(*size)),
            (attribute::PARAM_CBANK, _, &[symbol, place]) => {
                sizes.push(place >> 16);
                let bank = format!(".nv.constant0.{name}");
                let section = image.symbols.get(symbol as usize).map_or(0, |s| u32::from(s.section));
                if image.section_name(section) != bank {
                    report.add(
                        Rule::CubinConstants,
                        &info.name,
                        format!("its parameters lie not in `{bank}`"),
                    );
                }
                let end = u64::from(place & 0xffff) + u64::from(place >> 16);
                let size = image.section(&bank).map(|at| image.sections[at].size());
                if size != Some(end) {
                    let what =
                        format!("its parameters end at {end:#x}, and `{bank}` at {:#x}", size.unwrap_or(0));
                    report.add(Rule::CubinConstants, &info.name, what);
                }
            }
            _ => {}
        }
    }
    if sizes.windows(2).any(|pair| pair[0] != pair[1]) {
        report.add(Rule::CubinConstants, &info.name, format!("its parameters have the sizes {sizes:?}"));
    }
}

/// Kind and flags of a section are those of its name.
fn described(section: &Section, relocatable: bool, report: &mut Report) {
    let Section { name, kind, flags, .. } = section;
    // The copies that the loader's own compiler reads, from sm_100 on; they are not loaded.
    if flags & c::MERCURY != 0 {
        return;
    }
    let Some(family) = FAMILIES.iter().find(|family| family.holds(name)) else {
        if flags & MODES != 0 {
            report.unknown(
                Rule::CubinSection,
                name,
                "a section of this name takes memory, for what is not known",
            );
        }
        return;
    };
    let wanted = family.kinds[usize::from(relocatable)];
    // ptxas -c gives data types of their own, those of the constant banks by number.
    let bank = name.strip_prefix(".nv.constant").and_then(|rest| rest.get(..1)?.parse::<u32>().ok());
    let object = match bank {
        Some(bank) => CONSTANTS + bank,
        None if name == ".nv.global.init" => INITIALISED,
        None if name.starts_with(".nv.shared.reserved.") => RESERVED,
        None => wanted,
    };
    if *kind != wanted && !(relocatable && *kind == object) {
        report.add(Rule::CubinSection, name, format!("its type is {kind:#x}, not {wanted:#x}"));
    }
    if flags & MODES != family.mode {
        let modes = flags & MODES;
        report.add(Rule::CubinSection, name, format!("its flags are {modes:#x}, not {:#x}", family.mode));
    }
    let bytes = matches!(section.data, Data::Bytes(_));
    if !relocatable && bytes == (*kind == c::NOBITS) {
        report.add(Rule::CubinSection, name, "bytes in the file go with its type");
    }
}

/// Where a section lies in the file.
fn range(section: &Section) -> (u64, u64) {
    let size = if section.kind == c::NOBITS { 0 } else { section.size() };
    (section.offset, section.offset + size)
}

/// Each section that takes memory is loaded by one segment, with its rights, and nothing else is.
fn segments(image: &Image, report: &mut Report) {
    // Before sm_90 what is read and what runs lie in one segment, with the rights of both.
    let together = image.header.sm() < 90;
    let reads = if together { READS | RUNS } else { READS };
    let loaded: Vec<&Section> =
        image.sections.iter().filter(|s| s.flags & c::ALLOC != 0 && s.flags & c::MERCURY == 0).collect();
    // A file without anything to load, as nvcc puts one into a program, has the rights of both too.
    let table_rights = |rights: u32| rights == reads || (loaded.is_empty() && rights == READS | RUNS);
    let headers: Vec<&Segment> = image.segments.iter().filter(|s| s.kind == HEADERS).collect();
    let own = image.segments.len() as u64 * HEADER;
    let table = headers.first().map(|s| (s.offset, s.file_size));
    if headers.len() != 1
        || headers.iter().any(|s| s.file_size != own || s.memory_size != own || !table_rights(s.flags))
    {
        report.add(
            Rule::CubinSegment,
            "program headers",
            format!("one says where all {own} bytes of them are"),
        );
    }
    let (own_loads, loads): (Vec<&Segment>, Vec<&Segment>) = image
        .segments
        .iter()
        .filter(|s| s.kind == LOAD)
        .partition(|s| Some((s.offset, s.file_size)) == table);
    if own_loads.len() != 1 || own_loads.iter().any(|s| s.memory_size != own || !table_rights(s.flags)) {
        report.add(Rule::CubinSegment, "program headers", "they are loaded once, to be read");
    }
    if let Some(other) = image.segments.iter().find(|s| s.kind != LOAD && s.kind != HEADERS) {
        report.add(Rule::CubinSegment, "program headers", format!("one has the type {:#x}", other.kind));
    }
    for section in &loaded {
        let (start, end) = range(section);
        let rights = match section.flags & (c::WRITE | c::EXEC) {
            0 => reads,
            c::WRITE => READS | WRITES,
            c::EXEC => READS | RUNS,
            _ => READS | WRITES | RUNS,
        };
        if section.size() == 0 {
            continue;
        }
        let inside = |s: &&&Segment| {
            let held = s.offset <= start && end <= s.offset + s.file_size;
            if section.kind == c::NOBITS { s.memory_size > s.file_size && s.flags == rights } else { held }
        };
        let by: Vec<_> = loads.iter().filter(inside).collect();
        match by[..] {
            [segment] if segment.flags == rights => {}
            [segment] => {
                let what = format!("it is loaded with rights {:#x}, not {rights:#x}", segment.flags);
                report.add(Rule::CubinSegment, &section.name, what);
            }
            [] => report.add(Rule::CubinSegment, &section.name, "no segment loads it"),
            _ => report.add(Rule::CubinSegment, &section.name, "two segments load it"),
        }
    }
    for segment in loads {
        extent(segment, &loaded, report);
    }
}

/// A segment begins with its first section and ends with its last; beyond that it has memory for what has no bytes.
fn extent(segment: &Segment, loaded: &[&Section], report: &mut Report) {
    let end = segment.offset + segment.file_size;
    let inside = |s: &&&Section| {
        let (from, to) = range(s);
        s.kind != c::NOBITS && from < to && segment.offset <= from && to <= end
    };
    let held: Vec<(u64, u64)> = loaded.iter().filter(inside).map(|s| range(s)).collect();
    let place = format!("segment at {:#x}", segment.offset);
    let (first, last) = (held.iter().map(|r| r.0).min(), held.iter().map(|r| r.1).max());
    // What has no bytes begins at its own alignment, and the segment's bytes may go on until there.
    let padded = |last: u64| {
        let starts = |s: &&Section| s.kind == c::NOBITS && s.offset == end && end - last < s.align.max(1);
        last == end || loaded.iter().any(starts)
    };
    if segment.file_size > 0 && (first != Some(segment.offset) || !last.is_some_and(padded)) {
        let what =
            format!("its {:#x} bytes are not from a section's start to a section's end", segment.file_size);
        report.add(Rule::CubinSegment, &place, what);
    }
    let writes = segment.flags & WRITES != 0;
    let blank: u64 = loaded.iter().filter(|s| writes && s.kind == c::NOBITS).map(|s| s.size()).sum();
    let gaps: u64 = loaded.iter().filter(|s| writes && s.kind == c::NOBITS).map(|s| s.align.max(1)).sum();
    let more = segment.memory_size.checked_sub(segment.file_size);
    if more.is_none_or(|more| more < blank || more > blank + gaps) {
        let what = format!(
            "{:#x} bytes of memory for {:#x} in the file and {blank:#x} without",
            segment.memory_size, segment.file_size
        );
        report.add(Rule::CubinSegment, &place, what);
    }
}
