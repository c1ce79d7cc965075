//! The limits of a device and the check of a launch against them, one for all devices.

use super::KernelInfo;

/// What a launch must not exceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLimits {
    /// Most threads of a block.
    pub threads_per_block: u32,
    /// Most threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Most blocks of a grid in x, y and z.
    pub grid: [u32; 3],
    /// Most shared memory of a block in bytes, opted in.
    pub shared_bytes: u64,
    /// Most bytes of kernel parameters.
    pub param_bytes: u64,
}

/// Names of the axes, for messages.
const AXES: [char; 3] = ['x', 'y', 'z'];

/// The largest alignment of a kernel parameter in bytes.
const MOST_ALIGNED: u64 = 16;

impl DeviceLimits {
    /// Checks a launch and returns its shape in the device's types, or the sentence that names the
    /// limit it exceeds.
    pub fn check(
        &self,
        kernel: &KernelInfo,
        grid: [u64; 3],
        block: [u64; 3],
        dynamic_shared_bytes: u64,
        param_bytes: u64,
    ) -> Result<([u32; 3], [u32; 3], u32), String> {
        for (of, what, asked, limit) in
            [("grid", "blocks", grid, self.grid), ("block", "threads", block, self.block)]
        {
            for axis in 0..3 {
                if asked[axis] > u64::from(limit[axis]) {
                    return Err(format!(
                        "the {of} has {} {what} in {}, the limit is {}",
                        asked[axis], AXES[axis], limit[axis]
                    ));
                }
            }
        }
        // Every factor is now below 2^32 and the block's below 2^11 or so; saturate all the same.
        let threads = block.iter().fold(1u64, |product, &n| product.saturating_mul(n));
        if threads > u64::from(self.threads_per_block) {
            return Err(format!(
                "the block has {threads} threads, the limit is {}",
                self.threads_per_block
            ));
        }
        if let Some(most) = kernel.max_threads.filter(|&most| threads > u64::from(most)) {
            return Err(format!(
                "the block has {threads} threads, the limit of this kernel is {most}"
            ));
        }
        let block32 = block.map(|n| n as u32);
        if let Some(required) = kernel.required_block.filter(|&required| required != block32) {
            return Err(format!(
                "the block is {}x{}x{}, the kernel is compiled for {}x{}x{}",
                block[0], block[1], block[2], required[0], required[1], required[2]
            ));
        }
        let shared = kernel.static_shared_bytes.saturating_add(dynamic_shared_bytes);
        if shared > self.shared_bytes {
            return Err(format!(
                "a block needs {shared} bytes of shared memory ({} declared by the kernel, \
                 {dynamic_shared_bytes} dynamic), the limit is {}",
                kernel.static_shared_bytes, self.shared_bytes
            ));
        }
        // A C structure may end in padding, which the parameter block does not have.
        let wanted = kernel.param_bytes.unwrap_or(param_bytes);
        if !(wanted..wanted.saturating_add(MOST_ALIGNED)).contains(&param_bytes) {
            return Err(format!(
                "the launch passes {param_bytes} bytes of parameters, the kernel takes {wanted}"
            ));
        }
        if wanted > self.param_bytes {
            return Err(format!(
                "the kernel takes {wanted} bytes of parameters, the limit is {}",
                self.param_bytes
            ));
        }
        Ok((grid.map(|n| n as u32), block32, dynamic_shared_bytes as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> DeviceLimits {
        DeviceLimits {
            threads_per_block: 1024,
            block: [1024, 1024, 64],
            grid: [0x7fff_ffff, 65535, 65535],
            shared_bytes: 232_448,
            param_bytes: 4096,
        }
    }

    #[test]
    fn each_limit_is_named() {
        let info = KernelInfo {
            static_shared_bytes: 1024,
            param_bytes: Some(16),
            max_threads: Some(512),
            required_block: None,
            param_offsets: None,
        };
        let one = [1, 1, 1];
        let cases = [
            ([1, 65536, 1], one, 0, 16, "the grid has 65536 blocks in y, the limit is 65535"),
            ([u64::MAX, 1, 1], one, 0u64, 16u64, "the limit is 2147483647"),
            (one, [1, 1, 65], 0, 16, "the block has 65 threads in z, the limit is 64"),
            (one, [32, 32, 2], 0, 16, "the block has 2048 threads, the limit is 1024"),
            (one, [1024, 1, 1], 0, 16, "the limit of this kernel is 512"),
            (one, one, 232_448, 16, "needs 233472 bytes of shared memory"),
            (one, one, 0, 8, "passes 8 bytes of parameters, the kernel takes 16"),
        ];
        for (grid, block, shared, params, expected) in cases {
            let error = limits().check(&info, grid, block, shared, params).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        assert_eq!(
            limits().check(&info, [4, 2, 1], [256, 2, 1], 64, 16),
            Ok(([4, 2, 1], [256, 2, 1], 64))
        );
        let required = KernelInfo { required_block: Some([128, 1, 1]), ..KernelInfo::default() };
        assert!(limits().check(&required, one, [64, 1, 1], 0, 0).unwrap_err().contains("128x1x1"));
    }
}
