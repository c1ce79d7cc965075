//! PTX language versions.

use std::fmt;
use std::str::FromStr;

/// A PTX `.version`, ordered by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtxVersion {
    /// Number before the point.
    pub major: u8,
    /// Number after the point.
    pub minor: u8,
}

impl PtxVersion {
    /// Version `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        PtxVersion { major, minor }
    }

    /// The newest version that a driver of CUDA `major.minor` takes, from 11.0 on; `None` for older
    /// ones. A driver newer than this table takes at least the newest version listed.
    pub fn newest_of_cuda(major: u32, minor: u32) -> Option<PtxVersion> {
        const KNOWN: [(u32, u32, PtxVersion); 22] = {
            const fn v(major: u8, minor: u8) -> PtxVersion {
                PtxVersion::new(major, minor)
            }
            [
                (11, 0, v(7, 0)),
                (11, 1, v(7, 1)),
                (11, 2, v(7, 2)),
                (11, 3, v(7, 3)),
                (11, 4, v(7, 4)),
                (11, 5, v(7, 5)),
                (11, 6, v(7, 6)),
                (11, 7, v(7, 7)),
                (11, 8, v(7, 8)),
                (12, 0, v(8, 0)),
                (12, 1, v(8, 1)),
                (12, 2, v(8, 2)),
                (12, 3, v(8, 3)),
                (12, 4, v(8, 4)),
                (12, 5, v(8, 5)),
                (12, 6, v(8, 5)),
                (12, 7, v(8, 6)),
                (12, 8, v(8, 7)),
                (12, 9, v(8, 8)),
                (13, 0, v(9, 0)),
                (13, 1, v(9, 1)),
                (13, 2, v(9, 1)),
            ]
        };
        KNOWN
            .iter()
            .rev()
            .find(|&&(a, b, _)| (a, b) <= (major, minor))
            .map(|&(.., version)| version)
    }
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for PtxVersion {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (major, minor) = text.split_once('.').ok_or(())?;
        Ok(PtxVersion { major: major.parse().map_err(drop)?, minor: minor.parse().map_err(drop)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_order_print_and_parse() {
        assert!(PtxVersion::new(7, 8) < PtxVersion::new(8, 0));
        assert_eq!("8.5".parse(), Ok(PtxVersion::new(8, 5)));
        assert_eq!("8".parse::<PtxVersion>(), Err(()));
        assert_eq!(PtxVersion::new(6, 0).to_string(), "6.0");
    }

    #[test]
    fn driver_versions() {
        assert_eq!(PtxVersion::newest_of_cuda(10, 2), None);
        assert_eq!(PtxVersion::newest_of_cuda(11, 8), Some(PtxVersion::new(7, 8)));
        assert_eq!(PtxVersion::newest_of_cuda(12, 4), Some(PtxVersion::new(8, 4)));
        assert_eq!(PtxVersion::newest_of_cuda(14, 0), Some(PtxVersion::new(9, 1)));
    }
}
