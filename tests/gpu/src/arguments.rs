//! A launch's parameters as the driver wants them: one cell of bytes for each, buffers replaced by their addresses.

use sassafras_reference::{Launch, Param};

/// The bytes of each parameter, 8-aligned storage, in order. `address` gives the device address of buffer number `n`.
pub fn cells(launch: &Launch, mut address: impl FnMut(usize) -> u64) -> Vec<u64> {
    let mut buffers = 0;
    launch
        .params
        .iter()
        .map(|param| match param {
            Param::Buffer(_) => {
                buffers += 1;
                address(buffers - 1)
            }
            Param::Scalar(s) => {
                let mut cell = [0; 8];
                cell[..s.bytes.len()].copy_from_slice(&s.bytes);
                u64::from_le_bytes(cell)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_reference::{kernels, workspace_root};

    #[test]
    fn every_launch_of_the_corpus_has_its_cells() {
        let mut launches = 0;
        for kernel in kernels(&workspace_root()).expect("the corpus") {
            for launch in kernel.spec.launches().expect("launches") {
                let cells = cells(&launch, |n| 0x7000_0000_0000 + 0x1000 * n as u64);
                assert_eq!(cells.len(), launch.params.len(), "{}", kernel.name);
                for (param, cell) in launch.params.iter().zip(&cells) {
                    match param {
                        Param::Buffer(_) => assert_eq!(cell & 0xfff, 0),
                        Param::Scalar(s) => assert_eq!(&cell.to_le_bytes()[..s.bytes.len()], &s.bytes[..]),
                    }
                }
                launches += 1;
            }
        }
        assert!(launches >= 120, "{launches} launches");
    }
}
