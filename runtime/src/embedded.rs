//! Device code in the program: the image of a translation unit, as its C text has it (`include/gpuc_rt.h`).
//!
//! An image has the same kernels for one architecture or several. Each code is PTX, with the layout of each kernel's
//! parameters; what its registers and its shared memory are, a device says once it has compiled it.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_uint, c_ulong, c_void};
use std::slice;
use std::sync::atomic::AtomicPtr;

use gpuc_arch::PtxVersion;

use crate::descriptor::text;
use crate::image::LoadedImages;

/// The layout of [`ImageDescriptor`] that the compiler writes.
pub const IMAGE_VERSION: u32 = 2;
/// The layout of images with one text and nothing said about its kernels.
const ONE_TEXT: u32 = 1;

/// A kernel of a code (`struct __gpuc_kernel`).
#[repr(C)]
#[derive(Debug)]
pub struct KernelDescriptor {
    name: *const c_char,
    params: *const c_char,
}

impl KernelDescriptor {
    /// A kernel with parameters of these types.
    #[cfg(test)]
    pub(crate) const fn new(name: &'static CStr, params: &'static CStr) -> Self {
        KernelDescriptor { name: name.as_ptr(), params: params.as_ptr() }
    }

    /// Its name in the PTX.
    pub fn name(&self) -> Cow<'_, str> {
        text(self.name)
    }

    /// The types of its parameters as PTX has them, with blanks between: each stands at the next multiple of its size.
    pub fn params(&self) -> Cow<'_, str> {
        text(self.params)
    }

    /// Where each of its parameters stands, and the bytes of all; none where a type is not known.
    pub fn param_layout(&self) -> Option<(Box<[u64]>, u64)> {
        let mut end = 0u64;
        let offset = |ty: &str| {
            let bits: u64 =
                ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
            let bytes = bits / 8;
            let at = end.checked_next_multiple_of(bytes)?;
            end = at + bytes;
            Some(at)
        };
        let offsets = self.params().split_whitespace().map(offset).collect::<Option<_>>()?;
        Some((offsets, end))
    }
}

/// The kernels for an architecture (`struct __gpuc_code`).
#[repr(C)]
#[derive(Debug)]
pub struct CodeDescriptor {
    arch: *const c_char,
    ptx: *const c_char,
    ptx_bytes: c_ulong,
    kernels: *const KernelDescriptor,
    n_kernels: c_ulong,
}

/// What an image has for one architecture.
#[derive(Clone, Debug)]
pub struct Code<'i> {
    /// The PTX text.
    pub ptx: Cow<'i, str>,
    /// Its kernels, where something is said about them.
    pub kernels: &'i [KernelDescriptor],
}

/// The device code of one translation unit (`struct __gpuc_image`).
#[repr(C)]
#[derive(Debug)]
pub struct ImageDescriptor {
    version: c_uint,
    source: *const c_char,
    /// [`CodeDescriptor`]s; of version 1, a text.
    codes: *const c_void,
    /// How many; of version 1, the bytes of the text.
    count: c_ulong,
    /// Owned by the runtime: what the image has become on the device.
    pub(crate) handle: AtomicPtr<LoadedImages>,
}

// SAFETY: what it points to is immutable and lives as long as the program, the handle is atomic.
unsafe impl Sync for ImageDescriptor {}

/// The text of so many bytes. A final NUL, which the length of a C string literal may count, is left out.
///
/// # Safety
/// `ptx` is null or a literal of the program of that many bytes.
unsafe fn literal<'i>(ptx: *const c_char, bytes: c_ulong) -> Cow<'i, str> {
    if ptx.is_null() {
        return Cow::Borrowed("");
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice::from_raw_parts(ptx.cast::<u8>(), bytes as usize) };
    String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes))
}

#[cfg(test)]
impl CodeDescriptor {
    /// The kernels of a text, which live as long as the image is used.
    pub(crate) const fn new(
        arch: &'static CStr,
        ptx: &'static CStr,
        kernels: &[KernelDescriptor],
    ) -> Self {
        CodeDescriptor {
            arch: arch.as_ptr(),
            ptx: ptx.as_ptr(),
            ptx_bytes: ptx.count_bytes() as c_ulong,
            kernels: kernels.as_ptr(),
            n_kernels: kernels.len() as c_ulong,
        }
    }
}

#[cfg(test)]
impl ImageDescriptor {
    /// The image of codes, which live as long as it is used.
    pub(crate) const fn of_codes(source: &'static CStr, codes: &[CodeDescriptor]) -> Self {
        ImageDescriptor {
            version: IMAGE_VERSION,
            source: source.as_ptr(),
            codes: codes.as_ptr().cast(),
            count: codes.len() as c_ulong,
            handle: AtomicPtr::new(std::ptr::null_mut()),
        }
    }
}

impl ImageDescriptor {
    /// The image of one text, which `source` was compiled to.
    pub const fn new(source: &'static CStr, ptx: &'static str) -> Self {
        ImageDescriptor {
            version: ONE_TEXT,
            source: source.as_ptr(),
            codes: ptx.as_ptr().cast(),
            count: ptx.len() as c_ulong,
            handle: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Layout version the program was compiled with.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Whether this runtime knows its layout.
    pub fn is_known(&self) -> bool {
        matches!(self.version, ONE_TEXT | IMAGE_VERSION)
    }

    /// Name of the translation unit.
    pub fn source(&self) -> Cow<'_, str> {
        text(self.source)
    }

    /// All codes, in the order of the program.
    pub fn codes(&self) -> Vec<Code<'_>> {
        if self.version == ONE_TEXT {
            // SAFETY: of this version it is a literal of that many bytes.
            let ptx = unsafe { literal(self.codes.cast(), self.count) };
            return vec![Code { ptx, kernels: &[] }];
        }
        if self.codes.is_null() || !self.is_known() {
            return Vec::new();
        }
        // SAFETY: an array of the program with that many members.
        let codes = unsafe {
            slice::from_raw_parts(self.codes.cast::<CodeDescriptor>(), self.count as usize)
        };
        let code = |code: &CodeDescriptor| Code {
            // SAFETY: a literal of that many bytes.
            ptx: unsafe { literal(code.ptx, code.ptx_bytes) },
            kernels: match code.kernels.is_null() {
                true => &[],
                // SAFETY: an array of the program with that many members.
                false => unsafe { slice::from_raw_parts(code.kernels, code.n_kernels as usize) },
            },
        };
        codes.iter().map(code).collect()
    }

    /// The best code for a device: of those that it takes the one for the highest architecture. Where it takes
    /// none, the first one, of which there is then something to say.
    pub fn code_for(&self, arch: &str, newest: PtxVersion) -> Option<Code<'_>> {
        let codes = self.codes();
        let best = codes
            .iter()
            .enumerate()
            .filter(|(_, code)| Header::of(&code.ptx).is_taken(arch, newest))
            .max_by_key(|&(index, code)| {
                (Header::of(&code.ptx).target.and_then(sm_number), std::cmp::Reverse(index))
            })
            .map_or(0, |(index, _)| index);
        codes.into_iter().nth(best)
    }
}

/// What stands ahead of a PTX text.
#[derive(Clone, Copy, Debug)]
pub struct Header<'p> {
    /// `.version`.
    pub version: Option<PtxVersion>,
    /// `.target`.
    pub target: Option<&'p str>,
}

impl<'p> Header<'p> {
    /// Of a text.
    pub fn of(ptx: &'p str) -> Header<'p> {
        let directive = |name: &str| {
            let mut lines = ptx.lines().take(64);
            lines.find_map(|line| line.trim_start().strip_prefix(name)).map(str::trim)
        };
        let version = directive(".version");
        let target = directive(".target").and_then(|words| words.split([',', ' ', '\t']).next());
        Header {
            version: version.and_then(|words| words.split_whitespace().next()?.parse().ok()),
            target: target.filter(|target| !target.is_empty()),
        }
    }

    /// Whether a driver that takes PTX up to `newest` reads the text.
    pub fn is_read(&self, newest: PtxVersion) -> bool {
        self.version.is_none_or(|version| version <= newest)
    }

    /// Whether the text is for an architecture.
    pub fn is_for(&self, arch: &str) -> bool {
        let (Some(target), Some(have)) = (self.target, sm_number(arch)) else { return true };
        let Some(wanted) = sm_number(target) else { return true };
        // Names with a letter (`sm_90a`) are for that architecture alone.
        if target.ends_with('a') { wanted == have } else { wanted <= have }
    }

    fn is_taken(&self, arch: &str, newest: PtxVersion) -> bool {
        self.is_read(newest) && self.is_for(arch)
    }
}

/// The number of an architecture's name: 90 of `sm_90a`.
fn sm_number(arch: &str) -> Option<u32> {
    let digits = arch.strip_prefix("sm_")?;
    digits.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNELS: &[KernelDescriptor] = &[KernelDescriptor::new(c"k", c"u64 u8 f32 u64 u16")];

    fn code(ptx: &'static CStr) -> CodeDescriptor {
        CodeDescriptor::new(c"?", ptx, KERNELS)
    }

    #[test]
    fn the_best_code_that_a_device_takes_is_taken() {
        let codes = [
            code(c".version 6.4\n.target sm_70\n"),
            code(c".version 7.0\n.target sm_80\n"),
            code(c".version 7.8\n.target sm_90a\n"),
            code(c".version 7.8\n.target sm_90, debug\n"),
            code(c".version 8.6\n.target sm_100\n"),
        ];
        let image = ImageDescriptor::of_codes(c"a.c", &codes);
        let chosen = |arch: &str, newest: (u8, u8)| {
            let code = image.code_for(arch, PtxVersion::new(newest.0, newest.1)).unwrap();
            Header::of(&code.ptx).target.unwrap().to_owned()
        };
        assert_eq!(chosen("sm_75", (8, 0)), "sm_70");
        assert_eq!(chosen("sm_86", (8, 0)), "sm_80");
        assert_eq!(chosen("sm_90", (8, 0)), "sm_90a");
        assert_eq!(chosen("sm_100", (8, 7)), "sm_100");
        assert_eq!(chosen("sm_100", (8, 0)), "sm_90", "an old driver");
        assert_eq!(chosen("sm_100", (7, 0)), "sm_80", "an older one");
        assert_eq!(chosen("sm_60", (8, 0)), "sm_70", "there is something to say of it");
        let layout = image.codes()[1].kernels[0].param_layout().unwrap();
        assert_eq!((&*layout.0, layout.1), (&[0, 8, 12, 16, 24][..], 26));
    }

    #[test]
    fn images_of_one_text_are_known_and_those_of_tomorrow_are_not() {
        let mut image = ImageDescriptor::new(c"a.c", ".version 7.0\n\0");
        assert_eq!(image.code_for("sm_80", PtxVersion::new(8, 0)).unwrap().ptx, ".version 7.0\n");
        assert_eq!((image.source().as_ref(), image.is_known()), ("a.c", true));
        image.version = IMAGE_VERSION + 1;
        assert!(!image.is_known() && image.codes().is_empty());
    }
}
