//! Reading inputs and writing outputs; an output is there whole or not at all.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::Failure;

/// Inputs larger than this are refused, so that a mistaken path cannot take all memory.
const LARGEST: u64 = 1 << 31;

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// It cannot be read, or is larger than 2 GiB.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let fail = |e: std::io::Error| {
        Failure::unreadable(format!("`{}` cannot be read: {}", path.display(), plain(&e)))
    };
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().take(LARGEST).read_to_end(&mut bytes).map_err(fail)?;
    } else {
        let file = std::fs::File::open(path).map_err(fail)?;
        // One byte more than is there, so that the end is seen without growing.
        let size = file.metadata().map_or(0, |m| m.len().min(LARGEST));
        bytes.reserve_exact(usize::try_from(size).unwrap_or(0) + 1);
        file.take(LARGEST).read_to_end(&mut bytes).map_err(fail)?;
    }
    if bytes.len() as u64 == LARGEST {
        return Err(Failure::unreadable(format!("`{}` is larger than 2 GiB", path.display())));
    }
    Ok(bytes)
}

/// The text of a file; `-` is standard input.
///
/// # Errors
/// As [`read`], or the bytes are no UTF-8; the message names the offset.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    text(path, read(path)?)
}

/// The text that a file's bytes are.
///
/// # Errors
/// They are no UTF-8; the message names the offset.
pub fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::not_text(format!("`{}` is no text: the byte at offset {at:#x} is not UTF-8", path.display()))
    })
}

/// Writes a file by way of a temporary one beside it; `-` is standard output.
///
/// # Errors
/// It cannot be written. Nothing is left behind.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let fail = |e: std::io::Error| {
        Failure::unwritable(format!("`{}` cannot be written: {}", path.display(), plain(&e)))
    };
    if path == Path::new("-") {
        let mut out = std::io::stdout().lock();
        return match out.write_all(bytes).and_then(|()| out.flush()) {
            // A reader that has seen enough is no error.
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            done => done.map_err(fail),
        };
    }
    // A device such as /dev/null is written to, not replaced.
    if path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return std::fs::write(path, bytes).map_err(fail);
    }
    if path.is_dir() {
        return Err(Failure::unwritable(format!("`{}` is a folder", path.display())));
    }
    let temporary = beside(path);
    let done = std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    if done.is_err() {
        // The first error is the one to tell; a leftover that cannot be removed adds nothing to it.
        let _ = std::fs::remove_file(&temporary);
    }
    done.map_err(fail)
}

/// Holds an output against an input: one that is the same file would take its place.
///
/// # Errors
/// They are one file.
pub fn apart(input: &Path, output: &Path) -> Result<(), Failure> {
    let (Ok(there), Ok(here)) = (input.canonicalize(), output.canonicalize()) else { return Ok(()) };
    if there == here && there.is_file() {
        let name = output.display();
        return Err(Failure::usage(format!("`{name}` is the input; the output would take its place")));
    }
    Ok(())
}

fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

/// Why standard output could not be written, until [`lost`] asks for it.
static LOST: Mutex<Option<String>> = Mutex::new(None);

/// Notes that something could not be written to standard output; a reader that went away is no error.
pub fn note_lost(error: &std::io::Error) {
    if error.kind() != std::io::ErrorKind::BrokenPipe {
        let mut lost = LOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lost.get_or_insert_with(|| plain(error));
    }
}

/// The failure of what was to go to standard output since the last call, if some of it did not.
pub fn lost() -> Option<Failure> {
    let why = LOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()?;
    Some(Failure::unwritable(format!("standard output cannot be written: {why}")))
}

/// Writes text to standard output; a reader that went away is no error, and another error is for [`lost`].
pub fn print(text: &str) {
    put(text.as_bytes());
}

/// Writes text to standard error; a reader that went away is no error.
pub fn complain(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// As [`print()`], of bytes that are text.
pub fn put(text: &[u8]) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text).and_then(|()| out.flush()) {
        note_lost(&error);
    }
}

fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_lowercase(),
        None => text,
    }
}
