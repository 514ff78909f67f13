//! What the texts of NVIDIA's tools say about a kernel.

/// Instructions of an `nvdisasm -c` listing, without padding: NOPs, and the branch to itself that ends a function.
pub fn instructions(listing: &str) -> u64 {
    let mut count = 0;
    let mut label = "";
    for line in listing.lines().map(str::trim) {
        if line.starts_with(".L_") && line.ends_with(':') {
            label = line.trim_end_matches(':');
        }
        let Some((_, text)) = line.strip_prefix("/*").and_then(|l| l.split_once("*/")) else { continue };
        let text = text.trim().trim_end_matches(';').trim();
        let to_itself = text.strip_prefix("BRA `(").is_some_and(|t| t.trim_end_matches(')') == label);
        if !text.is_empty() && text != "NOP" && !to_itself {
            count += 1;
        }
    }
    count
}

/// Registers and bytes of spill stores and loads, as `-v` of ptxas and of ours print them, summed over entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The largest number of registers of an entry.
    pub registers: u64,
    /// Bytes stored to spill.
    pub spill_stores: u64,
    /// Bytes loaded to reload.
    pub spill_loads: u64,
}

impl Usage {
    /// Reads the statistics out of what a compiler said.
    pub fn of(said: &str) -> Usage {
        let numbers = |suffix: &'static str| {
            said.split(suffix)
                .zip(1..said.split(suffix).count())
                .filter_map(|(before, _)| before.split_whitespace().next_back()?.parse::<u64>().ok())
        };
        Usage {
            registers: numbers(" registers").max().unwrap_or(0),
            spill_stores: numbers(" bytes spill stores").sum(),
            spill_loads: numbers(" bytes spill loads").sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_no_instruction() {
        let listing = "\t.text.k:\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n\n        /*0010*/              @P0 EXIT ;\n\
                       .L_x_0:\n        /*0020*/                   BRA `(.L_x_0);\n        /*0030*/                   NOP;\n.L_x_1:\n";
        assert_eq!(instructions(listing), 2);
        let loops = ".L_x_0:\n /*0000*/ IADD3 R0, R0, 0x1, RZ ;\n /*0010*/ @P0 BRA `(.L_x_0) ;\n";
        assert_eq!(instructions(loops), 2);
    }

    #[test]
    fn usage_is_read_from_ptxas_words() {
        let said = "ptxas info    : Function properties for vadd\n    0 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
                    ptxas info    : Used 12 registers, used 0 barriers\n";
        assert_eq!(Usage::of(said), Usage { registers: 12, spill_stores: 8, spill_loads: 12 });
        assert_eq!(Usage::of("nothing"), Usage::default());
    }
}
