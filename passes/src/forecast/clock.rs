//! What a warp issues, and when: instructions in order, each when its operands are there.

use gpuc_arch::{Arch, Demand, OpClass, Phase};
use gpuc_ir::Op;

/// A warp's way through its instructions, in phases between barriers.
pub struct Clock<'a> {
    arch: &'a Arch,
    now: f64,
    /// How many times over what is issued counts: iterations that are not looked at are like the one that is.
    pub weight: f64,
    phases: Vec<(Option<Op>, Phase)>,
    current: usize,
    /// When copies in the background have arrived, by group.
    arrivals: Vec<f64>,
    pending: f64,
}

impl<'a> Clock<'a> {
    pub fn new(arch: &'a Arch) -> Clock<'a> {
        Clock {
            arch,
            now: 0.0,
            weight: 1.0,
            phases: vec![(None, Phase::default())],
            current: 0,
            arrivals: Vec::new(),
            pending: 0.0,
        }
    }

    /// The phases.
    pub fn phases(self) -> Vec<Phase> {
        self.phases.into_iter().map(|(_, phase)| phase).collect()
    }

    fn phase(&mut self) -> &mut Phase {
        &mut self.phases[self.current].1
    }

    /// What the phase needs.
    pub fn demand(&mut self) -> &mut Demand {
        &mut self.phase().demand
    }

    /// Lets time pass until then.
    pub fn wait_until(&mut self, then: f64) {
        let waited = (then - self.now).max(0.0) * self.weight;
        self.phase().alone += waited;
        self.now = self.now.max(then);
    }

    /// Issues instructions of a class when operands are there, in a part of the warps; when the result is.
    pub fn issue(&mut self, class: OpClass, count: f64, operands: f64, part: f64) -> f64 {
        let latency = f64::from(self.arch.cost(class).latency);
        self.issue_taking(class, count, operands, part, latency)
    }

    /// The same with a latency of its own.
    pub fn issue_taking(
        &mut self,
        class: OpClass,
        count: f64,
        operands: f64,
        part: f64,
        latency: f64,
    ) -> f64 {
        let cost = self.arch.cost(class);
        self.wait_until(operands);
        let start = self.now;
        self.wait_until(start + f64::from(cost.instructions) * count);
        let issued = count * self.weight * part;
        self.demand().count(class, issued);
        start + latency
    }

    /// A barrier, which begins a phase; that of its first time where it has been before.
    pub fn barrier(&mut self, op: Op) {
        self.issue(OpClass::Barrier, 1.0, 0.0, 1.0);
        let weight = self.weight;
        self.phase().barriers += weight;
        let known = self.phases.iter().position(|(from, _)| *from == Some(op));
        self.current = known.unwrap_or_else(|| {
            self.phases.push((Some(op), Phase::default()));
            self.phases.len() - 1
        });
    }

    /// A copy in the background, which arrives then.
    pub fn in_background(&mut self, then: f64) {
        self.pending = self.pending.max(then);
    }

    /// The copies so far are a group.
    pub fn commit(&mut self) {
        self.arrivals.push(self.pending);
        self.pending = 0.0;
    }

    /// Waits until all groups but so many have arrived.
    pub fn wait_for_groups(&mut self, but: usize) {
        let done = self.arrivals.len().saturating_sub(but);
        let last = self.arrivals[..done].iter().fold(0.0f64, |last, &at| last.max(at));
        self.arrivals.drain(..done);
        self.wait_until(last);
    }
}
