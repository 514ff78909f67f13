//! Chips and targets: limits, constant-bank layout and latencies, as data with sources.
