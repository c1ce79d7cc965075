//! Numbers of variable length, and a cursor over a file.
//!
//! The number of zero bits below the lowest set bit of a number's first byte is how many bytes follow; the bits above it,
//! and those bytes, are the number, least significant first. A first byte of zero says that eight bytes follow.

use crate::{PADDING, section};

/// What is wrong with a file, and where.
#[derive(Debug)]
pub(crate) struct Damage {
    /// Offset in the file.
    pub at: usize,
    pub message: String,
    pub help: Option<String>,
}

pub(crate) type Result<T> = std::result::Result<T, Damage>;

impl Damage {
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Damage { at, message: message.into(), help: None }
    }

    pub fn help(self, help: impl Into<String>) -> Self {
        Damage { help: Some(help.into()), ..self }
    }
}

/// Where in a file, or in a part of it, is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'f> {
    file: &'f [u8],
    at: usize,
    end: usize,
}

impl<'f> Cursor<'f> {
    pub fn new(file: &'f [u8]) -> Self {
        Cursor { file, at: 0, end: file.len() }
    }

    /// Offset in the file.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn remaining(&self) -> usize {
        self.end - self.at
    }

    pub fn is_empty(&self) -> bool {
        self.at == self.end
    }

    /// Stops at this place.
    pub fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Damage::new(self.at, message))
    }

    pub fn byte(&mut self) -> Result<u8> {
        if self.is_empty() {
            return self.fail("expected a byte where the file or its section ends");
        }
        self.at += 1;
        Ok(self.file[self.at - 1])
    }

    /// The next `count` bytes.
    pub fn bytes(&mut self, count: u64) -> Result<&'f [u8]> {
        Ok(self.part(count)?.rest())
    }

    /// A cursor over the next `count` bytes, which are skipped.
    pub fn part(&mut self, count: u64) -> Result<Cursor<'f>> {
        if count > self.remaining() as u64 {
            let left = self.remaining();
            return self.fail(format!("expected {count} bytes where {left} are left"));
        }
        let part = Cursor { end: self.at + count as usize, ..*self };
        self.at = part.end;
        Ok(part)
    }

    /// Everything that is left.
    pub fn rest(self) -> &'f [u8] {
        &self.file[self.at..self.end]
    }

    pub fn number(&mut self) -> Result<u64> {
        let first = self.byte()?;
        let following = first.trailing_zeros() as usize;
        let mut raw = [0; 8];
        if first == 0 {
            raw.copy_from_slice(self.bytes(8)?);
            return Ok(u64::from_le_bytes(raw));
        }
        raw[0] = first;
        raw[1..=following].copy_from_slice(self.bytes(following as u64)?);
        Ok(u64::from_le_bytes(raw) >> (following + 1))
    }

    /// A number whose lowest bit says the sign.
    pub fn signed(&mut self) -> Result<i64> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A number, and a flag in its lowest bit.
    pub fn flagged(&mut self) -> Result<(u64, bool)> {
        let number = self.number()?;
        Ok((number >> 1, number & 1 == 1))
    }

    /// How many things follow of which each takes a byte at least: no count is believed for which there is no room.
    pub fn count(&mut self) -> Result<usize> {
        let at = self.at;
        let count = self.number()?;
        self.fits(at, count)
    }

    /// `count` where so many bytes are left; it was read at `at`.
    pub fn fits(&self, at: usize, count: u64) -> Result<usize> {
        if count > self.remaining() as u64 {
            let left = self.remaining();
            return Err(Damage::new(at, format!("{count} things are announced in {left} bytes")));
        }
        Ok(count as usize)
    }

    /// The text up to a zero byte.
    pub fn terminated(&mut self) -> Result<&'f str> {
        let Some(length) = self.rest().iter().position(|&byte| byte == 0) else {
            return self.fail("a text has no end");
        };
        let at = self.at;
        let text = self.bytes(length as u64)?;
        self.at += 1;
        utf8(at, text)
    }

    /// Skips the padding in front of a multiple of `alignment`.
    pub fn align(&mut self, alignment: u64) -> Result<()> {
        if !alignment.is_power_of_two() {
            return self.fail(format!("an alignment of {alignment} is no power of two"));
        }
        while self.at as u64 & (alignment - 1) != 0 {
            let at = self.at;
            if self.byte()? != PADDING {
                return Err(Damage::new(at, "the padding holds something"));
            }
        }
        Ok(())
    }

    /// A section: its number, and a cursor over what it holds.
    pub fn section(&mut self) -> Result<(u8, Cursor<'f>)> {
        let at = self.at;
        let head = self.byte()?;
        let (id, is_aligned) = (head & 0x7F, head & 0x80 != 0);
        if usize::from(id) >= section::NAMES.len() {
            return Err(Damage::new(at, format!("there is no section {id}")));
        }
        let length = self.number()?;
        if is_aligned {
            let alignment = self.number()?;
            self.align(alignment)?;
        }
        Ok((id, self.part(length)?))
    }
}

/// Bytes of a file as text.
pub(crate) fn utf8(at: usize, bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes)
        .map_err(|error| Damage::new(at + error.valid_up_to(), "a text is not UTF-8"))
}

/// Bytes on their way out.
#[derive(Debug, Default)]
pub(crate) struct Bytes(pub Vec<u8>);

impl Bytes {
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub fn number(&mut self, value: u64) {
        let bits = 64 - value.leading_zeros() as usize;
        // Each byte has room for seven bits, up to eight bytes.
        let following = bits.saturating_sub(1) / 7;
        if following > 7 {
            self.byte(0);
            self.bytes(&value.to_le_bytes());
            return;
        }
        let marked = (value << 1 | 1) << following;
        self.bytes(&marked.to_le_bytes()[..=following]);
    }

    pub fn signed(&mut self, value: i64) {
        self.number((value << 1) as u64 ^ (value >> 63) as u64);
    }

    pub fn flagged(&mut self, value: u64, flag: bool) {
        self.number(value << 1 | u64::from(flag));
    }

    /// Padding up to a multiple of `alignment`, a power of two.
    pub fn align(&mut self, alignment: usize) {
        let padded = self.0.len().next_multiple_of(alignment);
        self.0.resize(padded, PADDING);
    }

    pub fn section(&mut self, id: u8, contents: &Bytes) {
        self.byte(id);
        self.number(contents.0.len() as u64);
        self.bytes(&contents.0);
    }

    /// A section that stands at a multiple of `alignment`.
    pub fn aligned_section(&mut self, id: u8, contents: &Bytes, alignment: usize) {
        self.byte(id | 0x80);
        self.number(contents.0.len() as u64);
        self.number(alignment as u64);
        self.align(alignment);
        self.bytes(&contents.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_bytes_that_the_format_says() {
        let cases: [(u64, &[u8]); 8] = [
            (0, &[1]),
            (127, &[0xFF]),
            (128, &[2, 2]),
            (16383, &[0xFE, 0xFF]),
            (16384, &[4, 0, 2]),
            ((1 << 56) - 1, &[0x80, 255, 255, 255, 255, 255, 255, 255]),
            (1 << 56, &[0, 0, 0, 0, 0, 0, 0, 0, 1]),
            (u64::MAX, &[0, 255, 255, 255, 255, 255, 255, 255, 255]),
        ];
        for (value, encoded) in cases {
            let mut out = Bytes::default();
            out.number(value);
            assert_eq!(out.0, encoded, "{value}");
            let mut cursor = Cursor::new(encoded);
            assert_eq!(cursor.number().expect("a number"), value);
            assert!(cursor.is_empty());
        }
        for value in [0, 1, -1, 63, -64, i64::MIN, i64::MAX] {
            let mut out = Bytes::default();
            out.signed(value);
            assert_eq!(Cursor::new(&out.0).signed().expect("a number"), value);
        }
    }

    #[test]
    fn what_is_missing_has_its_place() {
        let mut cursor = Cursor::new(&[4, 0]);
        assert_eq!(cursor.number().expect_err("a byte is missing").at, 1);
        let mut cursor = Cursor::new(&[3, 9 << 1 | 1]);
        cursor.byte().expect("a byte");
        assert_eq!(cursor.count().expect_err("there are no nine bytes").at, 1);
    }
}
