//! What the linker makes of release builds of the programs: no symbols, which were an eighth of them, and addresses that
//! are known when linking, as those of gcc's own programs. Some 24,000 pointers would else be set, and a hundred pages
//! copied for it, each time that a program starts. The linker is told rather than a profile, so that what the programs are
//! made of is the same for tests and benches.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
