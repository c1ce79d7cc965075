//! What moves without a word on data, to the device and back, is the least that a program can do with: programs of several nests, made by chance, with
//! loops and conditionals of the host round them, against an exhaustive search over all choices of copies, for each part of an array that
//! the host touches by itself.

use std::fmt::Write;

use gpuc_tests::bench::Bench;

/// Programs.
const PROGRAMS: u32 = 36;
/// Arrays of each, and elements of an array.
const ARRAYS: usize = 4;
const LENGTH: u64 = 500;
/// The parts of an array: the element that the host writes, the one that it looks at, and all others.
const PARTS: [u64; 3] = [8, 8, LENGTH * 8 - 16];

/// What a program does.
enum Act {
    /// A nest: it reads arrays, and writes all of one.
    Nest { reads: Vec<usize>, writes: usize },
    /// The host looks at an element.
    Look(usize),
    /// The host writes an element.
    Set(usize),
    /// The host writes all elements, by a loop or by a call.
    Fill(usize, bool),
    /// So many rounds.
    Rounds(u32, Vec<Act>),
    /// A branch that is taken or is not, which nobody knows before.
    Branch(bool, Vec<Act>),
}

/// What happens to one part of an array, in order.
#[derive(Clone, Copy)]
enum Event {
    /// Read on the host, or on the device.
    Read(Side),
    /// Written, all of it.
    Overwrite(Side),
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Host,
    Device,
}

/// A number generator of a few lines: the same programs everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % most
    }

    fn acts(&mut self, count: u64, depth: u32) -> Vec<Act> {
        (0..count).map(|_| self.act(depth)).collect()
    }

    fn act(&mut self, depth: u32) -> Act {
        let array = |chance: &mut Chance| chance.below(ARRAYS as u64) as usize;
        match self.below(if depth == 0 { 9 } else { 13 }) {
            0 => Act::Look(array(self)),
            1 => Act::Set(array(self)),
            2 => Act::Fill(array(self), self.below(2) == 0),
            3..9 => {
                let mut reads: Vec<usize> = (0..1 + self.below(2)).map(|_| array(self)).collect();
                reads.sort_unstable();
                reads.dedup();
                Act::Nest { reads, writes: array(self) }
            }
            9 | 10 => {
                let (rounds, count) = (2 + self.below(2) as u32, 1 + self.below(3));
                let mut inner = self.acts(count, depth - 1);
                // Alone in a loop, a branch is a condition of a nest, which asks for its data whether it holds or not.
                if inner.iter().any(|act| matches!(act, Act::Branch(..))) {
                    inner.push(Act::Look(array(self)));
                }
                Act::Rounds(rounds, inner)
            }
            _ => {
                let (taken, count) = (self.below(2) == 0, 1 + self.below(2));
                Act::Branch(taken, self.acts(count, depth - 1))
            }
        }
    }
}

/// The statements of a program.
fn print(acts: &[Act], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for act in acts {
        let _ = match act {
            Act::Nest { reads, writes } => {
                let sum: Vec<String> = reads.iter().map(|a| format!("a{a}[i]")).collect();
                writeln!(
                    text,
                    "{indent}for (int i = 0; i < N; i++)\n{indent}    a{writes}[i] = 0.5 * ({}) + i;",
                    sum.join(" + ")
                )
            }
            Act::Look(array) => writeln!(text, "{indent}look(a{array}[7]);"),
            Act::Set(array) => writeln!(text, "{indent}a{array}[3] = next();"),
            Act::Fill(array, true) => {
                writeln!(
                    text,
                    "{indent}for (int i = 0; i < N; i++)\n{indent}    a{array}[i] = next();"
                )
            }
            Act::Fill(array, false) => {
                writeln!(text, "{indent}memset(a{array}, 0, sizeof a{array});")
            }
            Act::Rounds(rounds, inner) => {
                let _ = writeln!(
                    text,
                    "{indent}for (int t{depth} = 0; t{depth} < {rounds}; t{depth}++) {{"
                );
                print(inner, depth + 1, text);
                writeln!(text, "{indent}}}")
            }
            Act::Branch(taken, inner) => {
                let test = if *taken { "==" } else { "!=" };
                let _ = writeln!(text, "{indent}if (way {test} 1) {{");
                print(inner, depth + 1, text);
                writeln!(text, "{indent}}}")
            }
        };
    }
}

/// What a run does to each part of each array.
fn trace(acts: &[Act], events: &mut [[Vec<Event>; 3]]) {
    let all = |events: &mut [Vec<Event>; 3], event: Event| {
        events.iter_mut().for_each(|part| part.push(event));
    };
    for act in acts {
        match act {
            Act::Nest { reads, writes } => {
                reads.iter().for_each(|&array| all(&mut events[array], Event::Read(Side::Device)));
                all(&mut events[*writes], Event::Overwrite(Side::Device));
            }
            Act::Set(array) => events[*array][0].push(Event::Overwrite(Side::Host)),
            Act::Look(array) => events[*array][1].push(Event::Read(Side::Host)),
            Act::Fill(array, _) => all(&mut events[*array], Event::Overwrite(Side::Host)),
            Act::Rounds(rounds, inner) => (0..*rounds).for_each(|_| trace(inner, events)),
            Act::Branch(taken, inner) if *taken => trace(inner, events),
            Act::Branch(..) => {}
        }
    }
}

/// The fewest copies of a part to one side by which a run reads nothing but what is valid: for each place in the run and each of the sides where it
/// is valid then, the fewest so far. In front of every event either copy may be made, or none.
fn fewest(events: &[Event], to: Side) -> u64 {
    const NEVER: u64 = u64::MAX / 2;
    // Bit 0: valid on the host, bit 1: on the device.
    let mut best = [NEVER, 0, NEVER, NEVER];
    let bit = |side: Side| if side == Side::Host { 1 } else { 2 };
    for event in events {
        let mut copied = best;
        for (valid, &so_far) in best.iter().enumerate().skip(1) {
            let made = bit(to) & !valid != 0;
            copied[3] = copied[3].min(so_far + u64::from(made));
        }
        let mut next = [NEVER; 4];
        for (valid, &so_far) in copied.iter().enumerate().skip(1) {
            let (needed, behind) = match *event {
                Event::Read(side) => (bit(side), valid),
                Event::Overwrite(side) => (0, bit(side)),
            };
            if valid & needed == needed {
                next[behind] = next[behind].min(so_far);
            }
        }
        best = next;
    }
    best.into_iter().min().unwrap_or(0)
}

/// Bytes in lines such as `a0 to device: 4,000 bytes in 1 transfer`.
fn moved(report: &str, to: &str) -> u64 {
    let mut bytes = 0;
    for line in report.lines() {
        let Some((_, rest)) = line.split_once(to) else { continue };
        let number: String =
            rest.chars().take_while(|c| *c != ' ').filter(char::is_ascii_digit).collect();
        bytes += number.parse::<u64>().unwrap_or(0);
    }
    bytes
}

#[test]
fn what_moves_is_the_least_that_an_exhaustive_search_finds() {
    let bench = Bench::new();
    let mut wrong = String::new();
    for seed in 0..PROGRAMS {
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15 ^ u64::from(seed + 1) << 20);
        let count = 4 + chance.below(5);
        let acts = chance.acts(count, 2);
        let mut text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#define N {LENGTH}\n\
             static double last;\n\
             static void look(double value) {{ printf(\"%g\\n\", value); }}\n\
             static double next(void) {{ last = atof(\"2.5\") + last; return last; }}\n\
             int main(int way, char **words)\n{{\n    (void)words;\n\
             \x20   double a0[N] = {{1}}, a1[N] = {{2}}, a2[N] = {{3}}, a3[N] = {{4}};\n"
        );
        print(&acts, 1, &mut text);
        text += "    return 0;\n}\n";
        let name = format!("p{seed}.c");
        bench.write(&name, &text);
        let mut events = vec![[const { Vec::new() }; 3]; ARRAYS];
        trace(&acts, &mut events);
        let least = |to| -> u64 {
            let parts = events.iter().flat_map(|array| array.iter().zip(PARTS));
            parts.map(|(events, bytes)| fewest(events, to) * bytes).sum()
        };
        let report = bench.ok(&format!("run --auto=all --device=sim --report {name}"));
        let found = [" to device: ", " to host: "].map(|to| moved(&report, to));
        let wanted = [least(Side::Device), least(Side::Host)];
        if found != wanted {
            let _ = writeln!(
                wrong,
                "{name}: {found:?} bytes to the device and back, {wanted:?} are enough\n{text}{}",
                report.split("  transfers\n").nth(1).unwrap_or(&report)
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
