//! Functions that the driver resolves ([`SystemCall`]), as both executors perform them.
//!
//! Sources: CUDA C++ Programming Guide, "Formatted Output" (a format string as C has it; `printf` returns the number of arguments that it parsed, at
//! most 32; -1 where the format is null), "Assertion" (the kernel stops), "Dynamic Global Memory Allocation and Operations" (`malloc` gives
//! 16-byte aligned memory or null, from a heap of 8 MiB if nothing else is said; `free` takes what it gave). What lies in the buffer
//! of arguments is by experiment on nvcc 13.0.88: each at a multiple of its size, floats as doubles.

mod format;

pub use crate::called::{Called, Calls};
use crate::memory::Lane;
use format::{Argument, conversions};
use sassafras_semantics::{Access, Ordering, Scope, Space, SystemCall, Trap};

impl Called {
    /// What `vprintf` prints; nothing of another call.
    pub fn printed(&self) -> Option<Vec<u8>> {
        if self.call != SystemCall::Vprintf.name() {
            return None;
        }
        let end = self.bytes.iter().position(|&b| b == 0)?;
        let (format, mut rest) = (&self.bytes[..end], &self.bytes[end + 1..]);
        let arguments = std::iter::from_fn(|| {
            let (size, behind) = rest.split_first_chunk::<4>()?;
            let (own, behind) = behind.split_at_checked(u32::from_le_bytes(*size) as usize)?;
            rest = behind;
            Some(own)
        });
        Some(format::text(format, arguments))
    }
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It comes back, with a result if it has one.
    Result(u64),
    /// It stops the kernel, with a message.
    Stop(String),
    /// What it was asked is undefined.
    Undefined(String),
}

/// Most bytes of a string that is read.
const MOST: u64 = 4096;
/// Most arguments of a format.
const MOST_ARGUMENTS: u32 = 32;
/// Address of the heap: above all buffers and variables, below the windows.
const HEAP: u64 = 0x4000_0000_0000;
/// Room of a thread in it.
const ROOM: u64 = 1 << 24;
/// Bytes that all threads have together (`cudaLimitMallocHeapSize`).
const LIMIT: u64 = 8 << 20;
/// Unmapped bytes behind each piece.
const GUARD: u64 = 256;

/// Performs a call for a thread: `who` is its block, and its number in the block; `operands` are the call's in order.
///
/// # Errors
/// Memory that cannot be read.
pub fn perform(
    lane: &mut Lane<'_>,
    who: (u64, u32),
    seed: u64,
    call: SystemCall,
    operands: &[u64],
) -> Result<End, Trap> {
    let operand = |i: usize| operands.get(i).copied().unwrap_or(0);
    let (number, given) = lane.memory.calls.threads.get(&who).copied().unwrap_or_default();
    let mut room = given;
    let (bytes, end) = match call {
        SystemCall::Vprintf if operand(0) == 0 => (Vec::new(), End::Result(0xffff_ffff)),
        SystemCall::Vprintf => {
            let (said, count) = print(lane, operand(0), operand(1))?;
            (said, End::Result(count.into()))
        }
        SystemCall::AssertFail => {
            let text = |lane: &mut Lane<'_>, at: u64| -> Result<String, Trap> {
                Ok(String::from_utf8_lossy(&string(lane, at)?).into_owned())
            };
            let (message, file) = (text(lane, operand(0))?, text(lane, operand(1))?);
            let function = text(lane, operand(3))?;
            (
                Vec::new(),
                End::Stop(format!("{file}:{}: {function}: Assertion `{message}` failed", operand(2))),
            )
        }
        SystemCall::Malloc => {
            let size = operand(0);
            let at = HEAP + (who.0 * 1024 + u64::from(who.1)) * ROOM + given;
            let fits = size > 0 && size <= LIMIT - lane.memory.calls.used && given + size + GUARD <= ROOM;
            let at = if fits {
                room = (given + size + GUARD).next_multiple_of(16);
                lane.memory.calls.used += size;
                let contents = crate::schedule::undefined_bytes(seed, &[0x4ea9, at], size as usize);
                lane.memory.global.insert(at, contents);
                at
            } else {
                0
            };
            (size.to_le_bytes().to_vec(), End::Result(at))
        }
        SystemCall::Free => {
            let at = operand(0);
            let taken = if at < HEAP { None } else { lane.memory.global.remove(at) };
            let end = match taken {
                Some(size) => {
                    lane.memory.calls.used -= size;
                    End::Result(0)
                }
                None if at == 0 => End::Result(0),
                None => {
                    End::Undefined(format!("free of {at:#x}, which malloc did not give or which is free"))
                }
            };
            (at.to_le_bytes().to_vec(), end)
        }
    };
    let calls = &mut lane.memory.calls;
    calls.threads.insert(who, (number + 1, room));
    calls.done.push(Called { block: who.0, thread: who.1, number, call: call.name(), bytes });
    Ok(end)
}

fn load(lane: &mut Lane<'_>, at: u64, bytes: u32) -> Result<u64, Trap> {
    Ok(lane.load(&Access { space: Space::Generic, bytes, ordering: Ordering::Weak, scope: Scope::Cta }, at)?
        as u64)
}

/// The bytes of a string without its end.
fn string(lane: &mut Lane<'_>, at: u64) -> Result<Vec<u8>, Trap> {
    let mut all = Vec::new();
    for i in 0..MOST {
        match load(lane, at + i, 1)? as u8 {
            0 => return Ok(all),
            byte => all.push(byte),
        }
    }
    Err(Trap::Unsupported(format!("a string of more than {MOST} bytes at {at:#x}")))
}

/// What a format and its arguments say, and how many arguments it takes.
fn print(lane: &mut Lane<'_>, format: u64, arguments: u64) -> Result<(Vec<u8>, u32), Trap> {
    let format = string(lane, format)?;
    let (mut said, mut count, mut at) = (format.clone(), 0, arguments);
    said.push(0);
    for argument in conversions(&format) {
        if count == MOST_ARGUMENTS {
            break;
        }
        count += 1;
        let bytes = if argument == Argument::Word { 4 } else { 8 };
        at = at.next_multiple_of(bytes.into());
        let value = load(lane, at, bytes)?;
        at += u64::from(bytes);
        // Where variables lie is each executor's own, and where local memory lies each compiler's.
        let placed =
            lane.memory.global.is_chosen(value) && value < HEAP || Lane::is_space(Space::Local, value);
        let own = match argument {
            Argument::String => string(lane, value)?,
            Argument::Long if placed => b"an address".to_vec(),
            _ => value.to_le_bytes()[..bytes as usize].to_vec(),
        };
        said.extend((own.len() as u32).to_le_bytes());
        said.extend(own);
    }
    Ok((said, count))
}
