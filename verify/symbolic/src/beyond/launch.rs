//! Whoever may launch the source may launch the target, by the same parameters.

use crate::obstacle::container::Container;
use sassafras_chip::Chip;
use sassafras_chip::limits::THREADS_PER_BLOCK;
use sassafras_cubin::{Attribute, Cubin, Function, attribute};
use sassafras_ptx::checked;
use std::fmt;

/// What is said of the clusters in which a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clusters {
    /// Blocks of a cluster in x, y, z.
    pub size: Option<[u32; 3]>,
    /// Whether a launch must say that it is one of clusters.
    pub explicit: bool,
    /// The most blocks of a cluster.
    pub most: Option<u32>,
}

impl fmt::Display for Clusters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            Some([x, y, z]) => write!(f, "clusters of {x} x {y} x {z} blocks")?,
            None => f.write_str("clusters of any size")?,
        }
        if let Some(most) = self.most {
            write!(f, ", {most} blocks at most")?;
        }
        f.write_str(if self.explicit { ", which the launch has to ask for" } else { "" })
    }
}

impl Clusters {
    /// By the directives of a source.
    pub fn of_source(f: &checked::Function) -> Clusters {
        Clusters { size: f.reqnctapercluster, explicit: f.explicitcluster, most: f.maxclusterrank }
    }

    /// By the records of a cubin.
    pub fn of_code(code: &Function) -> Clusters {
        let words = |id: u8| code.attributes.iter().find(|a| a.id == id).and_then(Attribute::as_words);
        Clusters {
            size: words(attribute::CTA_PER_CLUSTER).and_then(|w| w.try_into().ok()),
            explicit: code.attributes.iter().any(|a| a.id == attribute::EXPLICIT_CLUSTER),
            most: words(attribute::MAX_CLUSTER_RANK).and_then(|w| w.first().copied()),
        }
    }
}

/// The shapes of blocks that the source demands or allows can be launched: none is refused, and there are registers for all
/// threads of the largest that it names.
///
/// # Errors
/// What a launch may be refused for.
pub fn check(
    required: Option<[u32; 3]>,
    most: Option<[u32; 3]>,
    clusters: Clusters,
    cubin: &Cubin,
    code: &Function,
) -> Result<(), Container> {
    let threads = |n: [u32; 3]| n.iter().fold(1u64, |all, &n| all.saturating_mul(n.into()));
    if let Some(own) = code.required_threads
        && Some(own) != required
    {
        return Err(Container::Shape { required: own });
    }
    let named = required.or(most).map(threads);
    let wanted = named.unwrap_or(THREADS_PER_BLOCK.into());
    if let Some(most) = code.max_threads.map(threads)
        && most < wanted
    {
        return Err(Container::Threads { most, wanted });
    }
    let own = Clusters::of_code(code);
    if own != clusters {
        let [own, wanted] = [own, clusters].map(|c| c.to_string().into());
        return Err(Container::OtherClusters { own, wanted });
    }
    if own.size.is_some_and(|n| n.iter().any(|&n| n > 1)) {
        return Err(Container::ManyInCluster {});
    }
    let chip = Chip::from_number(cubin.sm);
    if let Some(most) = chip.map(|c| c.limits().registers_per_thread)
        && code.registers > most
    {
        return Err(Container::ManyRegisters { declared: code.registers, most });
    }
    // Without a shape in the source how many registers a thread takes says how large blocks may be, as it does for ptxas.
    if let (Some(named), Some(chip)) = (named, chip) {
        let limits = chip.limits();
        let each = code.registers.next_multiple_of(limits.register_allocation_unit);
        let lanes = u64::from(limits.warp_lanes);
        let taken = u64::from(each).saturating_mul(named.div_ceil(lanes).saturating_mul(lanes));
        if taken > limits.registers_per_multiprocessor.into() {
            let most = limits.registers_per_multiprocessor;
            return Err(Container::BlockRegisters { threads: named, each: code.registers, most });
        }
    }
    Ok(())
}

/// Parameters, as offset, size and name, are those of the source: who launches by pointers to them gives one for each that the
/// cubin has (CUDA driver API, `cuLaunchKernel`).
///
/// # Errors
/// A parameter that one of the two lacks.
pub fn parameters<'n>(
    wanted: impl Iterator<Item = (u32, u32, &'n str)>,
    bytes: u32,
    sm: u32,
    code: &Function,
) -> Result<(), Container> {
    let mut count = 0;
    for (at, size, name) in wanted {
        let same = |c: &sassafras_cubin::Param| {
            u32::from(c.offset) == at && c.size == size && usize::from(c.ordinal) == count
        };
        if !code.params.iter().any(same) {
            return Err(Container::Parameter { ordinal: count, bytes: size, at, name: name.into() });
        }
        count += 1;
    }
    if code.params.len() != count {
        return Err(Container::Parameters { count: code.params.len(), wanted: count });
    }
    if bytes > 0 && Some(code.param_base) != Chip::from_number(sm).map(|c| c.bank().parameters) {
        return Err(Container::ParameterBase { at: code.param_base });
    }
    if code.param_size != bytes {
        return Err(Container::ParameterSize { bytes: code.param_size, wanted: bytes });
    }
    Ok(())
}

/// There is as much shared memory as the source's `bytes`, no more than a block may have without asking for it, and no more than the source's
/// `whole`, in the units in which blocks get it: what is static is missing for a launch that adds as much as there is.
///
/// # Errors
/// Too little or too much.
pub fn shared(bytes: u64, whole: u64, cubin: &Cubin, code: &Function) -> Result<(), Container> {
    let there = u64::from(code.shared.map_or(0, |s| s.size));
    if there < bytes {
        return Err(Container::LittleShared { wanted: bytes });
    }
    let limits = Chip::from_number(cubin.sm).map(Chip::limits);
    let (most, unit) = limits.map_or((0, 1), |l| (l.static_shared_bytes, l.shared_allocation_unit.into()));
    if there > bytes.max(most.into()) || there > whole.next_multiple_of(unit) {
        return Err(Container::MuchShared { bytes: there, most, whole });
    }
    Ok(())
}

/// The code's stack fits into the local memory of a thread.
///
/// # Errors
/// One that does not.
pub fn stack(code: &Function, chip: Chip) -> Result<(), Container> {
    let most = chip.limits().local_bytes_per_thread;
    match code.frame_size.max(code.stack()) {
        bytes if bytes > most => Err(Container::MuchStack { bytes, most }),
        _ => Ok(()),
    }
}
