//! The choice of one term for each class.
//!
//! First each class takes its cheapest term as if nothing were shared. Then the classes that
//! several chosen terms use are made cheaper in proportion, those needed in any case are free, and
//! each class chooses again, among terms whose parts were cheaper than the class itself in the
//! first choice, so that no term can contain itself. Prices grow by [`LOOP`] with each loop that a
//! term varies in.

use egg::Id;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::Graph;
use super::node::Node;
use super::price::Prices;

/// How often a loop is taken to run.
pub const LOOP: u64 = 8;

/// Loops that count; deeper ones cost no more.
const DEEPEST: u32 = 6;

/// The factor for an operation that stands in so many loops.
pub fn frequency(depth: u32) -> u64 {
    LOOP.pow(depth.min(DEEPEST))
}

/// The chosen term of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Best {
    /// The term's outermost operation.
    pub node: Node,
    /// Its price with all its parts.
    pub price: u64,
    /// The loops around the innermost value it needs.
    pub depth: u32,
}

/// A choice for every class that has a term.
pub type Choice = FxHashMap<Id, Best>;

/// What a choice is made by.
pub struct Extractor<'a> {
    /// The classes.
    pub graph: &'a Graph,
    /// The device's prices.
    pub prices: Prices,
    /// Loops around each leaf, by number.
    pub depths: &'a [u32],
    /// The classes that must be computed.
    pub roots: &'a [Id],
}

impl Extractor<'_> {
    /// The best choice found, and its price with every shared term counted once.
    pub fn choose(&self) -> (Choice, u64) {
        let first = self.trees();
        let mut best = (self.total(&first), first.clone());
        let mut current = first.clone();
        for _ in 0..2 {
            current = self.with_sharing(&first, &current);
            let total = self.total(&current);
            if total < best.0 {
                best = (total, current.clone());
            }
        }
        let mut reusing = best.1.clone();
        self.reuse(&mut reusing);
        let total = self.total(&reusing);
        if total < best.0 { (reusing, total) } else { (best.1, best.0) }
    }

    /// Lets classes choose terms of what is computed anyway (the low half of an index that is
    /// needed as a whole), where that is cheaper than the operation they have.
    fn reuse(&self, choice: &mut Choice) {
        let order = self.needed(choice);
        let mut needed: FxHashSet<Id> = order.iter().copied().collect();
        for id in order {
            if !needed.contains(&id) {
                continue;
            }
            let marginal = |node: &Node| {
                self.evaluate(node, |child| {
                    let best = choice.get(&child)?;
                    let price = if needed.contains(&child) { 0 } else { best.price };
                    Some((price, best.depth))
                })
            };
            let Some(current) = marginal(&choice[&id].node) else { continue };
            let cheaper = self.graph[id]
                .nodes
                .iter()
                .filter_map(marginal)
                .filter(|new| new.price < current.price)
                .filter(|new| !self.reaches(choice, &new.node, id))
                .min_by_key(|new| new.price);
            if let Some(new) = cheaper {
                // The price of the whole term stays an upper bound; nobody compares it any more.
                let price = choice[&id].price;
                choice.insert(id, Best { price, ..new });
                needed = self.needed(choice).into_iter().collect();
            }
        }
    }

    /// Whether the term under `node` contains the class `target`.
    fn reaches(&self, choice: &Choice, node: &Node, target: Id) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Id> = egg::Language::children(node).to_vec();
        while let Some(id) = stack.pop() {
            let id = self.graph.find(id);
            if id == target {
                return true;
            }
            if seen.insert(id)
                && let Some(best) = choice.get(&id)
            {
                stack.extend(egg::Language::children(&best.node));
            }
        }
        false
    }

    fn evaluate(&self, node: &Node, of: impl Fn(Id) -> Option<(u64, u32)>) -> Option<Best> {
        let children: SmallVec<[Id; 3]> =
            egg::Language::children(node).iter().map(|&id| self.graph.find(id)).collect();
        let mut price = 0u64;
        let mut depth = match *node {
            Node::Leaf { number, .. } => self.depths.get(number as usize).copied().unwrap_or(0),
            _ => 0,
        };
        for &child in &children {
            let (part, loops) = of(child)?;
            price = price.saturating_add(part);
            depth = depth.max(loops);
        }
        let facts: SmallVec<[_; 3]> = children.iter().map(|&id| self.graph[id].data).collect();
        let own = self.prices.node(node, &facts).saturating_mul(frequency(depth));
        let node = egg::Language::map_children(node.clone(), |id| self.graph.find(id));
        Some(Best { node, price: price.saturating_add(own), depth })
    }

    /// The cheapest term of each class, every use of a part paid for.
    fn trees(&self) -> Choice {
        let mut choice = Choice::default();
        let mut changed = true;
        while changed {
            changed = false;
            for class in self.graph.classes() {
                for node in &class.nodes {
                    let best = self
                        .evaluate(node, |id| choice.get(&id).map(|best| (best.price, best.depth)));
                    let Some(best) = best else { continue };
                    let better = choice.get(&class.id).is_none_or(|old| best.price < old.price);
                    if better {
                        choice.insert(class.id, best);
                        changed = true;
                    }
                }
            }
        }
        choice
    }

    /// Chooses again with the classes that `current` shares made cheaper.
    fn with_sharing(&self, trees: &Choice, current: &Choice) -> Choice {
        let uses = self.uses(current);
        let roots: FxHashSet<Id> = self.roots.iter().map(|&id| self.graph.find(id)).collect();
        let mut order: Vec<(u64, Id)> = trees.iter().map(|(&id, best)| (best.price, id)).collect();
        order.sort_unstable();
        let mut choice = Choice::default();
        for (limit, id) in order {
            let mut best: Option<Best> = None;
            for node in &self.graph[id].nodes {
                let new = self.evaluate(node, |child| {
                    let found = choice.get(&child)?;
                    let smaller = trees.get(&child)?.price < limit;
                    // What is needed anyway costs nothing more.
                    let price = match roots.contains(&child) {
                        true => 0,
                        false => found.price / uses.get(&child).copied().unwrap_or(1).max(1),
                    };
                    smaller.then_some((price, found.depth))
                });
                if let Some(new) = new
                    && best.as_ref().is_none_or(|old| new.price < old.price)
                {
                    best = Some(new);
                }
            }
            let kept = best.unwrap_or_else(|| trees[&id].clone());
            choice.insert(id, kept);
        }
        choice
    }

    /// The classes that the roots need, parts before what uses them.
    pub fn needed(&self, choice: &Choice) -> Vec<Id> {
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        let mut stack: Vec<(Id, bool)> =
            self.roots.iter().rev().map(|&id| (self.graph.find(id), false)).collect();
        while let Some((id, done)) = stack.pop() {
            if done {
                order.push(id);
            } else if seen.insert(id)
                && let Some(best) = choice.get(&id)
            {
                stack.push((id, true));
                stack.extend(egg::Language::children(&best.node).iter().map(|&c| (c, false)));
            }
        }
        order
    }

    fn uses(&self, choice: &Choice) -> FxHashMap<Id, u64> {
        let mut uses: FxHashMap<Id, u64> = FxHashMap::default();
        for id in self.needed(choice) {
            for &child in egg::Language::children(&choice[&id].node) {
                *uses.entry(child).or_default() += 1;
            }
        }
        for &root in self.roots {
            *uses.entry(self.graph.find(root)).or_default() += 1;
        }
        uses
    }

    /// The price of all roots, each class paid for once.
    fn total(&self, choice: &Choice) -> u64 {
        let mut total = 0u64;
        let mut depths: FxHashMap<Id, u32> = FxHashMap::default();
        for id in self.needed(choice) {
            let node = &choice[&id].node;
            let own =
                self.evaluate(node, |child| Some((0, depths.get(&child).copied().unwrap_or(0))));
            if let Some(own) = own {
                total = total.saturating_add(own.price);
                depths.insert(id, own.depth);
            }
        }
        total
    }
}
