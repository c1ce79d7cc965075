//! `mapping`: who executes which iterations of a parallel loop.
//!
//! An `affine.parallel` or `scf.parallel` whose iterations have been given to processors carries the
//! attribute `mapping`, an array in the manner of upstream's `gpu-map-parallel-loops`: one element for
//! each dimension, outermost first. Upstream's `#gpu.loop_dim_map<processor = thread_x, map = (d0) ->
//! (d0), bound = (d0) -> (d0)>` gives a dimension to one processor. `#offload.map` says more:
//!
//! ```text
//! #offload.map<block_y>                                  one iteration a block, in y
//! #offload.map<block_x * thread_x(128)>                  one a thread, blocks of 128
//! #offload.map<block_x(64) * thread_y(2) * thread_x(32), strided>
//! #offload.map<thread_x(?), strided>                     as many threads as the launch has
//! #offload.map<block_x * thread_x(128), strided, dims = 2>   two dimensions counted as one
//! #offload.map<sequential>                               all in each thread
//! ```
//!
//! Processors stand from the slowest to the fastest: a processor's number is that of its first axis,
//! times the size of the second, plus the number on the second, and so on. Without a word about how,
//! a dimension is *exact*: there are at least as many processors as iterations, and processor `p`
//! executes iteration `p` if there is one. `strided`: iterations `p`, `p + processors`, ...; `blocked`:
//! the `p`-th of equal runs of consecutive iterations.

use std::fmt;

use gpuc_ir::{Attr, AttrKind, Context, Ir, Op};

/// Name of the attribute.
pub const MAPPING_ATTR: &str = "mapping";

/// A direction in which the hardware counts processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// Blocks of the grid, `blockIdx.x`, y or z by the number.
    Block(u8),
    /// Threads of the block, `threadIdx.x`, y or z by the number.
    Thread(u8),
    /// Lanes of the warp.
    Lane,
}

const AXES: [(Axis, &str); 7] = [
    (Axis::Block(0), "block_x"),
    (Axis::Block(1), "block_y"),
    (Axis::Block(2), "block_z"),
    (Axis::Thread(0), "thread_x"),
    (Axis::Thread(1), "thread_y"),
    (Axis::Thread(2), "thread_z"),
    (Axis::Lane, "lane"),
];

impl Axis {
    /// Its name in texts, upstream's names of processors.
    pub fn name(self) -> &'static str {
        AXES.iter().find(|(axis, _)| *axis == self).map_or("lane", |(_, name)| name)
    }

    /// Its name in CUDA.
    pub fn index(self) -> &'static str {
        const BLOCK: [&str; 3] = ["blockIdx.x", "blockIdx.y", "blockIdx.z"];
        const THREAD: [&str; 3] = ["threadIdx.x", "threadIdx.y", "threadIdx.z"];
        match self {
            Axis::Block(d) => BLOCK[usize::from(d)],
            Axis::Thread(d) => THREAD[usize::from(d)],
            Axis::Lane => "laneId",
        }
    }

    /// The axis of a name.
    pub fn parse(name: &str) -> Option<Axis> {
        AXES.iter().find(|(_, known)| *known == name).map(|(axis, _)| *axis)
    }

    /// Whether it tells threads of a block apart.
    pub fn is_in_block(self) -> bool {
        !matches!(self, Axis::Block(_))
    }
}

/// How many processors an axis has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// As many as the iterations need; of blocks only.
    Free,
    /// So many.
    Constant(i64),
    /// What the launch says, known at run time only.
    Launch,
}

/// How iterations are dealt to processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// One each at most, in order.
    #[default]
    Exact,
    /// In turns.
    Strided,
    /// In equal runs of consecutive ones.
    Blocked,
}

/// Who executes the iterations of one dimension, or of several counted as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DimMap {
    /// The axes and their sizes, slowest first; none where each thread executes all iterations.
    pub axes: Vec<(Axis, Size)>,
    /// How they are dealt.
    pub how: Distribution,
    /// How many dimensions of the loop this is of, counted as one in row-major order; 1 at least.
    pub dims: usize,
}

impl DimMap {
    /// One dimension, in order.
    pub fn sequential() -> DimMap {
        DimMap { axes: Vec::new(), how: Distribution::Exact, dims: 1 }
    }

    /// One dimension over axes.
    pub fn over(axes: &[(Axis, Size)], how: Distribution) -> DimMap {
        DimMap { axes: axes.to_vec(), how, dims: 1 }
    }

    /// The product of the sizes of the thread axes, if all are known.
    pub fn threads(&self) -> Option<i64> {
        self.axes.iter().filter(|(axis, _)| axis.is_in_block()).try_fold(1i64, |product, (_, n)| {
            match n {
                Size::Constant(n) => product.checked_mul(*n),
                _ => None,
            }
        })
    }

    /// Whether blocks of the grid share it.
    pub fn is_over_blocks(&self) -> bool {
        self.axes.iter().any(|(axis, _)| !axis.is_in_block())
    }
}

impl fmt::Display for DimMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.axes.is_empty() {
            f.write_str("sequential")?;
        }
        for (i, (axis, size)) in self.axes.iter().enumerate() {
            f.write_str(if i > 0 { " * " } else { "" })?;
            f.write_str(axis.name())?;
            match size {
                Size::Free => {}
                Size::Constant(n) => write!(f, "({n})")?,
                Size::Launch => f.write_str("(?)")?,
            }
        }
        f.write_str(match self.how {
            Distribution::Exact => "",
            Distribution::Strided => ", strided",
            Distribution::Blocked => ", blocked",
        })?;
        if self.dims > 1 {
            write!(f, ", dims = {}", self.dims)?;
        }
        Ok(())
    }
}

/// Who executes the iterations of a parallel loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoopMapping(pub Vec<DimMap>);

impl LoopMapping {
    /// The mapping of a loop: `None` if it has none.
    ///
    /// # Errors
    /// What is wrong with the attribute.
    pub fn of(ir: &Ir, op: Op) -> Result<Option<LoopMapping>, String> {
        let Some(attr) = ir.attr(op, MAPPING_ATTR) else { return Ok(None) };
        let Some(elements) = ir.ctx.array_value(attr) else {
            return Err("'mapping' must be an array with an element for each dimension".to_owned());
        };
        let dims = elements.iter().map(|&element| dim_map(&ir.ctx, element));
        dims.collect::<Result<Vec<_>, String>>().map(|dims| Some(LoopMapping(dims)))
    }

    /// The mapping of a loop that has a valid one.
    pub fn known(ir: &Ir, op: Op) -> Option<LoopMapping> {
        LoopMapping::of(ir, op).ok().flatten()
    }

    /// The attribute.
    pub fn attr(&self, ctx: &mut Context) -> Attr {
        let elements: Vec<Attr> =
            self.0.iter().map(|dim| ctx.dialect_attr("offload", &format!("map<{dim}>"))).collect();
        ctx.array_attr(&elements)
    }

    /// All axes with their sizes.
    pub fn axes(&self) -> impl Iterator<Item = (Axis, Size)> + '_ {
        self.0.iter().flat_map(|dim| dim.axes.iter().copied())
    }

    /// Whether blocks of the grid share the loop.
    pub fn is_over_blocks(&self) -> bool {
        self.axes().any(|(axis, _)| !axis.is_in_block())
    }

    /// Whether threads of the block share the loop.
    pub fn is_over_threads(&self) -> bool {
        self.axes().any(|(axis, _)| axis.is_in_block())
    }
}

/// Whether a loop's mapping is made of upstream's `#gpu.loop_dim_map` alone. Upstream does not ask that its
/// processors differ.
pub fn is_upstream(ir: &Ir, op: Op) -> bool {
    let elements = ir.attr(op, MAPPING_ATTR).and_then(|attr| ir.ctx.array_value(attr));
    elements.is_some_and(|elements| {
        elements.iter().all(|&element| match ir.ctx.attr_kind(element) {
            &AttrKind::Dialect { dialect, .. } => ir.ctx.str(dialect) == "gpu",
            _ => false,
        })
    })
}

/// What an element of the array says.
fn dim_map(ctx: &Context, attr: Attr) -> Result<DimMap, String> {
    let text = match ctx.attr_kind(attr) {
        &AttrKind::Dialect { dialect, text } => Some((ctx.str(dialect), ctx.str(text))),
        _ => None,
    };
    let inside = |text: &'static str, whole: &str| -> Option<String> {
        Some(
            whole
                .trim()
                .strip_prefix(text)?
                .trim()
                .strip_prefix('<')?
                .strip_suffix('>')?
                .to_owned(),
        )
    };
    match text {
        Some(("offload", text)) => match inside("map", text) {
            Some(text) => parse_map(&text),
            None => Err(format!("'#offload.{text}' says nothing about a dimension")),
        },
        Some(("gpu", text)) => match inside("loop_dim_map", text) {
            Some(text) => parse_upstream(&text),
            None => Err(format!("'#gpu.{text}' says nothing about a dimension")),
        },
        _ => Err(format!(
            "'mapping' holds {}; it takes #offload.map and #gpu.loop_dim_map",
            ctx.attr_text(attr)
        )),
    }
}

/// The inside of `#offload.map<...>`.
fn parse_map(text: &str) -> Result<DimMap, String> {
    let mut parts = text.split(',').map(str::trim);
    let axes = parts.next().unwrap_or_default();
    let mut map = DimMap::sequential();
    if axes != "sequential" {
        for word in axes.split('*') {
            map.axes.push(parse_axis(word.trim())?);
        }
    }
    let mut said: Option<&str> = None;
    for part in parts {
        let how = match part {
            "strided" => Some(Distribution::Strided),
            "blocked" => Some(Distribution::Blocked),
            "exact" => Some(Distribution::Exact),
            _ => None,
        };
        if let Some(how) = how {
            if let Some(first) = said.replace(part) {
                return Err(format!("iterations are dealt in one way, not '{first}' and '{part}'"));
            }
            map.how = how;
            continue;
        }
        match part.split_once('=') {
            Some((name, count)) if name.trim() == "dims" => {
                let count = count.trim().parse().ok().filter(|&count| count > 0);
                map.dims = count.ok_or_else(|| format!("'{part}' is no number of dimensions"))?;
            }
            _ => {
                return Err(format!(
                    "'{part}' is no way to deal iterations; there are exact, strided, blocked and \
                     dims = N"
                ));
            }
        }
    }
    Ok(map)
}

/// `thread_x(128)`.
fn parse_axis(word: &str) -> Result<(Axis, Size), String> {
    let (name, size) = match word.split_once('(') {
        None => (word, None),
        Some((name, rest)) => {
            let size = rest.strip_suffix(')');
            (name.trim(), Some(size.ok_or_else(|| format!("'{word}' lacks a parenthesis"))?.trim()))
        }
    };
    let Some(axis) = Axis::parse(name) else {
        let names: Vec<&str> = AXES.iter().map(|(_, name)| *name).collect();
        return Err(format!(
            "'{name}' is no processor; there are {} and sequential",
            names.join(", ")
        ));
    };
    let size = match size {
        None if axis == Axis::Lane => Size::Constant(32),
        None => Size::Free,
        Some("?") => Size::Launch,
        Some(number) => match number.parse() {
            Ok(number) => Size::Constant(number),
            Err(_) => return Err(format!("'{number}' is no number of processors")),
        },
    };
    Ok((axis, size))
}

/// The inside of upstream's `#gpu.loop_dim_map<...>`: iteration and processor have one number.
fn parse_upstream(text: &str) -> Result<DimMap, String> {
    // Three parameters in any order; none of what stands behind `=` holds a comma.
    let mut processor = None;
    for part in text.split(',') {
        let part: String = part.chars().filter(|c| !c.is_whitespace()).collect();
        match part.split_once('=') {
            Some(("processor", name)) => processor = Some(name.to_owned()),
            Some(("map" | "bound", "(d0)->(d0)")) => {}
            Some(("map" | "bound", _)) => {
                return Err("'#gpu.loop_dim_map' is understood with identity maps only".to_owned());
            }
            _ => {
                return Err(format!(
                    "'#gpu.loop_dim_map<{text}>' has '{part}', which is none of its parameters"
                ));
            }
        }
    }
    let Some(name) = processor else {
        return Err(format!("'#gpu.loop_dim_map<{text}>' names no processor"));
    };
    match &*name {
        "sequential" => Ok(DimMap::sequential()),
        name => Ok(match parse_axis(name)? {
            // As many threads as iterations, one each.
            (axis, Size::Free) if axis.is_in_block() => {
                DimMap::over(&[(axis, Size::Launch)], Distribution::Exact)
            }
            axis => DimMap::over(&[axis], Distribution::Exact),
        }),
    }
}
