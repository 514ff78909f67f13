//! Programs over what PTX leaves open: `FROM COUNT FOLDER` writes each as `SEED.ptx`.
use sassafras_generate::open::Open;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<u64>().ok()).unwrap_or(0);
    let folder = std::path::PathBuf::from(args.get(2).expect("a folder"));
    for seed in number(0)..number(0) + number(1) {
        std::fs::write(folder.join(format!("{seed}.ptx")), Open::random(seed).text()).expect("written");
    }
}
