//! The source: PTX over terms.
//!
//! - [`source`]: a run of it. `state`: registers, memory and calls, as the meanings of instructions see them. [`calls`]: calls written out; [`functions`]: what they call. [`mod@flow`]: where places lead. [`unfold`]: loops that are unfolded.
//! - [`choose`]: what is undefined. [`contract`]: products and sums that may be one operation. `cut`: loops that are cut. [`approximate`]: results that are bounded and not fixed.
//!   [`flush`]: quotients that are flushed. [`upper`]: upper halves of products with constants.

pub mod approximate;
pub mod calls;
pub mod choose;
pub mod contract;
mod cut;
pub mod flow;
pub mod flush;
pub mod functions;
pub mod source;
mod state;
pub mod unfold;
mod unfolded;
pub mod upper;
