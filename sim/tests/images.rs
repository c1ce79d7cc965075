//! Textures and surfaces: sampling against values worked out here, queries, what is refused.

mod device;

use device::{Device, Params, module};
use gpuc_sim::{
    AddressMode, ChannelFormat, FaultKind, Filter, Image, ImageError, Launch, LaunchError, Texture,
};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A kernel over 64 threads: floats `%x %y %z` come from `pin`, four words go to `pout`.
fn text(globals: &str, body: &str) -> String {
    format!(
        "{HEAD}{globals}.visible .entry k(.param .u64 ph, .param .u64 pin, .param .u64 pout) {{\n\
         .reg .pred %p<3>; .reg .b16 %h<4>; .reg .b32 %t, %i, %j, %k, %l, %a, %b, %c, %d; .reg .f32 %x, %y, %z, %w; .reg .b64 %tex, %in, %out, %q<3>;\n\
         ld.param.u64 %tex, [ph]; ld.param.u64 %in, [pin]; ld.param.u64 %out, [pout]; mov.u32 %t, %tid.x;\n\
         mad.wide.u32 %in, %t, 12, %in; ld.global.f32 %x, [%in]; ld.global.f32 %y, [%in+4]; ld.global.f32 %z, [%in+8];\n\
         cvt.rmi.s32.f32 %i, %x; cvt.rmi.s32.f32 %j, %y; cvt.rmi.s32.f32 %k, %z; mov.u32 %a, 0; mov.u32 %b, 0; mov.u32 %c, 0; mov.u32 %d, 0;\n\
         {body}\n\
         mad.wide.u32 %out, %t, 16, %out; st.global.v4.u32 [%out], {{%a, %b, %c, %d}}; ret;\n}}\n"
    )
}

struct Bench {
    device: Device,
    places: Vec<[f32; 3]>,
}

impl Bench {
    fn new(places: &[[f32; 3]]) -> Bench {
        Bench { device: Device::new(), places: places.to_vec() }
    }

    fn run(&self, text: &str, handle: u64) -> Result<Vec<[u32; 4]>, LaunchError> {
        let flat: Vec<f32> = self.places.iter().flatten().copied().collect();
        let input = self.device.floats("places", &flat);
        let out = self.device.words("out", &vec![0; self.places.len() * 4]);
        let params = Params::default().ptr(handle).ptr(input).ptr(out);
        let launch = Launch {
            block: [self.places.len() as u32, 1, 1],
            params: &params.0,
            ..Launch::default()
        };
        self.device.0.launch(&module(text), "k", &launch)?;
        let words = self.device.read_words(out, self.places.len() * 4);
        Ok(words.chunks(4).map(|four| four.try_into().unwrap()).collect())
    }

    fn floats(&self, body: &str, texture: Texture) -> Vec<f32> {
        let handle = self.device.0.create_texture(texture).unwrap();
        let rows = self.run(&text("", body), handle).unwrap();
        rows.into_iter().map(|row| f32::from_bits(row[0])).collect()
    }
}

/// The texel at x, y, z of the test image.
fn value(x: i64, y: i64, z: i64) -> f32 {
    (x * 7 + y * 31 + z * 131 + 3) as f32
}

const EXTENT: [u32; 3] = [8, 5, 3];

fn image(device: &Device) -> Image {
    let [w, h, d] = EXTENT.map(i64::from);
    // Rows with a gap behind them.
    let mut texels = Vec::new();
    for row in 0..h * d {
        texels.extend((0..w).map(|x| value(x, row % h, row / h)));
        texels.extend([-1.0; 4]);
    }
    let pointer = device.floats("image", &texels);
    Image { pitch: 48, ..Image::packed(pointer, ChannelFormat::F32, 1, EXTENT) }
}

fn places() -> Vec<[f32; 3]> {
    let step = |i: i32| ((i * 37 % 101) as f32 - 20.0) / 7.0;
    (0..64).map(|i| [step(i), step(i + 11), step(i + 29)]).collect()
}

/// An index by a mode, in a loop of steps instead of a formula.
fn index(mode: AddressMode, normalized: bool, mut i: i64, n: i64) -> Option<i64> {
    match mode {
        AddressMode::Border => (0..n).contains(&i).then_some(i),
        AddressMode::Wrap if normalized => {
            while i < 0 {
                i += n;
            }
            while i >= n {
                i -= n;
            }
            Some(i)
        }
        AddressMode::Mirror if normalized => {
            while !(0..n).contains(&i) {
                i = if i < 0 { -1 - i } else { 2 * n - 1 - i };
            }
            Some(i)
        }
        _ => Some(i.max(0).min(n - 1)),
    }
}

#[test]
fn texels_and_what_lies_between_them() {
    use AddressMode::*;
    let bench = Bench::new(&places());
    let all = "tex.3d.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%x, %y, %z, %z}]; mov.b32 %a, %x;";
    for mode in [Wrap, Clamp, Mirror, Border] {
        for normalized in [false, true] {
            for filter in [Filter::Nearest, Filter::Linear] {
                let texture = Texture {
                    address: [mode; 3],
                    filter,
                    normalized_coordinates: normalized,
                    border: [0.5, 0.0, 0.0, 0.0],
                    ..Texture::of(image(&bench.device))
                };
                let got = bench.floats(all, texture);
                for (place, got) in bench.places.iter().zip(got) {
                    let mut want = 0.0f64;
                    let scaled: Vec<f64> = (0..3)
                        .map(|a| {
                            f64::from(place[a])
                                * if normalized { f64::from(EXTENT[a]) } else { 1.0 }
                        })
                        .collect();
                    for corner in 0..8 {
                        let mut weight = 1.0;
                        let mut at = [Some(0i64); 3];
                        for a in 0..3 {
                            let side = corner >> a & 1;
                            let from =
                                if filter == Filter::Linear { scaled[a] - 0.5 } else { scaled[a] };
                            let fraction =
                                if filter == Filter::Linear { from - from.floor() } else { 0.0 };
                            weight *= if side == 1 { fraction } else { 1.0 - fraction };
                            at[a] = index(
                                mode,
                                normalized,
                                from.floor() as i64 + side,
                                EXTENT[a].into(),
                            );
                        }
                        if weight != 0.0 {
                            let texel = match at {
                                [Some(x), Some(y), Some(z)] => value(x, y, z),
                                _ => 0.5,
                            };
                            want += weight * f64::from(texel);
                        }
                    }
                    // Weights have 8 bits: an error of 1/512 along each axis, of differences of 7 n + 31 m + 131 k.
                    let slack = if filter == Filter::Linear { 3.0 * 450.0 / 512.0 } else { 1e-3 };
                    assert!(
                        (f64::from(got) - want).abs() <= slack,
                        "{mode:?} {normalized} {filter:?} at {place:?}: {got}, not {want}"
                    );
                }
            }
        }
    }
}

#[test]
fn integers_address_texels_and_layers() {
    let bench = Bench::new(&places());
    let clamp = |i: f32, n: i64| (i.floor() as i64).clamp(0, n - 1);
    let source = image(&bench.device);
    let layered = Image { extent: [8, 5, 1], layers: 3, ..source };
    let tall = Image { extent: [8, 1, 1], layers: 15, ..source };
    for (body, image, layers) in [
        ("tex.2d.v4.f32.s32 {%a, %b, %c, %d}, [%tex, {%i, %j}];", source, 0),
        ("tex.2d.v4.u32.s32 {%a, %b, %c, %d}, [%tex, {%i, %j}];", source, 0),
        ("tex.1d.v4.f32.s32 {%a, %b, %c, %d}, [%tex, {%i}];", source, -1),
        (
            "min.u32 %k, %k, 2; tex.a2d.v4.f32.f32 {%a, %b, %c, %d}, [%tex, {%k, %x, %y, %y}];",
            layered,
            2,
        ),
        ("tex.a1d.v4.f32.s32 {%a, %b, %c, %d}, [%tex, {%k, %i}];", tall, 1),
    ] {
        let texture = Texture::of(image);
        let body = body.replace("v4.f32", "v4.u32");
        let handle = bench.device.0.create_texture(texture).unwrap();
        let got = bench.run(&text("", &body), handle).unwrap();
        for (place, got) in bench.places.iter().zip(got) {
            let [x, y, z] = *place;
            let layer = |n: u32| u64::from(z.floor() as i32 as u32).min(u64::from(n)) as i64;
            let want = match layers {
                0 => value(clamp(x, 8), clamp(y, 5), 0),
                2 => value(clamp(x, 8), clamp(y, 5), layer(2)),
                1 => value(clamp(x, 8), layer(14) % 5, layer(14) / 5),
                _ => value(clamp(x, 8), 0, 0),
            };
            assert_eq!(f32::from_bits(got[0]), want, "{body} at {place:?}");
            assert_eq!(got[3], 1.0f32.to_bits());
        }
    }
}

#[test]
fn bytes_are_read_as_numbers_or_as_they_are() {
    let bench = Bench::new(&[[0.5, 0.5, 0.0], [1.5, 0.5, 0.0], [1.0, 0.5, 0.0]]);
    let pointer = bench.device.bytes("bytes", &[0, 51, 255, 102, 128, 204, 1, 127]);
    let body = "tex.2d.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%x, %y}]; mov.b32 %a, %x; mov.b32 %b, %y; mov.b32 %c, %z; mov.b32 %d, %w;";
    let run = |format, normalized_values, filter, body: &str| {
        let image = Image::packed(pointer, format, 4, [2, 1, 1]);
        let texture = Texture { normalized_values, filter, ..Texture::of(image) };
        let handle = bench.device.0.create_texture(texture).unwrap();
        bench.run(&text("", body), handle).unwrap()
    };
    let got = run(ChannelFormat::U8, true, Filter::Linear, body);
    let floats = |row: [u32; 4]| row.map(f32::from_bits);
    let numbers = |bytes: [u8; 4]| bytes.map(|b| f32::from(b) / 255.0);
    assert_eq!(floats(got[0]), numbers([0, 51, 255, 102]));
    assert_eq!(floats(got[1]), numbers([128, 204, 1, 127]));
    let middle = floats(got[2]);
    let (a, b) = (numbers([0, 51, 255, 102]), numbers([128, 204, 1, 127]));
    assert!((0..4).all(|i| (middle[i] - (a[i] + b[i]) / 2.0).abs() < 1e-6), "{middle:?}");
    let got = run(ChannelFormat::S8, true, Filter::Nearest, body);
    assert_eq!(floats(got[1]), [-1.0, -52.0 / 127.0, 1.0 / 127.0, 1.0]);
    let raw = "tex.2d.v4.s32.f32 {%a, %b, %c, %d}, [%tex, {%x, %y}];";
    assert_eq!(
        run(ChannelFormat::S8, false, Filter::Nearest, raw)[1].map(|v| v as i32),
        [-128, -52, 1, 127]
    );
    assert_eq!(run(ChannelFormat::U8, false, Filter::Nearest, raw)[1], [128, 204, 1, 127]);
    let halves = bench.device.bytes("halves", &[0x00, 0x3c, 0x00, 0xc0]);
    let image = Image::packed(halves, ChannelFormat::F16, 1, [2, 1, 1]);
    assert_eq!(
        bench.floats(
            "tex.2d.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%x, %y}]; mov.b32 %a, %x;",
            Texture::of(image)
        ),
        [1.0, -2.0, -2.0]
    );
}

#[test]
fn faces_of_a_cube() {
    // Every face has its number as its texels.
    let directions = [
        [1.0, 0.2, -0.3],
        [-1.0, 0.2, 0.3],
        [0.1, 2.0, 0.3],
        [0.1, -2.0, 0.3],
        [0.2, 0.3, 0.5],
        [0.2, 0.3, -0.5],
    ];
    let bench = Bench::new(&directions);
    let texels: Vec<f32> =
        (0..12).flat_map(|face| (0..4).map(move |i| (face * 10 + i) as f32)).collect();
    let pointer = bench.device.floats("faces", &texels);
    let image = Image { layers: 12, ..Image::packed(pointer, ChannelFormat::F32, 1, [2, 2, 1]) };
    let texture = Texture { normalized_coordinates: true, ..Texture::of(image) };
    let got = bench.floats(
        "tex.cube.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%x, %y, %z, %z}]; mov.b32 %a, %x;",
        texture.clone(),
    );
    // s and t of each direction, by the guide's table: which half of the face each lies in.
    let want = [10.0 * 0.0 + 1.0, 11.0, 23.0, 31.0 - 1.0 + 1.0, 41.0, 50.0];
    assert_eq!(got, want);
    let got = bench.floats("mov.u32 %l, 1; tex.acube.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%l, %x, %y, %z}]; mov.b32 %a, %x;", texture);
    assert_eq!(got, want.map(|face| face + 60.0));
}

#[test]
fn levels_gathers_and_questions() {
    let bench = Bench::new(&[[0.5, 0.5, 0.0]; 3]);
    let flat = |n: f32, size: u32| {
        let pointer = bench.device.floats("level", &vec![n; (size * size) as usize]);
        Image::packed(pointer, ChannelFormat::F32, 1, [size, size, 1])
    };
    let texture = Texture {
        levels: vec![flat(10.0, 8), flat(20.0, 4), flat(30.0, 2)],
        normalized_coordinates: true,
        level_filter: Filter::Linear,
        ..Texture::of(flat(10.0, 8))
    };
    let level = |level: &str, texture: &Texture| {
        let body = format!(
            "mov.f32 %w, {level}; tex.level.2d.v4.f32.f32 {{%x, %y, %z, %w}}, [%tex, {{%x, %y}}], %w; mov.b32 %a, %x;"
        );
        bench.floats(&body, texture.clone())[0]
    };
    assert_eq!(
        [level("0.0", &texture), level("0.25", &texture), level("7.0", &texture)],
        [10.0, 12.5, 30.0]
    );
    let nearest = Texture { level_filter: Filter::Nearest, ..texture.clone() };
    assert_eq!([level("0.25", &nearest), level("0.75", &nearest)], [10.0, 20.0]);
    // A step of a quarter of the image is two texels of the first level.
    let gradient = "mov.f32 %w, 0.25; mov.f32 %z, 0.0; tex.grad.2d.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%x, %y}], {%w, %z}, {%z, %w}; mov.b32 %a, %x;";
    assert_eq!(bench.floats(gradient, texture.clone())[0], 20.0);
    let ask = |query: &str, handle: u64| {
        bench.run(&text("", &format!("{query} %a, [%tex];")), handle).unwrap()[0][0]
    };
    let handle = bench.device.0.create_texture(texture).unwrap();
    for (query, want) in [
        ("width", 8),
        ("height", 8),
        ("depth", 1),
        ("channel_data_type", 0x10de),
        ("channel_order", 0x10b0),
        ("normalized_coords", 1),
        ("num_mipmap_levels", 3),
        ("filter_mode", 0),
    ] {
        assert_eq!(ask(&format!("txq.{query}.b32"), handle), want, "{query}");
    }
    assert_eq!(
        bench.run(&text("", "txq.level.width.b32 %a, [%tex], 1;"), handle).unwrap()[0][0],
        4
    );
    let is = "istypep.texref %p0, %tex; selp.u32 %a, 1, 0, %p0; istypep.surfref %p1, %tex; selp.u32 %b, 1, 0, %p1; tex.2d.v4.f32.f32 {%x, %y, %z, %w}|%p2, [%tex, {%x, %y}]; selp.u32 %c, 1, 0, %p2;";
    assert_eq!(bench.run(&text("", is), handle).unwrap()[0], [1, 0, 1, 0]);
    // The four texels round (2, 2) of the image: lower left first, against the clock.
    let bench = Bench::new(&[[2.0, 2.0, 0.0]]);
    let handle = bench.device.0.create_texture(Texture::of(image(&bench.device))).unwrap();
    let got = bench
        .run(
            &text("", "tld4.r.2d.v4.f32.f32 {%a, %b, %c, %d}, [%tex, {%x, %y}];")
                .replace("v4.f32.f32 {%a", "v4.u32.f32 {%a"),
            handle,
        )
        .unwrap();
    assert_eq!(
        got[0].map(f32::from_bits),
        [value(1, 2, 0), value(2, 2, 0), value(2, 1, 0), value(1, 1, 0)]
    );
    let got = bench.run(&text("", "mov.u32 %i, 1; mov.u32 %j, -1; tex.2d.v4.u32.f32 {%a, %b, %c, %d}, [%tex, {%x, %y}], {%i, %j};"), handle).unwrap();
    assert_eq!(f32::from_bits(got[0][0]), value(3, 1, 0));
}

#[test]
fn surfaces_are_read_written_and_updated() {
    let inside: Vec<[f32; 3]> = (0..40).map(|i| [(i % 8) as f32, (i / 8) as f32, 0.0]).collect();
    let bench = Bench::new(&inside);
    let source = image(&bench.device);
    let surface = bench.device.0.create_surface(source).unwrap();
    let body = "shl.b32 %l, %i, 2; suld.b.2d.b32.trap %a, [%tex, {%l, %j}]; add.u32 %b, %a, 1; sust.b.2d.b32.trap [%tex, {%l, %j}], %b; suld.b.2d.b32.trap %c, [%tex, {%l, %j}];";
    for (place, got) in inside.iter().zip(bench.run(&text("", body), surface).unwrap()) {
        let bits = value(place[0] as i64, place[1] as i64, 0).to_bits();
        assert_eq!(got, [bits, bits + 1, bits + 1, 0]);
    }
    // Vectors, three axes, and what lies outside.
    let vector = "shl.b32 %l, %i, 2; and.b32 %l, %l, 16; suld.b.3d.v4.b32.zero {%a, %b, %c, %d}, [%tex, {%l, %j, 2, 2}];";
    let got = bench.run(&text("", vector), surface).unwrap();
    assert_eq!(got[13].map(f32::from_bits), [4, 5, 6, 7].map(|x| value(x, 1, 2)));
    let outside = "shl.b32 %l, %i, 2; sub.u32 %l, %l, 4; suld.b.2d.b32.MODE %a, [%tex, {%l, %j}]; sust.b.2d.b32.MODE [%tex, {%l, -1}], %a;";
    let zero = bench.run(&text("", &outside.replace("MODE", "zero")), surface).unwrap();
    assert_eq!(zero[0][0], 0);
    let clamped = bench
        .run(&text("", &outside.replace("MODE", "clamp").replace("-1}", "0}")), surface)
        .unwrap();
    assert_ne!(clamped[0][0], 0);
    let Err(LaunchError::Fault(fault)) =
        bench.run(&text("", &outside.replace("MODE", "trap")), surface)
    else {
        panic!()
    };
    assert_eq!((fault.kind, fault.thread), (FaultKind::Image, [0, 0, 0]));
    assert!(fault.detail.contains("lies outside the surface"), "{fault}");
    // Formatted stores and reductions of bytes, on a surface of bytes.
    let bytes = bench.device.bytes("bytes", &[200; 32]);
    let small = bench
        .device
        .0
        .create_surface(Image::packed(bytes, ChannelFormat::U8, 4, [8, 1, 1]))
        .unwrap();
    bench.run(&text("", "setp.ne.u32 %p0, %j, 0; @%p0 bra DONE; mov.u32 %a, 0x1ff; sust.p.1d.v4.b32.trap [%tex, {%i}], {%i, %a, %t, %a}; DONE:"), small).unwrap();
    let words = bench.device.read_words(bytes, 8);
    assert!(
        words.iter().enumerate().all(|(i, &w)| w == 0xff00_ff00 | i as u32 | (i as u32) << 16),
        "{words:x?}"
    );
    let sums = bench.device.words("sums", &[5, 0]);
    let surface = bench
        .device
        .0
        .create_surface(Image::packed(sums, ChannelFormat::U32, 1, [2, 1, 1]))
        .unwrap();
    bench.run(&text("", "and.b32 %l, %t, 1; shl.b32 %l, %l, 2; sured.b.add.1d.u32.trap [%tex, {%l}], %t; suq.width.b32 %a, [%tex]; sured.p.max.1d.u32.trap [%tex, {0}], 3;"), surface).unwrap();
    assert_eq!(
        bench.device.read_words(sums, 2),
        [5 + (0..40).step_by(2).sum::<u32>(), (1..40).step_by(2).sum()]
    );
}

#[test]
fn variables_are_bound_by_name() {
    let bench = Bench::new(&[[1.0, 2.0, 0.0]]);
    let body = "tex.2d.v4.u32.f32 {%a, %b, %c, %d}, [picture, {%x, %y}]; mov.u64 %q0, picture; tex.2d.v4.u32.f32 {%b, %c, %d, %t}, [%q0, {%x, %y}]; mov.u32 %t, 0;";
    let module = module(&text(".global .texref picture;\n", body));
    let input = bench.device.floats("places", &[1.0, 2.0, 0.0]);
    let out = bench.device.words("out", &[0; 4]);
    let params = Params::default().ptr(0).ptr(input).ptr(out);
    let launch = Launch { params: &params.0, ..Launch::default() };
    let refused = bench.device.0.launch(&module, "k", &launch).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "kernel `k` reads or writes `picture`, to which no texture or surface is bound"
    );
    let handle = bench.device.0.create_texture(Texture::of(image(&bench.device))).unwrap();
    assert_eq!(
        bench.device.0.bind_image(&module, "painting", handle),
        Err(ImageError::NoVariable("painting".into()))
    );
    bench.device.0.bind_image(&module, "picture", handle).unwrap();
    bench.device.0.launch(&module, "k", &launch).unwrap();
    let want = value(1, 2, 0).to_bits();
    assert_eq!(bench.device.read_words(out, 2), [want, want]);
}

#[test]
fn what_cannot_be_is_refused() {
    let bench = Bench::new(&[[0.0; 3]]);
    let tex = text("", "tex.2d.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%x, %y}];");
    let Err(LaunchError::Fault(fault)) = bench.run(&tex, 7) else { panic!() };
    assert_eq!(fault.kind, FaultKind::Image);
    assert!(fault.detail.contains("0x7 is no handle of a texture or surface"), "{fault}");
    let good = image(&bench.device);
    let surface = bench.device.0.create_surface(good).unwrap();
    let Err(LaunchError::Fault(fault)) = bench.run(&tex, surface) else { panic!() };
    assert!(fault.detail.contains("the handle is not that of a texture"), "{fault}");
    bench.device.0.destroy_image(surface).unwrap();
    assert_eq!(bench.device.0.destroy_image(surface), Err(ImageError::Unknown(surface)));
    let texture = |image| bench.device.0.create_texture(Texture::of(image));
    for bad in [
        Image { channels: 3, ..good },
        Image { extent: [0, 1, 1], ..good },
        Image { extent: [8, 1 << 28, 1], ..good },
        Image { pitch: 8, ..good },
        Image { layers: 0, ..good },
        Image { layers: u32::MAX, extent: [8, 1 << 27, 1 << 27], ..good },
        Image { layers: 2, ..good },
        Image { pointer: good.pointer + 512, ..good },
        Image { pointer: 64, ..good },
    ] {
        assert!(texture(bad).is_err(), "{bad:?}");
    }
    let linear = Texture {
        filter: Filter::Linear,
        ..Texture::of(Image { format: ChannelFormat::S32, ..good })
    };
    assert!(bench.device.0.create_texture(linear).is_err());
    assert!(
        bench.device.0.create_texture(Texture { levels: Vec::new(), ..Texture::of(good) }).is_err()
    );
    // Memory that was freed since.
    let pointer = bench.device.floats("gone", &[1.0; 64]);
    let gone = texture(Image::packed(pointer, ChannelFormat::F32, 1, [8, 8, 1])).unwrap();
    bench.device.0.free(pointer).unwrap();
    let Err(LaunchError::Fault(fault)) = bench.run(&tex, gone) else { panic!() };
    assert!(matches!(fault.kind, FaultKind::OutOfBounds(_)), "{fault}");
    for (body, want) in [
        (
            "tex.2d.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%x}];",
            "2 coordinates are needed here, found 1",
        ),
        (
            "tex.2d.v4.f32.f32 {%x, %y, %z}, [%tex, {%x, %y}];",
            "4 registers are needed here, found 3",
        ),
        (
            "tex.2d.v4.f32.f32 {%x, %y, %z, %w}, [%tex, %in, {%x, %y}];",
            "a sampler apart from its texture is not supported",
        ),
        (
            "tex.2d.v4.f32.f32 {%x, %y, %z, %w}, [%tex, {%x, %y}], %w;",
            "comparisons of depth are not supported",
        ),
        (
            "tex.2d.v4.f32.f32 {%x, %y, %z, %w}, [nowhere, {%x, %y}];",
            "`nowhere` is not a texture, surface or register",
        ),
    ] {
        let error = bench.run(&text("", body), 0).unwrap_err().to_string();
        assert!(error.contains(want), "{error}");
    }
}
