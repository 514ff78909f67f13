//! With z3 in process, programs look for its library where it was found when they were linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    if std::env::var_os("CARGO_FEATURE_Z3").is_none() {
        return;
    }
    if let Some(folder) = std::env::var_os("Z3_LIBRARY_PATH_OVERRIDE") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.display());
    }
}
