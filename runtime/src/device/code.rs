//! The numbers of errors, those of the CUDA driver API (`CUresult`, cuda.h), whichever device has answered.

use std::fmt;

/// The number of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorCode(pub i32);

macro_rules! codes {
    ($($(#[$doc:meta])* $constant:ident = $number:literal $name:literal;)*) => {
        impl ErrorCode {
            $($(#[$doc])* pub const $constant: ErrorCode = ErrorCode($number);)*

            /// The driver API's name of it, of those that the runtime makes itself.
            pub fn name(self) -> Option<&'static str> {
                match self {
                    $(ErrorCode::$constant => Some($name),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    /// A queue, event, module, kernel, address or size that does not belong there.
    INVALID_VALUE = 1 "CUDA_ERROR_INVALID_VALUE";
    /// No more memory, of the device or of the host.
    OUT_OF_MEMORY = 2 "CUDA_ERROR_OUT_OF_MEMORY";
    /// The PTX is wrong or not supported.
    INVALID_PTX = 218 "CUDA_ERROR_INVALID_PTX";
    /// The PTX is newer than the driver.
    UNSUPPORTED_PTX_VERSION = 222 "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    /// No such kernel or variable.
    NOT_FOUND = 500 "CUDA_ERROR_NOT_FOUND";
    /// An access outside every allocation.
    ILLEGAL_ADDRESS = 700 "CUDA_ERROR_ILLEGAL_ADDRESS";
    /// A kernel that ran for too long.
    LAUNCH_TIMEOUT = 702 "CUDA_ERROR_LAUNCH_TIMEOUT";
    /// An assertion in a kernel failed.
    ASSERT = 710 "CUDA_ERROR_ASSERT";
    /// The stack of a kernel was too small.
    HARDWARE_STACK_ERROR = 714 "CUDA_ERROR_HARDWARE_STACK_ERROR";
    /// An access that is not aligned.
    MISALIGNED_ADDRESS = 716 "CUDA_ERROR_MISALIGNED_ADDRESS";
    /// A call of what is no function.
    INVALID_PC = 718 "CUDA_ERROR_INVALID_PC";
    /// A kernel failed in another way.
    LAUNCH_FAILED = 719 "CUDA_ERROR_LAUNCH_FAILED";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "error {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    #[test]
    fn numbers_have_names() {
        assert_eq!(ErrorCode(700), ErrorCode::ILLEGAL_ADDRESS);
        assert_eq!(ErrorCode::NOT_FOUND.to_string(), "CUDA_ERROR_NOT_FOUND");
        assert_eq!(ErrorCode(3).to_string(), "error 3");
    }
}
