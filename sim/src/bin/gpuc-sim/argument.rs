//! One argument of the kernel: a number, or a buffer from and to a file.

use gpuc_sim::{AddressMode, ChannelFormat, DevicePtr, Filter, Image, Simulator, Texture};

/// A buffer on the device, and the file that it goes to at the end.
#[derive(Debug)]
pub(crate) struct Buffer {
    pointer: DevicePtr,
    bytes: u64,
    target: Option<String>,
    /// What the file begins with that is no data.
    header: Vec<u8>,
}

impl Buffer {
    pub(crate) fn pointer(&self) -> DevicePtr {
        self.pointer
    }

    /// Writes the buffer to its file, if it has one.
    pub(crate) fn write_back(&self, simulator: &Simulator) -> Result<(), String> {
        let Some(file) = &self.target else { return Ok(()) };
        let mut data = vec![0; self.bytes as usize];
        simulator.read(self.pointer, &mut data).map_err(|e| e.to_string())?;
        let mut out = self.header.clone();
        out.extend(data);
        std::fs::write(file, out).map_err(|e| format!("{file}: {e}"))
    }
}

/// The bytes of an argument; buffers are made on the device, labelled with the parameter's name.
pub(crate) fn place(
    text: &str,
    label: &str,
    simulator: &Simulator,
) -> Result<(Vec<u8>, Option<Buffer>), String> {
    let (kind, rest) = text.split_once(':').ok_or("write it as KIND:VALUE, such as u32:5")?;
    let (header, data, bytes, target) = match kind {
        "in" | "inout" => {
            let content = std::fs::read(rest).map_err(|e| format!("{rest}: {e}"))?;
            let at = npy_header(&content)?;
            let (header, data) = content.split_at(at);
            let target = (kind == "inout").then(|| rest.to_owned());
            (header.to_vec(), Some(data.to_vec()), data.len() as u64, target)
        }
        "out" => {
            let (file, size) = rest.rsplit_once(':').ok_or("write it as out:FILE:BYTES")?;
            (Vec::new(), None, size_of_buffer(size)?, Some(file.to_owned()))
        }
        "zero" => {
            let bytes = size_of_buffer(rest)?;
            let host = usize::try_from(bytes).ok().filter(|_| bytes <= simulator.memory_info().1);
            let zeros = vec![0; host.ok_or("larger than the device's memory")?];
            (Vec::new(), Some(zeros), bytes, None)
        }
        "tex" | "surf" => return image(kind == "tex", rest, label, simulator),
        _ => return Ok((scalar(kind, rest)?, None)),
    };
    let label = if label.is_empty() { text } else { label };
    let pointer = simulator.alloc(bytes, label).map_err(|e| e.to_string())?;
    if let Some(data) = data {
        simulator.write(pointer, &data).map_err(|e| e.to_string())?;
    }
    let buffer = Buffer { pointer, bytes, target, header };
    Ok((pointer.to_le_bytes().to_vec(), Some(buffer)))
}

/// A texture or surface of a file's texels: `FORMAT[xCHANNELS]:WIDTH[xHEIGHT[xDEPTH]]:FILE[:HOW...]`.
fn image(
    sampled: bool,
    text: &str,
    label: &str,
    simulator: &Simulator,
) -> Result<(Vec<u8>, Option<Buffer>), String> {
    let mut parts = text.split(':');
    let mut part = |what: &str| parts.next().ok_or(format!("{what} is missing"));
    let (format, extents, file) = (part("the format")?, part("the size")?, part("the file")?);
    let (name, channels) = format.split_once('x').unwrap_or((format, "1"));
    let format = ChannelFormat::by_name(name).ok_or(format!(
        "`{name}` is no format: there are u8, u16, u32, s8, s16, s32, f16 and f32"
    ))?;
    let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number"));
    let mut extent = [1u32; 3];
    let given: Vec<&str> = extents.split('x').collect();
    if given.len() > 3 {
        return Err(format!("`{extents}` has more than three axes"));
    }
    for (out, text) in extent.iter_mut().zip(given) {
        *out = number(text)?;
    }
    let content = std::fs::read(file).map_err(|e| format!("{file}: {e}"))?;
    let (header, data) = content.split_at(npy_header(&content)?);
    let bytes = data.len() as u64;
    let pointer = simulator.alloc(bytes, label).map_err(|e| e.to_string())?;
    simulator.write(pointer, data).map_err(|e| e.to_string())?;
    let image = Image::packed(pointer, format, number(channels)?, extent);
    let handle = if sampled {
        let mut texture = Texture::of(image);
        for how in parts.by_ref() {
            match how {
                "linear" => texture.filter = Filter::Linear,
                "normalized" => texture.normalized_coordinates = true,
                "unit" => texture.normalized_values = true,
                "wrap" => texture.address = [AddressMode::Wrap; 3],
                "mirror" => texture.address = [AddressMode::Mirror; 3],
                "border" => texture.address = [AddressMode::Border; 3],
                other => {
                    return Err(format!(
                        "`{other}`: there are linear, normalized, unit, wrap, mirror and border"
                    ));
                }
            }
        }
        simulator.create_texture(texture)
    } else {
        simulator.create_surface(image)
    };
    let handle = handle.map_err(|e| e.to_string())?;
    if let Some(more) = parts.next() {
        return Err(format!("`{more}` means nothing here"));
    }
    let target = (!sampled).then(|| file.to_owned());
    let buffer = Buffer { pointer, bytes, target, header: header.to_vec() };
    Ok((handle.to_le_bytes().to_vec(), Some(buffer)))
}

fn size_of_buffer(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number of bytes"))
}

/// Length of the header of a `.npy` file (numpy.lib.format, versions 1 to 3); 0 of others.
fn npy_header(content: &[u8]) -> Result<usize, String> {
    if !content.starts_with(b"\x93NUMPY") {
        return Ok(0);
    }
    let length = match content {
        [_, _, _, _, _, _, 1, _, a, b, ..] => 10 + usize::from(u16::from_le_bytes([*a, *b])),
        [_, _, _, _, _, _, 2 | 3, _, a, b, c, d, ..] => {
            12usize.saturating_add(u32::from_le_bytes([*a, *b, *c, *d]) as usize)
        }
        _ => return Err("the .npy header has an unknown version".into()),
    };
    if length <= content.len() { Ok(length) } else { Err("the .npy header is cut off".into()) }
}

fn scalar(kind: &str, text: &str) -> Result<Vec<u8>, String> {
    macro_rules! number {
        ($type:ty) => {
            text.parse::<$type>().map(|value| value.to_le_bytes().to_vec()).ok()
        };
    }
    // Bit types take hexadecimal digits too.
    let hexadecimal = text.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    let bytes = match (kind, hexadecimal) {
        ("b8" | "u8", Some(value)) => u8::try_from(value).ok().map(|v| vec![v]),
        ("b16" | "u16", Some(value)) => u16::try_from(value).ok().map(|v| v.to_le_bytes().to_vec()),
        ("b32" | "u32", Some(value)) => u32::try_from(value).ok().map(|v| v.to_le_bytes().to_vec()),
        ("b64" | "u64", Some(value)) => Some(value.to_le_bytes().to_vec()),
        ("b8" | "u8", None) => number!(u8),
        ("b16" | "u16", None) => number!(u16),
        ("b32" | "u32", None) => number!(u32),
        ("b64" | "u64", None) => number!(u64),
        ("s8" | "i8", _) => number!(i8),
        ("s16" | "i16", _) => number!(i16),
        ("s32" | "i32", _) => number!(i32),
        ("s64" | "i64", _) => number!(i64),
        ("f32", _) => number!(f32),
        ("f64", _) => number!(f64),
        _ => {
            return Err(format!(
                "`{kind}` is no kind: there are in, inout, out, zero, tex, surf, and the types u8 \
                 to u64, s8 to s64, b8 to b64, f32 and f64"
            ));
        }
    };
    bytes.ok_or_else(|| format!("`{text}` is not a {kind}"))
}
