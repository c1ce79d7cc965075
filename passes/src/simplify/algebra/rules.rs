//! The equalities.
//!
//! A [`Rule`] is two patterns, and what must hold of the first one's variables for them to be
//! equal. It may also compute constants that only the second pattern has. Patterns are written in
//! egg's notation with the names of [`super::node`]; casts and wide products go from `narrow` to
//! twice as many bits, and stand without a number. Rules hold at every width (a test evaluates both
//! sides of each); the compiler needs those with casts at 32 and 64 bits.

use egg::{Applier, Id, Pattern, PatternAst, Rewrite, Subst, Symbol, Var};
use smallvec::SmallVec;

use super::Graph;
use super::facts::{Facts, Known};
use super::node::{Node, unsigned, wrap};
use crate::analysis::range::Range;

/// Constants that a rule computed, by variable.
pub type Made = SmallVec<[(char, i64); 2]>;

/// What a rule's condition asks: facts of the variables and of the matched term.
pub struct Bound<'a> {
    /// Facts of a variable of the left pattern.
    pub of: &'a dyn Fn(char) -> Facts,
    /// Facts of the term that matches.
    pub result: Facts,
}

impl Bound<'_> {
    fn constant(&self, variable: char) -> Option<i64> {
        (self.of)(variable).constant()
    }

    fn interval(&self, variable: char) -> Range {
        (self.of)(variable).interval
    }

    fn width(&self, variable: char) -> u32 {
        (self.of)(variable).width
    }

    /// A constant that is no negative number.
    fn natural(&self, variable: char) -> Option<i64> {
        self.constant(variable).filter(|&value| value >= 0)
    }

    /// The logarithm of a constant power of two, read without sign.
    fn log2(&self, variable: char) -> Option<i64> {
        let value = unsigned(self.constant(variable)?, self.width(variable));
        (value != 0 && value & (value - 1) == 0).then(|| value.trailing_zeros().into())
    }

    /// A constant by which a value may be shifted.
    fn shift(&self, variable: char) -> Option<i64> {
        self.natural(variable).filter(|&amount| amount < i64::from(self.width(variable)))
    }

    /// The true product of two variables, if it is a natural number of their width.
    fn natural_product(&self, a: char, b: char) -> Option<Range> {
        let product = self.interval(a).times(self.interval(b));
        let natural = self.is_natural(a) && self.is_natural(b);
        (natural && product.is_within(Range::signed(self.width(a)))).then_some(product)
    }

    fn is_natural(&self, variable: char) -> bool {
        self.interval(variable).min >= 0
    }
}

/// An equality.
pub struct Rule {
    /// Name, for messages.
    pub name: &'static str,
    /// What is matched.
    pub from: &'static str,
    /// What equals it.
    pub to: &'static str,
    /// The condition: constants for the variables that only `to` has; `None` where the rule does
    /// not apply.
    pub when: fn(&Bound<'_>) -> Option<Made>,
}

fn made<const N: usize>(constants: [(char, i64); N]) -> Option<Made> {
    Some(constants.into_iter().collect())
}

fn given(holds: bool) -> Option<Made> {
    holds.then(Made::new)
}

fn always(_: &Bound<'_>) -> Option<Made> {
    made([])
}

const fn rule(
    name: &'static str,
    from: &'static str,
    to: &'static str,
    when: fn(&Bound<'_>) -> Option<Made>,
) -> Rule {
    Rule { name, from, to, when }
}

/// Every rule.
pub const RULES: &[Rule] = &[
    // Sums and products form a ring.
    rule("commute-add", "(+ ?a ?b)", "(+ ?b ?a)", always),
    rule("commute-mul", "(* ?a ?b)", "(* ?b ?a)", always),
    rule("associate-add", "(+ (+ ?a ?b) ?c)", "(+ ?a (+ ?b ?c))", always),
    rule("associate-mul", "(* (* ?a ?b) ?c)", "(* ?a (* ?b ?c))", always),
    rule("distribute", "(* (+ ?a ?b) ?c)", "(+ (* ?a ?c) (* ?b ?c))", always),
    rule("factor", "(+ (* ?a ?c) (* ?b ?c))", "(* (+ ?a ?b) ?c)", always),
    rule("factor-one", "(+ (* ?a ?c) ?a)", "(* ?a (+ ?c ?k))", |_| made([('k', 1)])),
    rule("double", "(+ ?a ?a)", "(* ?a ?k)", |b| {
        // In one bit 2 is 0, and the product is right all the same.
        made([('k', wrap(2, b.width('a')))])
    }),
    rule("add-zero", "(+ ?a ?b)", "?a", |b| given(b.constant('b') == Some(0))),
    rule("mul-one", "(* ?a ?b)", "?a", |b| given(b.constant('b') == Some(1))),
    rule("mul-zero", "(* ?a ?b)", "?b", |b| given(b.constant('b') == Some(0))),
    rule("sub-self", "(- ?a ?a)", "?k", |_| made([('k', 0)])),
    rule("sub-constant", "(- ?a ?b)", "(+ ?a ?k)", |b| {
        made([('k', wrap(-i128::from(b.constant('b')?), b.width('b')))])
    }),
    rule("sub-as-add", "(- ?a ?b)", "(+ ?a (* ?b ?k))", |_| made([('k', -1)])),
    rule("add-as-sub", "(+ ?a (* ?b ?c))", "(- ?a ?b)", |b| given(b.constant('c') == Some(-1))),
    // Shifts are products and quotients.
    rule("mul-power", "(* ?a ?b)", "(<< ?a ?k)", |b| made([('k', b.log2('b')?)])),
    rule("shift-as-mul", "(<< ?a ?b)", "(* ?a ?k)", |b| {
        made([('k', wrap(1 << b.shift('b')?, b.width('a')))])
    }),
    rule("div-power", "(/u ?a ?b)", "(>>u ?a ?k)", |b| made([('k', b.log2('b')?)])),
    rule("rem-power", "(%u ?a ?b)", "(& ?a ?k)", |b| {
        b.log2('b')?;
        made([('k', wrap(i128::from(b.constant('b')?) - 1, b.width('b')))])
    }),
    rule("floor-power", "(floor/s ?a ?b)", "(>>s ?a ?k)", |b| {
        b.natural('b')?;
        made([('k', b.log2('b')?)])
    }),
    rule("shift-shift-u", "(>>u (>>u ?a ?b) ?c)", "(>>u ?a ?k)", |b| {
        let sum = b.shift('b')? + b.shift('c')?;
        (sum < b.width('a').into()).then_some(())?;
        made([('k', sum)])
    }),
    rule("shift-shift-s", "(>>s (>>s ?a ?b) ?c)", "(>>s ?a ?k)", |b| {
        let sum = b.shift('b')? + b.shift('c')?;
        made([('k', sum.min(i64::from(b.width('a')) - 1))])
    }),
    rule("shift-natural", "(>>s ?a ?b)", "(>>u ?a ?b)", |b| given(b.is_natural('a'))),
    // Quotients and remainders.
    rule("div-one", "(/u ?a ?b)", "?a", |b| given(b.constant('b') == Some(1))),
    rule("div-natural", "(/s ?a ?b)", "(/u ?a ?b)", naturals),
    rule("rem-natural", "(%s ?a ?b)", "(%u ?a ?b)", naturals),
    rule("floor-natural", "(floor/s ?a ?b)", "(/u ?a ?b)", naturals),
    rule("ceil-natural", "(ceil/s ?a ?b)", "(ceil/u ?a ?b)", naturals),
    rule("ceil-as-div", "(ceil/u ?a ?b)", "(/u (+ ?a ?k) ?b)", |b| {
        let most = b.natural('b').filter(|&divisor| divisor > 0)? - 1;
        let sum = b.interval('a').plus(Range::point(most));
        (b.is_natural('a') && sum.is_within(Range::signed(b.width('a')))).then_some(())?;
        made([('k', most)])
    }),
    rule("div-div", "(/u (/u ?a ?b) ?c)", "(/u ?a ?k)", |b| {
        let (x, y) = (b.natural('b')?, b.natural('c')?);
        let product = i128::from(x) * i128::from(y);
        (product > 0 && product <= Range::signed(b.width('a')).max).then_some(())?;
        made([('k', product as i64)])
    }),
    rule("rem-as-div", "(%u ?a ?b)", "(- ?a (* (/u ?a ?b) ?b))", |b| {
        given(b.constant('b') != Some(0))
    }),
    rule("div-as-rem", "(- ?a (* (/u ?a ?b) ?b))", "(%u ?a ?b)", always),
    rule("div-rem", "(+ (* (/u ?a ?b) ?b) (%u ?a ?b))", "?a", always),
    rule("div-small", "(/u ?a ?b)", "?k", |b| {
        (b.is_natural('a') && b.interval('a').max < b.interval('b').min).then_some(())?;
        made([('k', 0)])
    }),
    rule("rem-small", "(%u ?a ?b)", "?a", |b| {
        given(b.is_natural('a') && b.interval('a').max < b.interval('b').min)
    }),
    rule("div-product", "(/u (* ?a ?b) ?b)", "?a", |b| {
        b.natural_product('a', 'b')?;
        given(b.interval('b').min > 0)
    }),
    rule("rem-product", "(%u (* ?a ?b) ?b)", "?k", |b| {
        b.natural_product('a', 'b')?;
        (b.interval('b').min > 0).then_some(())?;
        made([('k', 0)])
    }),
    rule("div-mixed", "(/u (+ (* ?a ?b) ?c) ?b)", "?a", |b| given(mixed(b))),
    rule("rem-mixed", "(%u (+ (* ?a ?b) ?c) ?b)", "?c", |b| given(mixed(b))),
    // Bits.
    rule("commute-and", "(& ?a ?b)", "(& ?b ?a)", always),
    rule("commute-or", "(| ?a ?b)", "(| ?b ?a)", always),
    rule("commute-xor", "(^ ?a ?b)", "(^ ?b ?a)", always),
    rule("associate-and", "(& (& ?a ?b) ?c)", "(& ?a (& ?b ?c))", always),
    rule("and-all", "(& ?a ?b)", "?a", |b| {
        // The mask keeps every bit that may be set.
        let mask = b.natural('b').filter(|&mask| mask & mask.wrapping_add(1) == 0)?;
        given(b.interval('a').is_within(Range::new(0, mask.into())))
    }),
    rule("and-ones", "(& ?a ?b)", "?a", |b| given(b.constant('b') == Some(-1))),
    rule("and-self", "(& ?a ?a)", "?a", always),
    rule("or-zero", "(| ?a ?b)", "?a", |b| given(b.constant('b') == Some(0))),
    rule("or-self", "(| ?a ?a)", "?a", always),
    rule("xor-zero", "(^ ?a ?b)", "?a", |b| given(b.constant('b') == Some(0))),
    rule("xor-self", "(^ ?a ?a)", "?k", |_| made([('k', 0)])),
    // The less and the greater.
    rule("min-is-left", "(min-s ?a ?b)", "?a", |b| {
        given(b.interval('a').max <= b.interval('b').min)
    }),
    rule("min-is-right", "(min-s ?a ?b)", "?b", |b| {
        given(b.interval('b').max <= b.interval('a').min)
    }),
    rule("max-is-left", "(max-s ?a ?b)", "?a", |b| {
        given(b.interval('a').min >= b.interval('b').max)
    }),
    rule("max-is-right", "(max-s ?a ?b)", "?b", |b| {
        given(b.interval('b').min >= b.interval('a').max)
    }),
    rule("min-natural", "(min-u ?a ?b)", "(min-s ?a ?b)", naturals),
    rule("max-natural", "(max-u ?a ?b)", "(max-s ?a ?b)", naturals),
    // Widening and narrowing.
    rule("trunc-sext", "(trunc (sext ?a))", "?a", always),
    rule("trunc-zext", "(trunc (zext ?a))", "?a", always),
    rule("sext-trunc", "(sext (trunc ?a))", "?a", |b| {
        given(b.interval('a').is_within(Range::signed(b.width('a') / 2)))
    }),
    rule("zext-trunc", "(zext (trunc ?a))", "?a", |b| {
        given(b.interval('a').is_within(Range::unsigned(b.width('a') / 2)))
    }),
    rule("sext-natural", "(sext ?a)", "(zext ?a)", |b| given(b.is_natural('a'))),
    rule("trunc-add", "(trunc (+ ?a ?b))", "(+ (trunc ?a) (trunc ?b))", always),
    rule("trunc-mul", "(trunc (* ?a ?b))", "(* (trunc ?a) (trunc ?b))", always),
    rule("trunc-and", "(trunc (& ?a ?b))", "(& (trunc ?a) (trunc ?b))", always),
    rule("sext-add", "(sext (+ ?a ?b))", "(+ (sext ?a) (sext ?b))", |b| {
        given(b.interval('a').plus(b.interval('b')).is_within(Range::signed(b.width('a'))))
    }),
    rule("zext-add", "(zext (+ ?a ?b))", "(+ (zext ?a) (zext ?b))", |b| {
        let sum = b.interval('a').plus(b.interval('b'));
        let natural = b.is_natural('a') && b.is_natural('b');
        given(natural && sum.is_within(Range::unsigned(b.width('a'))))
    }),
    rule("narrow-add", "(+ ?a ?b)", "(zext (+ (trunc ?a) (trunc ?b)))", narrow),
    rule("narrow-mul", "(* ?a ?b)", "(zext (* (trunc ?a) (trunc ?b)))", narrow),
    rule("narrow-and", "(& ?a ?b)", "(zext (& (trunc ?a) (trunc ?b)))", narrow),
    rule("narrow-div", "(/u ?a ?b)", "(zext (/u (trunc ?a) (trunc ?b)))", narrow_operands),
    rule("narrow-rem", "(%u ?a ?b)", "(zext (%u (trunc ?a) (trunc ?b)))", narrow_operands),
    // Wide products.
    rule("wide-s", "(* ?a ?b)", "(wide-s (trunc ?a) (trunc ?b))", |b| {
        let narrow = Range::signed(b.width('a') / 2);
        given(b.interval('a').is_within(narrow) && b.interval('b').is_within(narrow))
    }),
    rule("wide-u", "(* ?a ?b)", "(wide-u (trunc ?a) (trunc ?b))", narrow_operands),
    rule("mad", "(+ (* ?a ?b) ?c)", "(mad ?a ?b ?c)", always),
    rule("mad-wide-s", "(+ (wide-s ?a ?b) ?c)", "(mad-wide-s ?a ?b ?c)", always),
    rule("mad-wide-u", "(+ (wide-u ?a ?b) ?c)", "(mad-wide-u ?a ?b ?c)", always),
];

fn naturals(b: &Bound<'_>) -> Option<Made> {
    given(b.is_natural('a') && b.is_natural('b'))
}

/// Whether `a * b + c` is what its quotient and remainder by `b` are asked of.
fn mixed(b: &Bound<'_>) -> bool {
    let c = b.interval('c');
    b.natural_product('a', 'b').is_some_and(|product| {
        product.plus(c).is_within(Range::signed(b.width('a')))
            && c.min >= 0
            && c.max < b.interval('b').min
    })
}

/// The result needs half the bits.
fn narrow(b: &Bound<'_>) -> Option<Made> {
    given(b.result.interval.is_within(Range::unsigned(b.width('a') / 2)))
}

/// Both operands need half the bits.
fn narrow_operands(b: &Bound<'_>) -> Option<Made> {
    let half = Range::unsigned(b.width('a') / 2);
    given(b.interval('a').is_within(half) && b.interval('b').is_within(half))
}

impl Rule {
    /// Whether the rule changes widths, and so speaks of one width and of twice as much.
    pub fn is_two_widths(&self) -> bool {
        [self.from, self.to].iter().any(|text| {
            ["(sext ", "(zext ", "(trunc ", "wide-"].iter().any(|cast| text.contains(cast))
        })
    }

    /// The patterns, casts being between `narrow` bits and twice as many.
    pub fn patterns(&self, narrow: u32) -> Result<[Pattern<Node>; 2], String> {
        let read = |text: &str| {
            let text = text
                .replace("(sext ", &format!("(sext{} ", 2 * narrow))
                .replace("(zext ", &format!("(zext{} ", 2 * narrow))
                .replace("(trunc ", &format!("(trunc{narrow} "));
            text.parse::<Pattern<Node>>().map_err(|error| format!("{}: {error}", self.name))
        };
        Ok([read(self.from)?, read(self.to)?])
    }
}

/// The rules as the compiler uses them.
pub fn rewrites() -> Vec<Rewrite<Node, Known>> {
    let rewrite = |rule: &'static Rule| {
        let [from, to] = rule.patterns(32).ok()?;
        let named = |var: &Var| Some((var.to_string().chars().nth(1)?, *var));
        let bound = from.vars().iter().filter_map(named).collect();
        let made = to.vars().iter().filter_map(named).collect();
        // Casts exist at one width only, but a pattern without a cast on its left matches at any.
        let at = rule.is_two_widths().then_some(64);
        let guarded = Guarded { rule, bound, made, to, at };
        Rewrite::new(rule.name, from, guarded).ok()
    };
    RULES.iter().filter_map(rewrite).collect()
}

/// The right side of a rule with its condition.
struct Guarded {
    rule: &'static Rule,
    /// The variables of the left side.
    bound: SmallVec<[(char, Var); 3]>,
    /// The variables of the right side.
    made: SmallVec<[(char, Var); 3]>,
    to: Pattern<Node>,
    /// The larger of the widths that the rule is for.
    at: Option<u32>,
}

impl Applier<Node, Known> for Guarded {
    fn apply_one(
        &self,
        graph: &mut Graph,
        class: Id,
        subst: &Subst,
        ast: Option<&PatternAst<Node>>,
        name: Symbol,
    ) -> Vec<Id> {
        let result = graph[class].data;
        if let Some(at) = self.at {
            let of = |&(_, var): &(char, Var)| subst.get(var).map(|&id| graph[id].data.width);
            let mut widths = self.bound.iter().filter_map(of).chain([result.width]);
            if !widths.clone().all(|w| w == at || w == at / 2) || !widths.any(|w| w == at) {
                return Vec::new();
            }
        }
        let of = |variable: char| {
            let var = self.bound.iter().find(|(name, _)| *name == variable);
            let id = var.and_then(|&(_, var)| subst.get(var));
            id.map_or(Facts::any(result.width), |&id| graph[id].data)
        };
        let bound = Bound { of: &of, result };
        let Some(constants) = (self.rule.when)(&bound) else { return Vec::new() };
        let mut subst = subst.clone();
        for (variable, value) in constants {
            let var = self.made.iter().find(|(name, _)| *name == variable);
            if let Some(&(_, var)) = var {
                let id = graph.add(Node::Constant { width: result.width, value });
                subst.insert(var, id);
            }
        }
        self.to.apply_one(graph, class, &subst, ast, name)
    }
}

#[cfg(test)]
mod tests {
    use egg::{ENodeOrVar, Language};
    use rustc_hash::FxHashMap;

    use super::super::node::{Binary, Cast, Shape};
    use super::*;

    /// Numbers without an order that anybody sees, the same in each run (Marsaglia's xorshift64).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        fn below(&mut self, limit: usize) -> usize {
            (self.next() % limit as u64) as usize
        }

        /// A number of so many bits: one at the edges, a small one, a power of two, or any.
        fn value(&mut self, width: u32) -> i64 {
            let Range { min, max } = Range::signed(width);
            let value = match self.below(5) {
                0 => [min, min + 1, -1, 0, 1, 2, max - 1, max][self.below(8)],
                1 => self.below(20) as i128,
                2 => 1 << self.below(width as usize),
                3 => (self.next() >> self.below(64)).into(),
                _ => self.next().into(),
            };
            wrap(value, width)
        }
    }

    /// The widths of a pattern's variables, from the width of the whole.
    fn widths(
        pattern: &PatternAst<Node>,
        at: Id,
        width: u32,
        narrow: u32,
        found: &mut FxHashMap<Var, u32>,
    ) {
        match &pattern[at] {
            ENodeOrVar::Var(var) => {
                let known = found.entry(*var).or_insert(width);
                assert_eq!(*known, width, "{var} has two widths");
            }
            ENodeOrVar::ENode(node) => {
                let wide =
                    matches!(node.discriminant(), Shape::Binary(Binary::WideS | Binary::WideU));
                for (i, &child) in node.children().iter().enumerate() {
                    let child_width = match node {
                        Node::Cast(Cast::Trunc, ..) => 2 * narrow,
                        Node::Cast(..) => narrow,
                        Node::Fused(fused, _) if fused.product() != Binary::Mul => {
                            if i < 2 {
                                narrow
                            } else {
                                width
                            }
                        }
                        _ if wide => narrow,
                        _ => width,
                    };
                    widths(pattern, child, child_width, narrow, found);
                }
            }
        }
    }

    /// What a pattern computes and how many bits it has; `None` where it is not defined.
    fn evaluate(
        pattern: &PatternAst<Node>,
        at: Id,
        values: &FxHashMap<Var, (i64, u32)>,
    ) -> Option<(i64, u32)> {
        let of = |id: Id| evaluate(pattern, id, values);
        match &pattern[at] {
            ENodeOrVar::Var(var) => Some(values[var]),
            ENodeOrVar::ENode(node) => match *node {
                Node::Cast(cast, to, [a]) => {
                    let (a, from) = of(a)?;
                    Some((cast.apply(a, from, to), to))
                }
                Node::Binary(op, [a, b]) => {
                    let ((a, width), (b, _)) = (of(a)?, of(b)?);
                    Some((op.apply(a, b, width)?, op.result_width(width)))
                }
                Node::Fused(op, [a, b, c]) => {
                    let ((a, width), (b, _), (c, _)) = (of(a)?, of(b)?, of(c)?);
                    Some((op.apply(a, b, c, width)?, op.product().result_width(width)))
                }
                Node::Leaf { .. } | Node::Constant { .. } => {
                    unreachable!("patterns have variables")
                }
            },
        }
    }

    fn facts_of(pattern: &PatternAst<Node>, at: Id, facts: &FxHashMap<Var, Facts>) -> Facts {
        let of = |id: Id| facts_of(pattern, id, facts);
        match &pattern[at] {
            ENodeOrVar::Var(var) => facts[var],
            ENodeOrVar::ENode(node) => match *node {
                Node::Cast(cast, to, [a]) => Facts::cast(cast, of(a), to),
                Node::Binary(op, [a, b]) => Facts::binary(op, of(a), of(b)),
                Node::Fused(op, [a, b, c]) => Facts::fused(op, of(a), of(b), of(c)),
                Node::Leaf { .. } | Node::Constant { .. } => {
                    unreachable!("patterns have variables")
                }
            },
        }
    }

    /// Both sides of a rule are equal wherever it applies; returns how often it did.
    fn check(rule: &Rule, width: u32, random: &mut Random) -> usize {
        let narrow = if rule.is_two_widths() { width / 2 } else { 32 };
        let [from, to] = rule.patterns(narrow).unwrap();
        let root = |pattern: &Pattern<Node>| Id::from(pattern.ast.len() - 1);
        let whole = if rule.from.starts_with("(trunc") { narrow } else { width };
        let mut variables = FxHashMap::default();
        widths(&from.ast, root(&from), whole, narrow, &mut variables);
        let mut order: Vec<(Var, u32)> = variables.into_iter().collect();
        order.sort_by_key(|(var, _)| var.to_string());
        let mut applied = 0;
        for _ in 0..2500 {
            let mut values = FxHashMap::default();
            let mut facts = FxHashMap::default();
            for &(var, width) in &order {
                let value = random.value(width);
                values.insert(var, (value, width));
                // Known exactly, or that it lies between two numbers, or not at all.
                let (x, y) = (i128::from(value), i128::from(random.value(width)));
                let interval = match random.below(4) {
                    0 => Range::signed(width),
                    1 => Range::new(x.min(y), x.max(y)),
                    2 => Range::new(if x >= 0 { 0 } else { x }, x.max(0)),
                    _ => Range::point(value),
                };
                facts.insert(var, Facts { width, interval });
            }
            let by_name = |name: char| facts[&format!("?{name}").parse::<Var>().unwrap()];
            let result = facts_of(&from.ast, root(&from), &facts);
            let Some(left) = evaluate(&from.ast, root(&from), &values) else { continue };
            assert!(
                Range::point(left.0).is_within(result.interval),
                "{} at {width}: {left:?} is not in {result:?}, {values:?} {facts:?}",
                rule.name,
            );
            let Some(made) = (rule.when)(&Bound { of: &by_name, result }) else { continue };
            for (name, value) in made {
                let var = format!("?{name}").parse::<Var>().unwrap();
                assert_eq!(
                    wrap(value.into(), whole),
                    value,
                    "{}: a constant of {whole} bits",
                    rule.name
                );
                values.insert(var, (value, whole));
            }
            let right = evaluate(&to.ast, root(&to), &values);
            assert_eq!(Some(left), right, "{} at {width}: {values:?}", rule.name);
            applied += 1;
        }
        applied
    }

    #[test]
    fn every_rule_keeps_the_value() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for rule in RULES {
            for width in [8, 32, 64] {
                let applied = check(rule, width, &mut random);
                assert!(applied >= 8, "{} at {width} applied only {applied} times", rule.name);
            }
        }
    }

    #[test]
    fn every_rule_reads() {
        assert_eq!(rewrites().len(), RULES.len());
        let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len(), "names are used once");
    }
}
