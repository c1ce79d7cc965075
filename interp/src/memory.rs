//! Memory: buffers of bytes, each access checked.

/// Names a buffer. A freed buffer's place is used again under another generation, so that old
/// names are known to be stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BufferId {
    index: u32,
    generation: u32,
}

#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Which bytes have been written.
    written: Vec<bool>,
    generation: u32,
    is_live: bool,
    is_constant: bool,
    address: u64,
}

/// All buffers.
#[derive(Debug)]
pub(crate) struct Memory {
    buffers: Vec<Buffer>,
    free: Vec<u32>,
    live_bytes: usize,
    limit: usize,
    next_address: u64,
}

/// A range of a buffer's bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub buffer: BufferId,
    pub start: usize,
    pub length: usize,
}

impl Memory {
    pub fn new(limit: usize) -> Self {
        // Addresses look like those of a device and never are zero.
        Memory {
            buffers: Vec::new(),
            free: Vec::new(),
            live_bytes: 0,
            limit,
            next_address: 1 << 32,
        }
    }

    /// A new buffer, its bytes zero and unwritten.
    pub fn allocate(&mut self, size: usize) -> Result<BufferId, String> {
        let total = self.live_bytes.checked_add(size).filter(|&total| total <= self.limit);
        self.live_bytes = total.ok_or_else(|| {
            format!("allocation of {size} bytes exceeds the memory limit of {} bytes", self.limit)
        })?;
        let index = self.free.pop().unwrap_or_else(|| {
            self.buffers.push(Buffer::default());
            (self.buffers.len() - 1) as u32
        });
        let buffer = &mut self.buffers[index as usize];
        buffer.bytes = vec![0; size];
        buffer.written = vec![false; size];
        buffer.is_live = true;
        buffer.is_constant = false;
        buffer.address = self.next_address;
        self.next_address += (size as u64 + 1).next_multiple_of(256);
        Ok(BufferId { index, generation: buffer.generation })
    }

    fn buffer(&self, id: BufferId) -> Result<&Buffer, String> {
        let buffer = self.buffers.get(id.index as usize);
        buffer
            .filter(|buffer| buffer.is_live && buffer.generation == id.generation)
            .ok_or_else(|| "the buffer has been released".to_owned())
    }

    fn buffer_mut(&mut self, id: BufferId) -> Result<&mut Buffer, String> {
        self.buffer(id)?;
        Ok(&mut self.buffers[id.index as usize])
    }

    pub fn release(&mut self, id: BufferId) -> Result<(), String> {
        let buffer = self.buffer_mut(id)?;
        buffer.is_live = false;
        buffer.generation = buffer.generation.wrapping_add(1);
        let size = buffer.bytes.len();
        buffer.bytes = Vec::new();
        buffer.written = Vec::new();
        self.live_bytes -= size;
        self.free.push(id.index);
        Ok(())
    }

    pub fn size(&self, id: BufferId) -> Result<usize, String> {
        Ok(self.buffer(id)?.bytes.len())
    }

    /// A number that stands for the buffer's address.
    pub fn address(&self, id: BufferId) -> Result<u64, String> {
        Ok(self.buffer(id)?.address)
    }

    /// The buffer that an address is in, or just behind, and how many bytes from its start; one that nobody can
    /// access where there is none.
    pub fn containing(&self, address: u64) -> (BufferId, i64) {
        let holds = |buffer: &Buffer| {
            let end = buffer.address + buffer.bytes.len() as u64;
            buffer.is_live && (buffer.address..=end).contains(&address)
        };
        match self.buffers.iter().position(holds) {
            Some(index) => {
                let buffer = &self.buffers[index];
                let id = BufferId { index: index as u32, generation: buffer.generation };
                (id, (address - buffer.address) as i64)
            }
            None => (BufferId { index: u32::MAX, generation: 0 }, 0),
        }
    }

    /// Makes further writes errors.
    pub fn make_constant(&mut self, id: BufferId) {
        if let Ok(buffer) = self.buffer_mut(id) {
            buffer.is_constant = true;
        }
    }

    /// The range, if all of it is in the buffer.
    pub fn range(&self, buffer: BufferId, start: i128, length: usize) -> Result<Range, String> {
        let size = self.buffer(buffer)?.bytes.len();
        if start < 0 || start + length as i128 > size as i128 {
            return Err(format!(
                "access to {length} bytes at byte {start} is outside the buffer of {size} bytes"
            ));
        }
        Ok(Range { buffer, start: start as usize, length })
    }

    /// The bytes of a range, and which of them have been written.
    pub fn read(&self, range: Range) -> Result<(&[u8], &[bool]), String> {
        let buffer = self.buffer(range.buffer)?;
        let end = range.start + range.length;
        Ok((&buffer.bytes[range.start..end], &buffer.written[range.start..end]))
    }

    /// Sets the bytes of a range, as many as it has; `written` is false where they are undefined.
    pub fn write(&mut self, range: Range, bytes: &[u8], written: &[bool]) -> Result<(), String> {
        let buffer = self.buffer_mut(range.buffer)?;
        if buffer.is_constant {
            return Err("the buffer is constant".to_owned());
        }
        let end = range.start + range.length;
        buffer.bytes[range.start..end].copy_from_slice(bytes);
        buffer.written[range.start..end].copy_from_slice(written);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_checked() {
        let mut memory = Memory::new(64);
        let a = memory.allocate(8).unwrap();
        assert!(memory.allocate(57).is_err());
        let range = memory.range(a, 4, 4).unwrap();
        assert_eq!(memory.read(range).unwrap().1, [false; 4]);
        memory.write(range, &[1, 2, 3, 4], &[true; 4]).unwrap();
        assert_eq!(memory.read(range).unwrap(), (&[1, 2, 3, 4][..], &[true; 4][..]));
        for start in [-1, 5, i128::MAX - 8] {
            assert!(memory.range(a, start, 4).is_err(), "{start}");
        }
        memory.release(a).unwrap();
        assert!(memory.release(a).is_err());
        let b = memory.allocate(8).unwrap();
        assert!(memory.read(range).is_err(), "the old name is stale");
        assert_eq!(memory.size(b), Ok(8));
        memory.make_constant(b);
        let range = memory.range(b, 0, 1).unwrap();
        assert!(memory.write(range, &[0], &[true]).is_err());
    }
}
