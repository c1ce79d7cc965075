//! Arguments of a kernel, put into its parameter block.

use thiserror::Error;

use crate::module::Kernel;

/// A value that a kernel takes as it is: numbers, and [`crate::DevicePtr`] for pointers.
pub trait Scalar {
    /// The bytes as they stand in the parameter block.
    fn bytes(self) -> Vec<u8>;
}

macro_rules! scalar {
    ($($type:ty),*) => {
        $(impl Scalar for $type {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        })*
    };
}
scalar!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// Arguments that do not fit a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// More than the kernel has parameters.
    #[error("kernel `{kernel}` takes {parameters} arguments, found more")]
    TooMany {
        /// The kernel.
        kernel: String,
        /// Its number of parameters.
        parameters: usize,
    },
    /// Fewer than the kernel has parameters.
    #[error("kernel `{kernel}` takes {parameters} arguments, found {found}")]
    TooFew {
        /// The kernel.
        kernel: String,
        /// Its number of parameters.
        parameters: usize,
        /// The arguments given.
        found: usize,
    },
    /// An argument of another size than its parameter.
    #[error(
        "argument {number} of kernel `{kernel}` has {found} bytes, but `{parameter}` takes {size}"
    )]
    Size {
        /// The kernel.
        kernel: String,
        /// Which argument, from 1.
        number: usize,
        /// The parameter's name.
        parameter: String,
        /// The parameter's bytes.
        size: usize,
        /// The argument's bytes.
        found: usize,
    },
}

/// Builds the parameter block of a kernel, one argument after another.
///
/// ```
/// use gpuc_arch::Arch;
/// use gpuc_sim::{Arguments, Launch, Module, Simulator};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = "
///     .version 7.0
///     .target sm_80
///     .address_size 64
///     .visible .entry scale(.param .u64 data, .param .u32 n, .param .f32 factor) {
///         .reg .pred %outside; .reg .b32 %i, %n; .reg .f32 %x, %factor; .reg .b64 %at;
///         mov.u32 %i, %tid.x;
///         ld.param.u32 %n, [n];
///         setp.ge.u32 %outside, %i, %n;
///         @%outside ret;
///         ld.param.u64 %at, [data];
///         mad.wide.u32 %at, %i, 4, %at;
///         ld.param.f32 %factor, [factor];
///         ld.global.f32 %x, [%at];
///         mul.rn.f32 %x, %x, %factor;
///         st.global.f32 [%at], %x;
///         ret;
///     }";
/// let module = Module::parse(text, "scale.ptx").map_err(|errors| errors[0].to_string())?;
/// let kernel = module.kernel("scale").ok_or("there is no kernel `scale`")?;
///
/// let simulator = Simulator::new(Arch::by_name("sm_80").ok_or("there is no sm_80")?);
/// let data = simulator.alloc(3 * 4, "data")?;
/// simulator.write(data, &[1.0f32, 2.0, 3.0].map(f32::to_le_bytes).concat())?;
///
/// let params = Arguments::new(kernel).push(data)?.push(3u32)?.push(1.5f32)?.finish()?;
/// let launch = Launch { block: [32, 1, 1], params: &params, ..Launch::default() };
/// simulator.launch(&module, "scale", &launch)?;
///
/// let mut last = [0; 4];
/// simulator.read(data + 8, &mut last)?;
/// assert_eq!(f32::from_le_bytes(last), 4.5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Arguments<'k> {
    kernel: &'k Kernel,
    block: Vec<u8>,
    given: usize,
}

impl<'k> Arguments<'k> {
    /// No arguments yet.
    pub fn new(kernel: &'k Kernel) -> Arguments<'k> {
        Arguments { kernel, block: vec![0; kernel.param_bytes()], given: 0 }
    }

    /// Adds a number or pointer.
    ///
    /// # Errors
    /// There is no such parameter, or it has another size.
    pub fn push(self, value: impl Scalar) -> Result<Arguments<'k>, ArgumentError> {
        self.push_bytes(&value.bytes())
    }

    /// Adds an argument by its bytes: for structures.
    ///
    /// # Errors
    /// There is no such parameter, or it has another size.
    pub fn push_bytes(mut self, bytes: &[u8]) -> Result<Arguments<'k>, ArgumentError> {
        let kernel = || self.kernel.name().to_owned();
        let parameters = self.kernel.params();
        let Some(param) = parameters.get(self.given) else {
            return Err(ArgumentError::TooMany { kernel: kernel(), parameters: parameters.len() });
        };
        if param.size != bytes.len() {
            return Err(ArgumentError::Size {
                kernel: kernel(),
                number: self.given + 1,
                parameter: param.name.to_string(),
                size: param.size,
                found: bytes.len(),
            });
        }
        self.block[param.offset..][..param.size].copy_from_slice(bytes);
        self.given += 1;
        Ok(self)
    }

    /// The parameter block, for [`crate::Launch::params`].
    ///
    /// # Errors
    /// Arguments are missing.
    pub fn finish(self) -> Result<Vec<u8>, ArgumentError> {
        let parameters = self.kernel.params().len();
        if self.given < parameters {
            let kernel = self.kernel.name().to_owned();
            return Err(ArgumentError::TooFew { kernel, parameters, found: self.given });
        }
        Ok(self.block)
    }
}
