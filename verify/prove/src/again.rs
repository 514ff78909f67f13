//! A counterexample as arguments of `sassafras run`, so that whoever is told of it can see it again.

use sassafras_execute::Launch;
use std::fmt::Write;

/// Most pieces of memory that are written out in one line.
const PIECES: usize = 48;

/// What `run` has to be given for a launch; none if it cannot be said in one line. `params`: name, offset and size in bytes.
pub fn arguments(launch: &Launch, params: &[(String, u32, u32)], order: u32) -> Option<String> {
    let shape = |n: [u32; 3]| format!("{},{},{}", n[0], n[1], n[2]);
    let mut text = format!("--grid {} --block {}", shape(launch.grid), shape(launch.block));
    if launch.dynamic_shared > 0 {
        let _ = write!(text, " --shared {}", launch.dynamic_shared);
    }
    if order > 0 {
        let _ = write!(text, " --order {order}");
    }
    // `run` puts a buffer for each argument behind the last one.
    let (mut next, mut pieces) = (0, 0);
    for (_, offset, size) in params {
        let bytes = launch.params.get(*offset as usize..(offset + size) as usize)?;
        let value =
            bytes.iter().rev().try_fold(0u64, |all, b| all.checked_mul(256)?.checked_add((*b).into()))?;
        let at = (*size == 8).then(|| launch.buffers.iter().position(|b| b.address == value)).flatten();
        let _ = match at {
            Some(n) if n == next => {
                next += 1;
                let (spec, count) = contents(&launch.buffers[n].bytes);
                pieces += count;
                write!(text, " --arg {spec}")
            }
            Some(_) => return None,
            None if matches!(size, 1 | 2 | 4 | 8) => write!(text, " --arg u{}:{value:#x}", 8 * size),
            None => return None,
        };
    }
    (next == launch.buffers.len() && pieces <= PIECES).then_some(text)
}

/// A buffer as an argument, and of how many pieces it is made.
fn contents(bytes: &[u8]) -> (String, usize) {
    let fill = bytes.last().copied().unwrap_or_default();
    let mut spec = format!("hex:{}:{fill:02x}", bytes.len());
    let (mut count, mut end) = (0, None);
    for (i, word) in bytes.chunks(4).enumerate().filter(|(_, word)| word.iter().any(|b| *b != fill)) {
        if end != Some(i) {
            let _ = write!(spec, ",{:#x}=", 4 * i);
            count += 1;
        }
        for b in word {
            let _ = write!(spec, "{b:02x}");
        }
        end = Some(i + 1);
    }
    (spec, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_execute::Argument;

    #[test]
    fn the_arguments_make_the_launch_again() {
        let mut launch = Launch::new([2, 1, 1], [32, 2, 1]);
        let mut bytes = vec![0x5a; 64];
        bytes[5] = 1;
        bytes[40] = 2;
        let (a, b) = (launch.buffer(bytes), launch.buffer(vec![0; 16]));
        launch.params = [a.to_le_bytes(), 7u64.to_le_bytes(), b.to_le_bytes()].concat();
        let params = |all: &[(u32, u32)]| -> Vec<(String, u32, u32)> {
            all.iter().map(|(at, size)| (String::new(), *at, *size)).collect()
        };
        let all = params(&[(0, 8), (8, 4), (16, 8)]);
        let text = arguments(&launch, &all, 3).expect("it can be said");
        assert!(text.starts_with("--grid 2,1,1 --block 32,2,1 --order 3 --arg hex:64:5a,"), "{text}");
        let none = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        let read = |spec: &str| Argument::parse(spec, &none).expect("a specification");
        let specs: Vec<Argument> = text.split(" --arg ").skip(1).map(read).collect();
        assert_eq!(specs[0], Argument::Buffer(launch.buffers[0].bytes.clone()));
        assert_eq!(specs[1], Argument::Value(7u32.to_le_bytes().to_vec()));
        assert_eq!(specs[2], Argument::Buffer(vec![0; 16]));
        // Two parameters that are one buffer, and one of twelve bytes, cannot.
        launch.params[16..24].copy_from_slice(&a.to_le_bytes());
        assert_eq!(arguments(&launch, &all, 0), None);
        assert_eq!(arguments(&launch, &params(&[(0, 8), (8, 12)]), 0), None);
    }
}
