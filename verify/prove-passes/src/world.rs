//! Concrete inputs, and what a function does on one: the IR's interpreter, with memory and with answers of other lanes.

use sassafras_ir::interpret::{Stop, World, run_in};
use sassafras_ir::{Function, MemoryAccess, Op, Type, VariableId, text::print_op};
use sassafras_prove::steps::Step;
use sassafras_semantics::{AtomicOp, Axis, Bits, Concrete, Domain, Ordering, Space, SpecialRegister};
use std::collections::{BTreeMap, BTreeSet};

/// Most instructions and terminators of a run.
const MOST: usize = 20_000;

/// What a run starts from. What is not said is a hash of the seed.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    pub seed: u64,
    /// Bytes of the parameter block.
    pub params: Vec<u8>,
    /// Values by the names that the terms have.
    pub named: BTreeMap<String, u128>,
    /// Bytes of memory: whether of constants, and the address.
    pub memory: BTreeMap<(bool, u64), u8>,
}

/// What was done between two events that others see, and the event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Interval {
    pub reads: BTreeSet<(bool, u64)>,
    pub writes: BTreeMap<u64, u8>,
    /// The event: what, and its arguments.
    pub then: Option<(String, Vec<u128>)>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    Exit,
    Trap,
    /// What it did is undefined; why.
    Undefined(String),
    /// It was not followed to its end; why.
    Open(String),
}

/// What a run did.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub log: Vec<Interval>,
    pub end: End,
    /// Whether it could have done something else on this input: it used what is undefined, or an approximation.
    pub open: bool,
    pub steps: Vec<Step>,
}

/// Mixed bits (Sebastiano Vigna's splitmix64).
pub(super) fn mix(seed: u64, parts: &[u64]) -> u64 {
    parts.iter().fold(seed, |all, part| {
        let x = all.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93);
        let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    })
}

/// A word that finds most errors: zero, ones, small numbers, ends, floats that are special, mixed bits.
fn word(h: u64) -> u32 {
    match h % 6 {
        0 => [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, 31, 32, 2][(h >> 8) as usize % 8],
        1 | 2 => (h >> 32) as u32 % 70,
        3 => 0x3f80_0000 ^ ((h >> 20) as u32 & 0x80ff_ffff),
        4 => [0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1, 0x8000_0001, 0x7f7f_ffff][(h >> 8) as usize % 6],
        _ => (h >> 32) as u32,
    }
}

impl Input {
    /// An input of a seed: parameters of eight bytes are addresses for the most part.
    pub fn random(f: &Function, seed: u64) -> Input {
        let mut params = vec![0; f.param_size as usize];
        for (i, p) in f.params.iter().enumerate() {
            let h = mix(seed, &[1, i as u64]);
            let (at, size) = (p.offset as usize, p.size as usize);
            let mut bytes = Vec::new();
            if size == 8 && !h.is_multiple_of(8) {
                // Few places, so that some are one.
                bytes.extend((0x7f00_0000_0000 + (h >> 8) % 4 * 0x10_0000).to_le_bytes());
            }
            let mut n = 0;
            while bytes.len() < size {
                n += 1;
                bytes.extend(word(mix(seed, &[2, i as u64, n])).to_le_bytes());
            }
            if let Some(there) = params.get_mut(at..at + size) {
                there.copy_from_slice(&bytes[..size]);
            }
        }
        Input { seed, params, ..Input::default() }
    }

    fn of(&self, name: &str) -> Option<u64> {
        self.named.get(name).map(|&v| v as u64)
    }

    /// `%ntid`, `%nctaid`, and what lies below them.
    fn axis(&self, name: &str, axis: Axis) -> u32 {
        let letter = format!("{axis:?}").to_lowercase();
        if let Some(v) = self.of(&format!("{name}.{letter}")) {
            return v as u32;
        }
        let h = mix(self.seed, &[3, u64::from(name.len() as u32), axis as u64]);
        let wide = axis == Axis::X;
        match name {
            "ntid" | "nctaid" => {
                if wide {
                    1 + h as u32 % 64
                } else {
                    1 + h as u32 % 2
                }
            }
            "tid" => h as u32 % self.axis("ntid", axis).max(1),
            _ => h as u32 % self.axis("nctaid", axis).max(1),
        }
    }

    fn axes(&self, name: &str) -> [u32; 3] {
        [Axis::X, Axis::Y, Axis::Z].map(|a| self.axis(name, a))
    }
    /// The launch: blocks, threads, and the thread.
    pub fn launch(&self) -> [[u32; 3]; 3] {
        [self.axes("nctaid"), self.axes("ntid"), self.axes("tid")]
    }

    fn special(&self, register: SpecialRegister) -> u64 {
        use SpecialRegister as R;
        let lane = || {
            let ([x, y, z], [nx, ny, _]) = (self.axes("tid"), self.axes("ntid"));
            let linear = x.wrapping_add(nx.wrapping_mul(y.wrapping_add(ny.wrapping_mul(z))));
            self.of("laneid").unwrap_or(u64::from(linear)) % 32
        };
        match register {
            R::Tid(a) => self.axis("tid", a).into(),
            R::Ntid(a) => self.axis("ntid", a).into(),
            R::Ctaid(a) => self.axis("ctaid", a).into(),
            R::Nctaid(a) => self.axis("nctaid", a).into(),
            R::LaneId => lane(),
            R::LaneMaskEq => 1 << lane(),
            R::LaneMaskLt => (1 << lane()) - 1,
            R::LaneMaskLe => (2 << lane()) - 1,
            R::LaneMaskGe => !((1 << lane()) - 1) & 0xffff_ffff,
            R::LaneMaskGt => !((2 << lane()) - 1) & 0xffff_ffff,
            R::ClusterCtaRank | R::ClusterCtaid(_) | R::IsExplicitCluster => 0,
            R::ClusterNctaid(_) | R::ClusterNctaRank => 1,
            other => {
                let name = format!("{other:?}");
                let tag: Vec<u64> = name.bytes().map(u64::from).collect();
                let free = || {
                    mix(self.seed, &tag)
                        & if other.width() >= 64 { u64::MAX } else { (1 << other.width()) - 1 }
                };
                self.of(&format!("special {name}")).unwrap_or_else(free)
            }
        }
    }

    fn byte(&self, constant: bool, address: u64) -> u8 {
        self.memory.get(&(constant, address)).copied().unwrap_or_else(|| {
            let h = mix(self.seed, &[4, u64::from(constant), address / 4]);
            word(h).to_le_bytes()[(address % 4) as usize]
        })
    }

    fn window(&self, space: Space) -> u64 {
        let high = match space {
            Space::Shared => self.of("window.shared").unwrap_or(0x7e01),
            Space::Local => self.of("window.local").unwrap_or(0x7e02),
            Space::Const => return self.of("window Const").unwrap_or(0x7e03_0000_0000),
            Space::Param => return self.of("window Param").unwrap_or(0x7e04_0000_0000),
            _ => 0,
        };
        high << 32
    }
}

struct Thread<'a> {
    input: &'a Input,
    /// Whether acquiring and releasing accesses are relaxed ones and fences.
    fenced: bool,
    written: BTreeMap<u64, u8>,
    log: Vec<Interval>,
    now: Interval,
    fault: Option<String>,
    approximate: bool,
    steps: Vec<Step>,
}

impl Thread<'_> {
    fn flat(&self, access: &MemoryAccess, address: u64) -> u64 {
        match access.space {
            Space::Shared | Space::Local => self.input.window(access.space) | (address & 0xffff_ffff),
            _ => address,
        }
    }

    /// Marks an access that the hardware does not take.
    fn aligned(&mut self, access: &MemoryAccess, at: u64) -> Option<()> {
        if at.is_multiple_of(u64::from(access.bytes)) {
            return Some(());
        }
        self.fault = Some(format!("an access of {} bytes at {at:#x} is misaligned", access.bytes));
        None
    }

    fn event(&mut self, what: String, args: Vec<u128>) -> u64 {
        let text: Vec<String> = args.iter().map(|a| format!("{a:#x}")).collect();
        self.step(format!("{what} {}", text.join(", ")), Vec::new());
        self.now.then = Some((what, args));
        self.log.push(std::mem::take(&mut self.now));
        self.log.len() as u64
    }

    fn step(&mut self, text: String, writes: Vec<(String, String)>) {
        if self.steps.len() < sassafras_prove::steps::MOST {
            self.steps.push(Step { at: self.steps.len() as u64, text, writes });
        }
    }

    fn read(&self, constant: bool, at: u64, bytes: u8) -> u128 {
        (0..u64::from(bytes)).rev().fold(0, |all, i| {
            let at = at.wrapping_add(i);
            let own = self.written.get(&at).filter(|_| !constant).copied();
            all << 8 | u128::from(own.unwrap_or_else(|| self.input.byte(constant, at)))
        })
    }

    /// An event of an access, with the fences that it stands for.
    fn strong(&mut self, verb: String, access: &MemoryAccess, args: Vec<u128>) {
        let mut ordering = access.ordering;
        let (mut first, mut last) = (false, false);
        if self.fenced {
            first = matches!(ordering, Ordering::Release | Ordering::AcquireRelease);
            last = matches!(ordering, Ordering::Acquire | Ordering::AcquireRelease);
            if first || last {
                ordering = Ordering::Relaxed;
            }
        }
        let fence = print_op(&Op::Fence(Ordering::AcquireRelease, access.scope));
        if first {
            self.event(fence.clone(), Vec::new());
        }
        self.event(
            format!("{verb} {:?} {} {ordering:?} {:?}", access.space, access.bytes, access.scope),
            args,
        );
        if last {
            self.event(fence, Vec::new());
        }
    }
}

impl World for Thread<'_> {
    fn param(&self, offset: u32) -> u8 {
        self.input.params.get(offset as usize).copied().unwrap_or(0)
    }
    fn special(&self, register: SpecialRegister) -> u64 {
        self.input.special(register)
    }
    fn load(&mut self, access: &MemoryAccess, address: u64) -> Option<u128> {
        let at = self.flat(access, address);
        self.aligned(access, at)?;
        let constant = access.space == Space::Const;
        if matches!(access.ordering, Ordering::Weak | Ordering::NonCoherent) {
            self.now.reads.extend((0..u64::from(access.bytes)).map(|i| (constant, at.wrapping_add(i))));
        } else {
            self.strong("load".into(), access, vec![u128::from(at)]);
        }
        Some(self.read(constant, at, access.bytes))
    }
    fn store(&mut self, access: &MemoryAccess, address: u64, value: u128) -> Option<()> {
        let at = self.flat(access, address);
        self.aligned(access, at)?;
        let weak = access.ordering == Ordering::Weak;
        let bytes = value.to_le_bytes();
        for (i, &byte) in bytes.iter().enumerate().take(usize::from(access.bytes)) {
            let at = at.wrapping_add(i as u64);
            self.written.insert(at, byte);
            if weak {
                self.now.writes.insert(at, byte);
            }
        }
        let value = Bits::new(8 * u32::from(access.bytes), value).bits();
        if weak {
            let text = format!("store {:?} {at:#x} {}", access.space, access.bytes).to_lowercase();
            self.step(text, vec![("value".into(), format!("{value:x}"))]);
        } else {
            self.strong("store".into(), access, vec![u128::from(at), value]);
        }
        Some(())
    }
    fn atomic(
        &mut self,
        op: AtomicOp,
        access: &MemoryAccess,
        address: u64,
        operands: &[u128],
    ) -> Option<u128> {
        let at = self.flat(access, address);
        self.aligned(access, at)?;
        let mut args = vec![u128::from(at)];
        args.extend(operands.iter().map(|&v| Bits::new(8 * u32::from(access.bytes), v).bits()));
        self.strong(format!("atomic {op:?}"), access, args);
        // What others leave is anything: what was there will do.
        Some(self.read(false, at, access.bytes))
    }
    fn address(&self, variable: VariableId) -> Option<u64> {
        let free = 0x1_0000 + u64::from(variable.0) * 0x4000;
        Some(self.input.of(&format!("address.{variable}")).unwrap_or(free))
    }
    fn window(&self, space: Space) -> Option<u64> {
        Some(self.input.window(space))
    }
    fn other(&mut self, op: &Op, args: &[Bits], types: &[Type]) -> Option<Vec<u128>> {
        if matches!(op, Op::Approximate { .. }) {
            self.approximate = true;
        }
        if let Op::IsSpace(space @ (Space::Shared | Space::Local)) = op {
            return Some(vec![u128::from(args[0].bits() as u64 >> 32 == self.input.window(*space) >> 32)]);
        }
        if !op.has_effect() && !op.convergent() {
            return None;
        }
        let part = |(i, a): (usize, &Bits)| a.bits() & super::meaning::read(op, i, types.len());
        let number = self.event(print_op(op), args.iter().enumerate().map(part).collect());
        Some((0..types.len()).map(|i| u128::from(mix(self.input.seed, &[5, number, i as u64]))).collect())
    }
}

/// What a function does on an input.
pub(super) fn run(f: &Function, input: &Input, fenced: bool) -> Outcome {
    let mut thread = Thread {
        input,
        fenced,
        written: BTreeMap::new(),
        log: Vec::new(),
        now: Interval::default(),
        fault: None,
        approximate: false,
        steps: Vec::new(),
    };
    let domain = || Concrete::default().with_undefined(input.seed);
    let d = domain();
    let ended = run_in(f, &d, &mut thread, MOST);
    // The next undefined value is the first one only if none was asked for.
    let drawn = d.undef(128, "the next") != domain().undef(128, "the next");
    let end = match (thread.fault.take(), ended) {
        (Some(fault), _) => End::Undefined(fault),
        (None, Ok(())) => End::Exit,
        (None, Err(Stop::Terminator("trap"))) => End::Trap,
        (None, Err(Stop::Terminator(what))) => End::Undefined(format!("{what} is reached")),
        (None, Err(other)) => End::Open(other.to_string()),
    };
    thread.log.push(thread.now);
    Outcome { log: thread.log, end, open: drawn || thread.approximate, steps: thread.steps }
}
