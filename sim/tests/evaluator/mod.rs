//! Random kernels and a slow evaluator of their own, independent of the simulator.
//!
//! A [`Kernel`] is made from bytes, so that a fuzzer and a test with a generator of numbers share it.
//! It is printed as PTX and evaluated thread by thread: integers in 128 bits, floats by the host's
//! arithmetic, one statement at a time.

mod operations;

use std::fmt::Write as _;

use operations::{OPERATIONS, Operation};

/// Registers of each class that a kernel computes with.
const REGISTERS: u64 = 4;
/// Words of a thread's own place in each memory.
const WORDS: usize = 16;
/// Words of each thread in the result: registers, then its places in global, local and shared memory.
pub const RESULT: usize = 4 * REGISTERS as usize * 2 + 3 * WORDS;

/// Decisions, from bytes; zeros when there are no more.
pub struct Source<'a>(pub &'a [u8]);

impl Source<'_> {
    fn below(&mut self, n: u64) -> u64 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        u64::from(first) % n
    }

    fn word(&mut self) -> u64 {
        // Numbers at the edges of types as often as others.
        let edge =
            [0, 1, 2, 31, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 63, u64::MAX, 0x3f80_0000];
        match self.below(20) {
            n @ 0..10 => edge[n as usize],
            _ => (0..8).fold(0, |word, _| word << 8 | self.below(256)),
        }
    }
}

/// A register: class and number.
#[derive(Clone, Copy, Debug)]
struct Register(char, u64);

impl Register {
    fn text(self) -> String {
        format!("%{}{}", self.0, self.1)
    }
}

/// Which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Global,
    Local,
    Shared,
}

#[derive(Debug)]
enum Statement {
    /// An operation: its number, destination, sources, guard and whether that is negated.
    Compute(usize, Register, Vec<Register>, Option<(u64, bool)>),
    Constant(Register, u64),
    /// A load or store of some bytes of the own place, at an index from a register.
    Access {
        store: bool,
        memory: Memory,
        bytes: usize,
        register: Register,
        index: Register,
    },
    /// An atomic on a word of the own place, by its number in [`ATOMICS`].
    Atomic {
        op: usize,
        memory: Memory,
        register: Register,
        value: Register,
        index: Register,
    },
    If {
        predicate: u64,
        then: Vec<Statement>,
        other: Vec<Statement>,
    },
    /// As many rounds as two bits of a register say and one more, left early where a predicate holds.
    Loop {
        depth: usize,
        count: Register,
        leave: Option<u64>,
        body: Vec<Statement>,
    },
    /// Warp-wide, by its number in [`COLLECTIVES`].
    Collective {
        op: usize,
        register: Register,
        value: Register,
        by: u64,
        predicate: u64,
    },
    /// Words change places in the block.
    Exchange {
        register: Register,
        value: Register,
        by: u64,
    },
}

const ATOMICS: [&str; 9] = [
    "add.u32", "min.s32", "max.u32", "exch.b32", "and.b32", "or.b32", "xor.b32", "inc.u32",
    "dec.u32",
];
const COLLECTIVES: [&str; 10] = [
    "shfl.sync.idx.b32 R, V, B, 31, -1",
    "shfl.sync.bfly.b32 R, V, B, 31, -1",
    "shfl.sync.up.b32 R, V, B, 0, -1",
    "shfl.sync.down.b32 R, V, B, 31, -1",
    "vote.sync.ballot.b32 R, P, -1",
    "redux.sync.add.u32 R, V, -1",
    "redux.sync.min.s32 R, V, -1",
    "redux.sync.xor.b32 R, V, -1",
    "match.any.sync.b32 R, V, -1",
    "shfl.sync.idx.b32 R, V, B, 6175, -1",
];

/// A kernel over blocks of `threads` threads, whole warps.
#[derive(Debug)]
pub struct Kernel {
    body: Vec<Statement>,
    pub threads: usize,
}

impl Kernel {
    pub fn generate(source: &mut Source<'_>) -> Kernel {
        let threads = 32 * (1 + source.below(3)) as usize;
        let count = 4 + source.below(28);
        let body = (0..count).map(|_| statement(source, 0)).collect();
        Kernel { body, threads }
    }

    pub fn ptx(&self) -> String {
        let mut out = String::from(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\
             .reg .pred %p<5>, %q<3>; .reg .b32 %r<4>, %t, %u, %v, %c<4>; .reg .b64 %d<4>, %a, %b, %own, %out; .reg .f32 %f<4>, %w; .reg .f64 %g<4>, %x;\n",
        );
        let bytes = WORDS * 4;
        let _ = writeln!(
            out,
            ".shared .align 16 .b8 places[{}]; .shared .align 16 .b8 swap[{}]; .local .align 16 .b8 mine[{bytes}];\n\
             ld.param.u64 %out, [p]; mov.u32 %t, %tid.x; mov.u32 %u, %ctaid.x; mov.u32 %v, %ntid.x; mad.lo.u32 %u, %u, %v, %t; mad.wide.u32 %out, %u, {}, %out; add.u64 %own, %out, {};",
            bytes * self.threads,
            4 * self.threads,
            RESULT * 4,
            (RESULT - 3 * WORDS) * 4,
        );
        for i in 0..REGISTERS {
            let _ = writeln!(
                out,
                "mad.lo.u32 %r{i}, %u, {}, {i}; mul.wide.u32 %d{i}, %r{i}, {}; cvt.rn.f32.u32 %f{i}, %r{i}; cvt.rn.f64.s32 %g{i}, %r{i}; setp.lt.u32 %p{i}, %t, {};",
                seed(i),
                seed(i + 7),
                5 + 9 * i
            );
        }
        for i in 0..WORDS {
            let _ = writeln!(
                out,
                "add.u32 %v, %u, {i}; st.local.u32 [mine+{}], %v; mul.wide.u32 %a, %t, {bytes}; mov.u64 %b, places; add.u64 %a, %a, %b; st.shared.u32 [%a+{}], %v;",
                4 * i,
                4 * i
            );
        }
        let mut labels = 0;
        self.body.iter().for_each(|statement| print(statement, &mut out, &mut labels));
        // Not-a-numbers are all one in the result.
        for i in 0..REGISTERS {
            let _ = writeln!(
                out,
                "st.global.u64 [%out+{}], %d{i}; cvt.u64.u32 %a, %r{i}; st.global.u64 [%out+{}], %a;",
                8 * i,
                32 + 8 * i
            );
            let _ = writeln!(
                out,
                "setp.nan.f32 %q0, %f{i}, %f{i}; selp.f32 %w, 0f7FC00000, %f{i}, %q0; mov.b32 %v, %w; cvt.u64.u32 %a, %v; st.global.u64 [%out+{}], %a;",
                64 + 8 * i
            );
            let _ = writeln!(
                out,
                "setp.nan.f64 %q0, %g{i}, %g{i}; selp.f64 %x, 0d7FF8000000000000, %g{i}, %q0; st.global.f64 [%out+{}], %x;",
                96 + 8 * i
            );
        }
        for i in 0..WORDS {
            let at = (RESULT - 2 * WORDS + i) * 4;
            let _ = writeln!(
                out,
                "ld.local.u32 %v, [mine+{}]; st.global.u32 [%out+{at}], %v; mul.wide.u32 %a, %t, {bytes}; mov.u64 %b, places; add.u64 %a, %a, %b; ld.shared.u32 %v, [%a+{}]; st.global.u32 [%out+{}], %v;",
                4 * i,
                4 * i,
                at + 4 * WORDS
            );
        }
        out + "ret;\n}\n"
    }

    /// The result of every thread of a grid of so many blocks.
    pub fn evaluate(&self, blocks: usize) -> Vec<u32> {
        let mut out = Vec::new();
        for block in 0..blocks {
            let mut threads: Vec<Thread> =
                (0..self.threads).map(|t| Thread::new(block * self.threads + t, t)).collect();
            for statement in &self.body {
                match statement {
                    Statement::Collective { op, register, value, by, predicate } => {
                        for warp in threads.chunks_mut(32) {
                            collective(warp, *op, (*register, *value), *by, *predicate);
                        }
                    }
                    Statement::Exchange { register, value, by } => {
                        let words: Vec<u64> = threads.iter().map(|t| t.get(*value)).collect();
                        for (t, thread) in threads.iter_mut().enumerate() {
                            thread.set(*register, words[(t + *by as usize) % words.len()]);
                        }
                    }
                    other => threads.iter_mut().for_each(|thread| thread.run(other)),
                }
            }
            threads.iter().for_each(|thread| thread.leave(&mut out));
        }
        out
    }
}

fn seed(i: u64) -> u64 {
    (i + 1).wrapping_mul(0x9e37_79b9) & 0x7fff_ffff
}

fn register(source: &mut Source<'_>, class: char) -> Register {
    Register(class, source.below(REGISTERS))
}

fn statement(source: &mut Source<'_>, depth: usize) -> Statement {
    let list = |source: &mut Source<'_>| {
        let count = 1 + source.below(4);
        (0..count).map(|_| statement(source, depth + 1)).collect::<Vec<_>>()
    };
    let memory = |source: &mut Source<'_>| {
        [Memory::Global, Memory::Local, Memory::Shared][source.below(3) as usize]
    };
    match source.below(16) {
        0 => {
            let class = ['r', 'd', 'f', 'g'][source.below(4) as usize];
            Statement::Constant(register(source, class), source.word())
        }
        1 | 2 => {
            let bytes = [1, 2, 4, 8][source.below(4) as usize];
            Statement::Access {
                store: source.below(2) == 0,
                memory: memory(source),
                bytes,
                register: register(source, if bytes == 8 { 'd' } else { 'r' }),
                index: register(source, 'r'),
            }
        }
        3 => Statement::Atomic {
            op: source.below(ATOMICS.len() as u64) as usize,
            memory: [Memory::Global, Memory::Shared][source.below(2) as usize],
            register: register(source, 'r'),
            value: register(source, 'r'),
            index: register(source, 'r'),
        },
        4 | 5 if depth < 3 => Statement::If {
            predicate: source.below(REGISTERS),
            then: list(source),
            other: if source.below(2) == 0 { Vec::new() } else { list(source) },
        },
        6 if depth < 3 => Statement::Loop {
            depth,
            count: register(source, 'r'),
            leave: if source.below(2) == 0 { None } else { Some(source.below(REGISTERS)) },
            body: list(source),
        },
        7 if depth == 0 => Statement::Collective {
            op: source.below(COLLECTIVES.len() as u64) as usize,
            register: register(source, 'r'),
            value: register(source, 'r'),
            by: source.below(32),
            predicate: source.below(REGISTERS),
        },
        8 if depth == 0 => Statement::Exchange {
            register: register(source, 'r'),
            value: register(source, 'r'),
            by: source.below(96),
        },
        _ => {
            let op =
                (source.below(256) as usize * 256 + source.below(256) as usize) % OPERATIONS.len();
            let (_, to, from, _) = OPERATIONS[op];
            let guard = match source.below(4) {
                0 => Some((source.below(REGISTERS), source.below(2) == 0)),
                _ => None,
            };
            let from = from.chars().map(|class| register(source, class)).collect();
            Statement::Compute(op, register(source, to), from, guard)
        }
    }
}

/// The text of an operation: `$0` is the destination.
fn filled((text, ..): Operation, to: Register, from: &[Register]) -> String {
    let mut out = text.replace("$0", &to.text());
    for (i, register) in from.iter().enumerate() {
        out = out.replace(&format!("${}", i + 1), &register.text());
    }
    out
}

/// Instructions that put the address of an element of the own place to `%a`.
fn address(memory: Memory, bytes: usize, index: Register) -> String {
    let inside = WORDS * 4 / bytes - 1;
    let base = match memory {
        Memory::Global => "mov.u64 %b, %own;".to_string(),
        Memory::Local => "mov.u64 %b, mine;".to_string(),
        Memory::Shared => {
            format!("mov.u64 %b, places; mul.wide.u32 %a, %t, {}; add.u64 %b, %b, %a;", WORDS * 4)
        }
    };
    format!(
        "{base} and.b32 %v, {}, {inside}; mul.wide.u32 %a, %v, {bytes}; add.u64 %a, %a, %b;",
        index.text()
    )
}

fn space(memory: Memory) -> &'static str {
    match memory {
        Memory::Global => "global",
        Memory::Local => "local",
        Memory::Shared => "shared",
    }
}

fn print(statement: &Statement, out: &mut String, labels: &mut u32) {
    let _ = match statement {
        Statement::Compute(op, to, from, guard) => {
            let text = filled(OPERATIONS[*op], *to, from);
            let guard = match guard {
                Some((p, true)) => format!("@!%p{p} "),
                Some((p, false)) => format!("@%p{p} "),
                None => String::new(),
            };
            // Only the last instruction writes what is seen later.
            let (before, last) = text.rsplit_once("; ").map_or(("", &*text), |(a, b)| (a, b));
            let before = if before.is_empty() { String::new() } else { format!("{before}; ") };
            writeln!(out, "{before}{guard}{last};")
        }
        Statement::Constant(register, value) => match register.0 {
            'r' => writeln!(out, "mov.u32 {}, {};", register.text(), *value as u32),
            'd' => writeln!(out, "mov.b64 {}, 0x{value:x};", register.text()),
            'f' => writeln!(out, "mov.b32 {}, 0x{:x};", register.text(), *value as u32),
            _ => writeln!(out, "mov.b64 {}, 0x{value:x};", register.text()),
        },
        Statement::Access { store, memory, bytes, register, index } => {
            let place = address(*memory, *bytes, *index);
            let (space, ty) = (space(*memory), ["u8", "u16", "u32", "u64"][bytes.ilog2() as usize]);
            match store {
                true => writeln!(out, "{place} st.{space}.{ty} [%a], {};", register.text()),
                false => writeln!(out, "{place} ld.{space}.{ty} {}, [%a];", register.text()),
            }
        }
        Statement::Atomic { op, memory, register, value, index } => writeln!(
            out,
            "{} atom.{}.{} {}, [%a], {};",
            address(*memory, 4, *index),
            space(*memory),
            ATOMICS[*op],
            register.text(),
            value.text()
        ),
        Statement::If { predicate, then, other } => {
            *labels += 1;
            let label = *labels;
            let _ = writeln!(out, "@!%p{predicate} bra ELSE{label};");
            then.iter().for_each(|statement| print(statement, out, labels));
            let _ = writeln!(out, "bra END{label};\nELSE{label}:");
            other.iter().for_each(|statement| print(statement, out, labels));
            writeln!(out, "END{label}:")
        }
        Statement::Loop { depth, count, leave, body } => {
            *labels += 1;
            let label = *labels;
            let _ = writeln!(out, "and.b32 %c{depth}, {}, 3;\nLOOP{label}:", count.text());
            body.iter().for_each(|statement| print(statement, out, labels));
            if let Some(predicate) = leave {
                let _ = writeln!(out, "@%p{predicate} bra PAST{label};");
            }
            writeln!(
                out,
                "sub.u32 %c{depth}, %c{depth}, 1; setp.ge.s32 %p4, %c{depth}, 0; @%p4 bra LOOP{label};\nPAST{label}:"
            )
        }
        Statement::Collective { op, register, value, by, predicate } => {
            let mut text = String::new();
            for word in COLLECTIVES[*op].split(' ') {
                let word = match word.trim_end_matches(',') {
                    "R" => register.text() + ",",
                    "V" => value.text() + ",",
                    "B" => format!("{by},"),
                    "P" => format!("%p{predicate},"),
                    _ => word.to_string(),
                };
                text += &format!("{word} ");
            }
            writeln!(out, "{text};")
        }
        Statement::Exchange { register, value, by } => writeln!(
            out,
            "mul.wide.u32 %a, %t, 4; mov.u64 %b, swap; add.u64 %a, %a, %b; st.shared.u32 [%a], {}; bar.sync 0; add.u32 %v, %t, {by}; mov.u32 %c3, %ntid.x; rem.u32 %v, %v, %c3; mul.wide.u32 %a, %v, 4; add.u64 %a, %a, %b; ld.shared.u32 {}, [%a]; bar.sync 0;",
            value.text(),
            register.text()
        ),
    };
}

/// The state of a thread.
struct Thread {
    r: [u64; 4],
    d: [u64; 4],
    f: [u64; 4],
    g: [u64; 4],
    p: [bool; 4],
    /// The own places in global, local and shared memory.
    places: [[u8; WORDS * 4]; 3],
}

impl Thread {
    fn new(global: usize, thread: usize) -> Thread {
        let each = |of: &dyn Fn(u64) -> u64| std::array::from_fn(|i| of(i as u64));
        let r: [u64; 4] = each(&|i| (global as u64 * seed(i) + i) & 0xffff_ffff);
        let mut place = [0; WORDS * 4];
        for (i, word) in place.chunks_mut(4).enumerate() {
            word.copy_from_slice(&((global + i) as u32).to_le_bytes());
        }
        Thread {
            r,
            d: each(&|i| r[i as usize].wrapping_mul(seed(i + 7))),
            f: each(&|i| (r[i as usize] as f32).to_bits().into()),
            g: each(&|i| f64::from(r[i as usize] as u32 as i32).to_bits()),
            p: std::array::from_fn(|i| thread < 5 + 9 * i),
            places: [[0; WORDS * 4], place, place],
        }
    }

    fn get(&self, register: Register) -> u64 {
        let at = register.1 as usize;
        match register.0 {
            'r' => self.r[at],
            'd' => self.d[at],
            'f' => self.f[at],
            'g' => self.g[at],
            _ => u64::from(self.p[at]),
        }
    }

    fn set(&mut self, register: Register, value: u64) {
        let at = register.1 as usize;
        match register.0 {
            'r' => self.r[at] = value & 0xffff_ffff,
            'd' => self.d[at] = value,
            'f' => self.f[at] = value & 0xffff_ffff,
            'g' => self.g[at] = value,
            _ => self.p[at] = value != 0,
        }
    }

    fn place(&mut self, memory: Memory, bytes: usize, index: Register) -> &mut [u8] {
        let at = (self.get(index) as usize & (WORDS * 4 / bytes - 1)) * bytes;
        &mut self.places[memory as usize][at..at + bytes]
    }

    fn run(&mut self, statement: &Statement) {
        match statement {
            Statement::Compute(op, to, from, guard) => {
                if guard.is_some_and(|(p, negated)| self.p[p as usize] == negated) {
                    return;
                }
                let values: Vec<u64> = from.iter().map(|&register| self.get(register)).collect();
                self.set(*to, (OPERATIONS[*op].3)(&values));
            }
            Statement::Constant(register, value) => self.set(*register, *value),
            Statement::Access { store, memory, bytes, register, index } => {
                let value = self.get(*register).to_le_bytes();
                let place = self.place(*memory, *bytes, *index);
                if *store {
                    place.copy_from_slice(&value[..*bytes]);
                } else {
                    let mut read = [0; 8];
                    read[..*bytes].copy_from_slice(place);
                    self.set(*register, u64::from_le_bytes(read));
                }
            }
            Statement::Atomic { op, memory, register, value, index } => {
                let value = self.get(*value) as u32;
                let place = self.place(*memory, 4, *index);
                let old = u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
                let new = match ATOMICS[*op] {
                    "add.u32" => old.wrapping_add(value),
                    "min.s32" => (old as i32).min(value as i32) as u32,
                    "max.u32" => old.max(value),
                    "exch.b32" => value,
                    "and.b32" => old & value,
                    "or.b32" => old | value,
                    "xor.b32" => old ^ value,
                    "inc.u32" if old >= value => 0,
                    "inc.u32" => old + 1,
                    _ if old == 0 || old > value => value,
                    _ => old - 1,
                };
                place.copy_from_slice(&new.to_le_bytes());
                self.set(*register, old.into());
            }
            Statement::If { predicate, then, other } => {
                let branch = if self.p[*predicate as usize] { then } else { other };
                branch.iter().for_each(|statement| self.run(statement));
            }
            Statement::Loop { count, leave, body, .. } => {
                for _ in 0..=self.get(*count) & 3 {
                    body.iter().for_each(|statement| self.run(statement));
                    if leave.is_some_and(|p| self.p[p as usize]) {
                        break;
                    }
                }
            }
            Statement::Collective { .. } | Statement::Exchange { .. } => {
                unreachable!("made at the top only")
            }
        }
    }

    /// The words that the kernel stores.
    fn leave(&self, out: &mut Vec<u32>) {
        let float = |bits: u64| match f32::from_bits(bits as u32).is_nan() {
            true => 0x7fc0_0000,
            false => bits,
        };
        let double = |bits: u64| match f64::from_bits(bits).is_nan() {
            true => 0x7ff8_0000_0000_0000,
            false => bits,
        };
        let registers =
            self.d.into_iter().chain(self.r).chain(self.f.map(float)).chain(self.g.map(double));
        out.extend(registers.flat_map(|value| [value as u32, (value >> 32) as u32]));
        for place in &self.places {
            out.extend(place.chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four"))));
        }
    }
}

fn collective(
    warp: &mut [Thread],
    op: usize,
    (to, value): (Register, Register),
    by: u64,
    predicate: u64,
) {
    let values: Vec<u64> = warp.iter().map(|thread| thread.get(value)).collect();
    let by = by as usize;
    let out: Vec<u64> = (0..32)
        .map(|lane| match op {
            0 => values[by],
            1 => values[lane ^ by],
            2 => {
                if lane >= by {
                    values[lane - by]
                } else {
                    values[lane]
                }
            }
            3 => {
                if lane + by < 32 {
                    values[lane + by]
                } else {
                    values[lane]
                }
            }
            4 => (0..32).filter(|&l| warp[l].p[predicate as usize]).map(|l| 1u64 << l).sum(),
            5 => values.iter().sum::<u64>() & 0xffff_ffff,
            6 => values.iter().map(|&v| v as u32 as i32).min().unwrap_or(0) as u32 as u64,
            7 => values.iter().fold(0, |a, b| a ^ b),
            8 => (0..32).filter(|&l| values[l] == values[lane]).map(|l| 1u64 << l).sum(),
            // Eights of lanes by themselves.
            _ => values[lane / 8 * 8 + by % 8],
        })
        .collect();
    warp.iter_mut().zip(out).for_each(|(thread, value)| thread.set(to, value));
}
