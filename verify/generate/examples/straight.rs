//! Prints the random function of a seed, as `cargo xtask long random-prove` proves it: `straight SEED`.

use sassafras_generate::straight;

fn main() {
    let Some(seed) = std::env::args().nth(1).and_then(|n| n.parse().ok()) else {
        eprintln!("usage: straight SEED");
        std::process::exit(2);
    };
    print!("{}", straight::text(&straight::random(seed)));
}
