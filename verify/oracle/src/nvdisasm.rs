//! nvdisasm, NVIDIA's disassembler: of cubins, and of raw words in batches.

use crate::run::{Output, RunError, run, run_ok};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// One installed nvdisasm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nvdisasm {
    path: PathBuf,
}

/// Words per process in [`Nvdisasm::words`]: start-up takes about half a second, so batches are large.
const BATCH: usize = 20_000;
/// `NOP` with idle control bits: stands in for a word that nvdisasm refuses, so that the rest of the batch is still read.
const NOP: u128 = 0x000f_c000_0000_0000_0000_0000_0000_7918;
/// Refused words are replaced and the batch tried again this often before it is halved.
const ROUNDS: usize = 50;

impl Nvdisasm {
    pub(crate) fn at(path: PathBuf) -> Nvdisasm {
        Nvdisasm { path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `nvdisasm OPTIONS CUBIN` and gives what it said, whatever the status.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn run(&self, cubin: &Path, options: &[&str]) -> Result<Output, RunError> {
        let mut args: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
        args.push(cubin.as_os_str());
        run(self.path.as_os_str(), &args)
    }

    /// The text of `nvdisasm -c CUBIN`.
    ///
    /// # Errors
    /// When it cannot be run, or refuses the file.
    pub fn disassemble(&self, cubin: &Path) -> Result<String, RunError> {
        Ok(run_ok(self.path.as_os_str(), &["-c".as_ref(), cubin.as_os_str()])?.stdout)
    }

    /// As [`Nvdisasm::disassemble`], for a cubin in memory.
    ///
    /// # Errors
    /// As there.
    pub fn disassemble_bytes(&self, cubin: &[u8]) -> Result<String, RunError> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("in.cubin");
        std::fs::write(&file, cubin)?;
        self.disassemble(&file)
    }

    /// The text of each raw word on `chip` (`sm_90` or `SM90`), without the semicolon; `None` where nvdisasm refuses it.
    ///
    /// Word `i` is shown as if at address `16 * (i mod 20000)`, which matters for branch targets only.
    ///
    /// # Errors
    /// When the process cannot be run or temporary files cannot be written.
    pub fn words(&self, words: &[u128], chip: &str) -> Result<Vec<Option<String>>, RunError> {
        let chip = chip.to_ascii_uppercase().replace('_', "");
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("words.bin");
        let mut all = Vec::with_capacity(words.len());
        for batch in words.chunks(BATCH) {
            self.batch(batch, 0, &chip, &file, &mut all)?;
        }
        Ok(all)
    }

    fn batch(
        &self,
        words: &[u128],
        first: usize,
        chip: &str,
        file: &Path,
        all: &mut Vec<Option<String>>,
    ) -> Result<(), RunError> {
        let mut current = words.to_vec();
        let mut refused = vec![false; words.len()];
        for _ in 0..ROUNDS {
            let bytes: Vec<u8> = current.iter().flat_map(|w| w.to_le_bytes()).collect();
            std::fs::write(file, bytes)?;
            let base = format!("{:#x}", 16 * first);
            let out = self.run(file, &["-b", chip, "-ndf", "-c", "-base", &base])?;
            if out.ok() {
                let mut texts = lines(&out.stdout, first, words.len());
                texts.iter_mut().zip(&refused).filter(|(_, r)| **r).for_each(|(t, _)| *t = None);
                all.append(&mut texts);
                return Ok(());
            }
            let fresh: Vec<usize> =
                addresses(&out.stderr, first).filter(|i| *i < words.len() && !refused[*i]).collect();
            if fresh.is_empty() {
                break;
            }
            for i in fresh {
                refused[i] = true;
                current[i] = NOP;
            }
        }
        // No address in the message, or too many rounds: the halves tell.
        if let [_] = words {
            all.push(None);
            return Ok(());
        }
        let (a, b) = words.split_at(words.len() / 2);
        self.batch(a, first, chip, file, all)?;
        self.batch(b, first + a.len(), chip, file, all)
    }
}

/// Indices of the words that an error message names as `at address 0x...`.
fn addresses(message: &str, first: usize) -> impl Iterator<Item = usize> + '_ {
    message.split("at address 0x").skip(1).filter_map(move |rest| {
        let digits = rest.find(|c: char| !c.is_ascii_hexdigit()).map_or(rest, |end| &rest[..end]);
        usize::from_str_radix(digits, 16).ok()?.checked_div(16)?.checked_sub(first)
    })
}

/// Picks `/*ADDRESS*/ TEXT ;` out of a listing.
fn lines(listing: &str, first: usize, count: usize) -> Vec<Option<String>> {
    let mut texts = vec![None; count];
    for line in listing.lines() {
        let Some((address, rest)) = line.trim_start().strip_prefix("/*").and_then(|l| l.split_once("*/"))
        else {
            continue;
        };
        let (Ok(address), Some((text, _))) = (usize::from_str_radix(address, 16), rest.rsplit_once(';'))
        else {
            continue;
        };
        if let Some(slot) = (address / 16).checked_sub(first).and_then(|i| texts.get_mut(i)) {
            *slot = Some(text.trim().to_string());
        }
    }
    texts
}
