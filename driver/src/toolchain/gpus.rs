//! The GPUs of the machine that compiles, for which kernels are made where nobody says for which: what nvc and clang do.
//!
//! Their driver is asked once, as that takes longer than most files take to compile; its answer is kept in the user's
//! cache under what the system says of the GPUs.

use std::path::Path;

use cudarc::driver::result::{self, device};
use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;
use cudarc::driver::{DriverError, sys};
use gpuc_arch::Arch;
use gpuc_cache::{Cache, Key};

use super::caches::Kind;

/// Variables by which another driver, or fewer GPUs, are found.
const VARIABLES: [&str; 2] = ["CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"];

/// The targets of this machine's GPUs, ascending, each once; none where there is no GPU, or none that kernels run on.
pub fn targets() -> Vec<&'static Arch> {
    kept(mark(Path::new("/")), Kind::Gpus.own().as_ref(), capabilities)
}

/// What tells the GPUs and the driver of a system from those of another; `None` where it has none.
fn mark(root: &Path) -> Option<String> {
    let driver = root.join("proc/driver/nvidia");
    // Windows' subsystem, and boards of which the GPU is a part, have files of their own.
    let others = ["dev/dxg", "dev/nvgpu", "dev/nvhost-gpu"];
    let mut mark: String = others
        .iter()
        .filter(|file| root.join(file).exists())
        .map(|file| format!("{file}\n"))
        .collect();
    let version = std::fs::read_to_string(driver.join("version"));
    if version.is_err() && mark.is_empty() {
        return None;
    }
    mark += &version.unwrap_or_default();
    let folders = std::fs::read_dir(driver.join("gpus")).into_iter().flatten().flatten();
    let mut gpus: Vec<String> = folders
        .map(|folder| {
            std::fs::read_to_string(folder.path().join("information")).unwrap_or_default()
        })
        .collect();
    gpus.sort_unstable();
    Some(mark + &gpus.concat())
}

/// The targets for the capabilities that `ask` answers, or that it has answered before for the same GPUs.
fn kept(
    mark: Option<String>,
    cache: Option<&Cache>,
    ask: impl Fn() -> Vec<(i32, i32)>,
) -> Vec<&'static Arch> {
    let Some(mark) = mark else { return Vec::new() };
    let variables = VARIABLES.map(|name| std::env::var_os(name).unwrap_or_default());
    let variables = variables.iter().map(|value| value.as_encoded_bytes());
    let key = Key::of([b"gpus".as_slice(), mark.as_bytes()].into_iter().chain(variables));
    let known = cache.and_then(|cache| String::from_utf8(cache.get(key)?).ok());
    if let Some(names) = known.as_ref().and_then(|text| named(text)) {
        return names;
    }
    let mut found: Vec<&'static Arch> =
        ask().into_iter().filter_map(|(major, minor)| Arch::for_capability(major, minor)).collect();
    found.sort_by_key(|arch| arch.number);
    found.dedup_by_key(|arch| arch.name);
    if let Some(cache) = cache {
        let names: Vec<&str> = found.iter().map(|arch| arch.name).collect();
        // Asked again where it cannot be kept.
        let _ = cache.put(key, names.join(" ").as_bytes());
    }
    found
}

/// The targets of these names; `None` where one is not known, as to another version of the compiler.
fn named(text: &str) -> Option<Vec<&'static Arch>> {
    text.split_whitespace().map(Arch::by_name).collect()
}

/// What the driver says of each GPU: the major and minor number of its capability.
fn capabilities() -> Vec<(i32, i32)> {
    // SAFETY: looks for the driver's library and loads it, as any program for a GPU does.
    if !unsafe { sys::is_culib_present() } {
        return Vec::new();
    }
    let ask = || -> Result<Vec<(i32, i32)>, DriverError> {
        result::init()?;
        let number = |gpu, which| {
            // SAFETY: a device of the driver, which has been started.
            unsafe { device::get_attribute(gpu, which) }
        };
        (0..device::get_count()?)
            .map(|ordinal| {
                let gpu = device::get(ordinal)?;
                Ok((
                    number(gpu, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                    number(gpu, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
                ))
            })
            .collect()
    };
    // A driver that does not answer, as one that does not match its kernel module, has no GPU for programs either.
    ask().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;

    fn names(archs: &[&Arch]) -> String {
        archs.iter().map(|arch| arch.name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn gpus_are_told_apart_by_what_the_system_says() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(mark(root.path()), None);
        let driver = root.path().join("proc/driver/nvidia");
        for (bus, model) in [("0000:01:00.0", "Model: A\n"), ("0000:02:00.0", "Model: B\n")] {
            fs::create_dir_all(driver.join("gpus").join(bus)).unwrap();
            fs::write(driver.join("gpus").join(bus).join("information"), model).unwrap();
        }
        fs::write(driver.join("version"), "580\n").unwrap();
        assert_eq!(mark(root.path()).as_deref(), Some("580\nModel: A\nModel: B\n"));
        fs::write(driver.join("version"), "590\n").unwrap();
        assert_eq!(mark(root.path()).as_deref(), Some("590\nModel: A\nModel: B\n"));
        fs::remove_dir_all(&driver).unwrap();
        fs::create_dir_all(root.path().join("dev")).unwrap();
        fs::write(root.path().join("dev/dxg"), "").unwrap();
        assert_eq!(mark(root.path()).as_deref(), Some("dev/dxg\n"));
    }

    #[test]
    fn a_driver_is_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("gpus"), 1 << 16);
        let asked = Cell::new(0);
        let ask = || {
            asked.set(asked.get() + 1);
            vec![(9, 0), (8, 0), (9, 0), (6, 1), (12, 1)]
        };
        let find = |mark: Option<&str>| names(&kept(mark.map(str::to_owned), Some(&cache), ask));
        assert_eq!((find(None), asked.get()), (String::new(), 0));
        // One that is too old has no target, one that is newer than all that are known the latest.
        assert_eq!((find(Some("a")), asked.get()), ("sm_80 sm_90 sm_120".to_owned(), 1));
        assert_eq!((find(Some("a")), asked.get()), ("sm_80 sm_90 sm_120".to_owned(), 1));
        assert_eq!((find(Some("b")), asked.get()), ("sm_80 sm_90 sm_120".to_owned(), 2));
        for file in fs::read_dir(cache.folder()).unwrap() {
            fs::write(file.unwrap().path(), "rubbish").unwrap();
        }
        assert_eq!((find(Some("a")), asked.get()), ("sm_80 sm_90 sm_120".to_owned(), 3));
        assert_eq!(names(&kept(Some("a".to_owned()), None, ask)), "sm_80 sm_90 sm_120");
    }
}
