//! Element-wise kernels.

use crate::data::Element;
use crate::{Launch, Outputs};

pub fn vadd(l: &Launch) -> Outputs {
    let (a, b, mut c, n) = (l.input::<f32>(0), l.input::<f32>(1), l.input::<f32>(2).to_vec(), l.whole(3));
    for i in (0..l.threads()).filter(|i| (*i as i64) < n) {
        c[i] = a[i] + b[i];
    }
    vec![(2, f32::wrap(c))]
}
