//! Functions are worked on at once where there are several of them, and in order otherwise: threads cost more than a small function does.

use rayon::prelude::*;

use crate::options::Options;

/// How many threads a session uses for a text: as many as asked for, but not more than the functions that it may have.
pub(super) fn wanted(options: &Options, text: &str) -> usize {
    let most = match options.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs,
    };
    // Of PTX, and of the texts of stages. What is no function but looks like one makes a thread too many.
    let words = [".entry", ".func", "function \""];
    let functions: usize = words.iter().map(|word| text.matches(word).count()).sum();
    most.min(functions.max(1))
}

/// The results of work, in the order of the items.
pub(super) fn map<T: Send, R: Send>(
    parallel: bool,
    items: impl Iterator<Item = T>,
    work: impl Fn(T) -> R + Sync + Send,
) -> Vec<R> {
    if parallel {
        items.collect::<Vec<T>>().into_par_iter().map(work).collect()
    } else {
        items.map(work).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_function_needs_one_thread() {
        let wanted = |jobs, text| wanted(&Options { jobs, ..Options::default() }, text);
        assert_eq!(wanted(8, ".visible .entry k() { ret; }"), 1);
        assert_eq!(wanted(8, ".entry k() { ret; } .func f() { ret; }"), 2);
        assert_eq!(wanted(1, ".entry k() { ret; } .func f() { ret; }"), 1);
        assert_eq!(wanted(3, ""), 1);
    }

    #[test]
    fn results_stand_in_order() {
        for parallel in [false, true] {
            assert_eq!(map(parallel, 0..100, |n| n * n), (0..100).map(|n| n * n).collect::<Vec<_>>());
        }
    }
}
