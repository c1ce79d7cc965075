//! The C structures that compiled programs hand to the runtime (`include/gpuc_rt.h`).
//!
//! Their strings are string literals of the program, so they live as long as it does. The fields
//! that must keep that promise are private and set by constructors that take `&'static CStr`; C
//! fills them in by itself.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_uint, c_ulong, c_void};
use std::ptr;

use gpuc_diagnostics::{Diagnostic, Place};

/// The text behind a pointer that is null or a string literal of the program.
pub(crate) fn text<'a>(pointer: *const c_char) -> Cow<'a, str> {
    if pointer.is_null() {
        return Cow::Borrowed("?");
    }
    // SAFETY: not null, hence a string literal (module documentation).
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy()
}

/// The place of a directive (`struct __gpuc_site`).
#[repr(C)]
#[derive(Debug)]
pub struct SiteDescriptor {
    file: *const c_char,
    function: *const c_char,
    line: c_uint,
    construct: *const c_char,
}

// SAFETY: the strings are immutable literals.
unsafe impl Sync for SiteDescriptor {}

impl SiteDescriptor {
    /// The directive `construct` ("parallel loop") at `line` of `file`, in `function`.
    pub const fn new(
        file: &'static CStr,
        function: &'static CStr,
        line: u32,
        construct: &'static CStr,
    ) -> Self {
        SiteDescriptor {
            file: file.as_ptr(),
            function: function.as_ptr(),
            line,
            construct: construct.as_ptr(),
        }
    }

    /// Name of the source file.
    pub fn file(&self) -> Cow<'_, str> {
        text(self.file)
    }

    /// Name of the function around it.
    pub fn function(&self) -> Cow<'_, str> {
        text(self.function)
    }

    /// The directive in words.
    pub fn construct(&self) -> Cow<'_, str> {
        text(self.construct)
    }

    /// Line of the directive, from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Its number.
    pub fn line_number(&self) -> u32 {
        self.line
    }

    /// The names of file and function as C has them.
    pub fn pointers(&self) -> (*const c_char, *const c_char) {
        (self.file, self.function)
    }

    /// The place as diagnostics name it; `None` for a call without a known line.
    pub fn place(&self) -> Option<Place> {
        self.place_of_line(self.line)
    }

    /// Another line of the same file: where one clause of a long directive stands.
    pub fn place_of_line(&self, line: u32) -> Option<Place> {
        let line = if line == 0 { self.line } else { line };
        (line != 0 && !self.file.is_null()).then(|| Place::new(&*self.file(), line, 0, 0))
    }

    /// A diagnostic at `line` (0: that of the directive), or with the name of the routine where no
    /// line is known.
    pub fn locate(&self, diagnostic: Diagnostic, line: u32) -> Diagnostic {
        match self.place_of_line(line) {
            Some(place) => diagnostic.at(place),
            None => diagnostic.help(format!("in a call of `{}`", self.construct())),
        }
    }
}

/// What a data clause asks for (`enum __gpuc_data_kind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// To the device at entry and back at exit.
    Copy,
    /// To the device at entry.
    CopyIn,
    /// Back at exit.
    CopyOut,
    /// Allocated only.
    Create,
    /// Must be there already.
    Present,
    /// Gone from the device (`exit data delete`).
    Delete,
    /// The pointer is a device address already.
    DevicePointer,
    /// `update self`: from the device to the host.
    UpdateHost,
    /// `update device`: from the host to the device.
    UpdateDevice,
    /// Used when present; otherwise the host address stands.
    NoCreate,
    /// A [`DataKind::Copy`] that the program did not write.
    ImplicitCopy,
    /// A [`DataKind::Present`] that the program did not write.
    ImplicitPresent,
    /// `host_data use_device`: only the address is asked for.
    UseDevice,
    /// `attach`: the descriptor is about the pointer itself.
    Attach,
    /// `detach`, in the same way.
    Detach,
    /// The host's values, in memory of the construct's own.
    FirstPrivate,
}

impl DataKind {
    /// Whether the data must be there already, and stays as it is.
    pub fn is_present(self) -> bool {
        matches!(self, DataKind::Present | DataKind::ImplicitPresent)
    }

    /// Whether what the host has goes to the device when the data is brought in.
    pub fn copies_in(self) -> bool {
        matches!(self, DataKind::Copy | DataKind::CopyIn | DataKind::ImplicitCopy)
    }

    /// Whether what the device has comes back when the data goes.
    pub fn copies_out(self) -> bool {
        matches!(self, DataKind::Copy | DataKind::CopyOut | DataKind::ImplicitCopy)
    }
}

impl DataKind {
    /// Every kind with its number in the C ABI and the clause that users write for it.
    pub const TABLE: [(DataKind, u32, &'static str); 16] = [
        (DataKind::Copy, 1, "copy"),
        (DataKind::CopyIn, 2, "copyin"),
        (DataKind::CopyOut, 3, "copyout"),
        (DataKind::Create, 4, "create"),
        (DataKind::Present, 5, "present"),
        (DataKind::Delete, 6, "delete"),
        (DataKind::DevicePointer, 7, "deviceptr"),
        (DataKind::UpdateHost, 8, "update self"),
        (DataKind::UpdateDevice, 9, "update device"),
        (DataKind::NoCreate, 10, "no_create"),
        (DataKind::ImplicitCopy, 11, "implicit copy"),
        (DataKind::ImplicitPresent, 12, "implicit present"),
        (DataKind::UseDevice, 13, "use_device"),
        (DataKind::Attach, 14, "attach"),
        (DataKind::Detach, 15, "detach"),
        (DataKind::FirstPrivate, 16, "firstprivate"),
    ];

    /// Its number in the C ABI.
    pub fn number(self) -> u32 {
        Self::TABLE[self as usize].1
    }

    /// The clause as the user knows it.
    pub fn clause(self) -> &'static str {
        Self::TABLE[self as usize].2
    }
}

/// Flag of [`DataDescriptor::kind`]: `finalize`.
pub const FINALIZE: u32 = 0x100;
/// Flag of [`DataDescriptor::kind`]: `if_present`.
pub const IF_PRESENT: u32 = 0x200;
/// Flag of [`DataDescriptor::kind`]: `zero:`.
pub const ZERO: u32 = 0x400;
/// Flag of [`DataDescriptor::kind`]: `always:`.
pub const ALWAYS: u32 = 0x800;
/// Flag of [`DataDescriptor::kind`]: what each of several pointers points to.
pub const ROWS: u32 = 0x1000;

/// Flag of [`DataDescriptor::kind`]: of a nest that the compiler found; the section is all that it touches.
pub const AUTO: u32 = 0x2000;
/// Flag of [`DataDescriptor::kind`]: beside [`AUTO`], does not stay when the nest is done.
pub const LEAVES: u32 = 0x4000;

/// Flag of [`DataDescriptor::kind`]: of `update`: elements with others between them. `bytes` are those of one,
/// `device` is the address of two unsigned longs: how many there are, and the bytes from one to the next.
pub const STRIDED: u32 = 0x1_0000;

/// Flag of [`DataDescriptor::kind`]: must be there already, whatever else is asked for.
pub const REQUIRED: u32 = 0x2_0000;
/// Flag of [`DataDescriptor::kind`]: stays when the construct is done, until its owner lets go of it.
pub const KEPT: u32 = 0x4_0000;
/// Flag of [`DataDescriptor::kind`]: beside a kind that copies in: only where nobody has filled it yet.
pub const FIRST: u32 = 0x8_0000;
/// Flag of [`DataDescriptor::kind`]: all that is there of what the address belongs to, from it on, however long.
pub const WHOLE: u32 = 0x10_0000;

/// Flag of [`DataDescriptor::kind`]: the program does not ask for it, and the section is the compiler's.
pub const IMPLICIT: u32 = 0x100_0000;

/// Bits of [`DataDescriptor::kind`]: what the elements are ([`Element`]).
const ELEMENT: u32 = 7 << 21;

/// What the elements of a variable are, where comparing them asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Something else, or nothing is said: bytes.
    Unknown,
    /// An integer of one byte.
    Int8,
    /// An integer of two bytes.
    Int16,
    /// An integer of four bytes.
    Int32,
    /// An integer of eight bytes.
    Int64,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// A pointer: device and host have other ones.
    Address,
}

impl Element {
    /// By their numbers in the ABI.
    const ALL: [Element; 8] = [
        Element::Unknown,
        Element::Int8,
        Element::Int16,
        Element::Int32,
        Element::Int64,
        Element::Float,
        Element::Double,
        Element::Address,
    ];

    /// Its size.
    pub fn bytes(self) -> usize {
        match self {
            Element::Unknown | Element::Int8 => 1,
            Element::Int16 => 2,
            Element::Int32 | Element::Float => 4,
            Element::Int64 | Element::Double | Element::Address => 8,
        }
    }

    /// The floating-point number that bytes of its size are; `None` where it is none.
    pub fn number(self, bytes: &[u8]) -> Option<f64> {
        match self {
            Element::Float => Some(f64::from(f32::from_ne_bytes(bytes.try_into().ok()?))),
            Element::Double => Some(f64::from_ne_bytes(bytes.try_into().ok()?)),
            _ => None,
        }
    }

    /// The relative distance of two neighbouring numbers.
    pub fn epsilon(self) -> f64 {
        match self {
            Element::Float => f64::from(f32::EPSILON),
            Element::Double => f64::EPSILON,
            _ => 0.0,
        }
    }

    /// Bytes of its size as people write it.
    pub fn text(self, bytes: &[u8]) -> String {
        if let Some(number) = self.number(bytes) {
            return match self {
                Element::Float => (number as f32).to_string(),
                _ => number.to_string(),
            };
        }
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let value = i64::from_le_bytes(wide);
        match self {
            Element::Int8 => (value as i8).to_string(),
            Element::Int16 => (value as i16).to_string(),
            Element::Int32 => (value as i32).to_string(),
            Element::Int64 => value.to_string(),
            _ => format!("{value:#04x}"),
        }
    }
}

/// Its counts are one: what is released goes off the other where its own is zero, what is finalized goes
/// whoever has it, and may have gone (OpenMP 5.2 §5.8.3).
pub const ONE_COUNT: u32 = 0x8000;

/// One variable of a data clause (`struct __gpuc_data`).
#[repr(C)]
#[derive(Debug)]
pub struct DataDescriptor {
    name: *const c_char,
    host: *mut c_void,
    bytes: c_ulong,
    /// A number of [`DataKind::TABLE`] with flags.
    pub kind: c_uint,
    /// Line of the clause; 0 for that of the directive.
    pub line: c_uint,
    /// Filled in: the device address that corresponds to `host`.
    pub device: *mut c_void,
}

/// The length of a section where the computation that the compiler made of it says that it is not known.
pub const UNCERTAIN: u64 = 1 << 63;

impl DataDescriptor {
    /// Lets a section of unknown length be data in no clause, which have to be on the device.
    pub fn settle(&mut self) {
        if self.bytes == UNCERTAIN {
            // Where the family says so, a pointer to what is not there keeps its value.
            let kind = match self.has(IF_PRESENT) {
                true => DataKind::NoCreate,
                false => DataKind::ImplicitPresent,
            };
            self.kind = kind.number() | self.kind & ELEMENT;
            self.bytes = 1;
        }
    }

    /// The clause `kind` on `bytes` bytes at `host`.
    ///
    /// # Safety
    /// Where the clause copies, those bytes may be read and written whenever the descriptor is
    /// handed to the runtime.
    pub const unsafe fn new(name: &'static CStr, host: *mut c_void, bytes: u64, kind: u32) -> Self {
        DataDescriptor {
            name: name.as_ptr(),
            host,
            bytes: bytes as c_ulong,
            kind,
            line: 0,
            device: ptr::null_mut(),
        }
    }

    /// The clause on a line about `bytes` bytes at `host`, with its name as C has it.
    ///
    /// # Safety
    /// That of [`DataDescriptor::new`]; `name` is a string of the program.
    pub const unsafe fn of_item(
        name: *const c_char,
        host: *mut c_void,
        bytes: u64,
        kind: u32,
        line: u32,
    ) -> Self {
        DataDescriptor { name, host, bytes: bytes as c_ulong, kind, line, device: ptr::null_mut() }
    }

    /// The variable as the user wrote it.
    pub fn name(&self) -> Cow<'_, str> {
        text(self.name)
    }

    /// The same as C has it.
    pub fn name_pointer(&self) -> *const c_char {
        self.name
    }

    /// First byte of the section on the host.
    pub fn host(&self) -> *mut c_void {
        self.host
    }

    /// The host address as a number.
    pub fn host_address(&self) -> u64 {
        self.host as u64
    }

    /// Length of the section in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes it as long as what is there from its first byte on.
    pub fn reach(&mut self, end: u64) {
        self.bytes = (end - self.host_address()) as c_ulong;
    }

    /// The rows of a descriptor with [`ROWS`]: the addresses of the pointers, and for each a descriptor
    /// of what it points to.
    ///
    /// # Safety
    /// The descriptor is as `include/gpuc_rt.h` says it for that flag.
    pub unsafe fn rows(&self) -> impl Iterator<Item = (*mut c_void, DataDescriptor)> + '_ {
        // SAFETY: the caller's promise.
        let [first, bytes] = unsafe { self.device.cast::<[c_ulong; 2]>().read() };
        (0..self.bytes as usize).map(move |row| {
            let pointer = self.host.cast::<*mut c_void>().wrapping_add(row);
            // SAFETY: one of the pointers, which are there as long as the clause is obeyed.
            let target = unsafe { pointer.read() };
            let host = if target.is_null() {
                target
            } else {
                target.cast::<u8>().wrapping_add(first as usize).cast()
            };
            (pointer.cast(), self.part(host, bytes, self.kind & !ROWS))
        })
    }

    /// Whether a descriptor with [`STRIDED`] has less elements than none, or more than memory can hold.
    ///
    /// # Safety
    /// The descriptor is as `include/gpuc_rt.h` says it for that flag.
    pub unsafe fn is_impossible(&self) -> bool {
        // SAFETY: the caller's promise.
        let [count, _] = unsafe { self.device.cast::<[c_ulong; 2]>().read() };
        count > 0 && count >= c_ulong::MAX / self.bytes.max(1)
    }

    /// The elements of a descriptor with [`STRIDED`].
    ///
    /// # Safety
    /// The descriptor is as `include/gpuc_rt.h` says it for that flag.
    pub unsafe fn strided(&self) -> impl Iterator<Item = DataDescriptor> + '_ {
        // SAFETY: the caller's promise.
        let [count, stride] = unsafe { self.device.cast::<[c_ulong; 2]>().read() };
        (0..count).map(move |k| {
            let host = self.host.wrapping_byte_add((k * stride) as usize);
            self.part(host, self.bytes, self.kind & !STRIDED)
        })
    }

    /// A descriptor of this clause for other memory.
    pub fn part(&self, host: *mut c_void, bytes: u64, kind: u32) -> DataDescriptor {
        let (name, line, device) = (self.name, self.line, ptr::null_mut());
        DataDescriptor { name, host, bytes, kind, line, device }
    }

    /// The name as the program has it.
    pub fn literal(&self) -> &'static CStr {
        if self.name.is_null() {
            return c"?";
        }
        // SAFETY: not null, hence a string literal (module documentation).
        unsafe { CStr::from_ptr(self.name) }
    }

    /// The clause, `None` where the number is not one of the ABI.
    pub fn data_kind(&self) -> Option<DataKind> {
        let number = self.kind & 0xff;
        DataKind::TABLE.iter().find(|row| row.1 == number).map(|row| row.0)
    }

    /// What its elements are.
    pub fn element(&self) -> Element {
        Element::ALL[((self.kind & ELEMENT) >> ELEMENT.trailing_zeros()) as usize]
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: u32) -> bool {
        self.kind & flag != 0
    }
}

/// The data region of a block (`struct __gpuc_scope`).
#[repr(C)]
#[derive(Debug)]
pub struct ScopeDescriptor {
    /// The directive.
    pub site: *const SiteDescriptor,
    /// Its data.
    pub data: *mut DataDescriptor,
    /// How many.
    pub n: c_uint,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_order_of_the_enum() {
        for (index, (kind, number, clause)) in DataKind::TABLE.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
            assert_eq!(kind.clause(), clause);
            // SAFETY: no bytes.
            let data = unsafe { DataDescriptor::new(c"a", ptr::null_mut(), 0, number | FINALIZE) };
            assert_eq!(data.data_kind(), Some(kind));
            assert!(data.has(FINALIZE) && !data.has(IF_PRESENT));
        }
        // SAFETY: no bytes.
        let unknown = unsafe { DataDescriptor::new(c"a", ptr::null_mut(), 0, 99) };
        assert_eq!(unknown.data_kind(), None);
    }

    #[test]
    fn strings_and_places() {
        let site = SiteDescriptor::new(c"a.c", c"main", 7, c"parallel loop");
        assert_eq!(site.place().map(|p| p.to_string()).as_deref(), Some("a.c:7"));
        assert_eq!(site.place_of_line(9).map(|p| p.line), Some(9));
    }
}
