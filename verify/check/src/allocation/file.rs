//! Files between which copies keep values.

use sassafras_isa::RegClass;

/// Whether a copy between the files keeps the value as it is.
pub(super) fn same_file(a: RegClass, b: RegClass) -> bool {
    let group = |class| match class {
        RegClass::R | RegClass::UR => 0,
        RegClass::P | RegClass::UP => 1,
        RegClass::B => 2,
    };
    group(a) == group(b)
}
