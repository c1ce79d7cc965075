//! Release builds of the programs have no symbols, which were an eighth of them. The linker leaves them out
//! rather than a profile, so that what the programs are made of is the same for tests and benches.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}
