//! Operands and use lists.

use cranelift_entity::EntityRef;

use super::{Ir, Op, Use, UseData, Value};

impl Ir {
    /// Operands of an operation, those passed to successors included.
    #[inline]
    pub fn operands(
        &self,
        op: Op,
    ) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator + '_ {
        self.operand_slots(op).map(|slot| self.use_value(slot))
    }

    /// Number of operands.
    #[inline]
    pub fn operand_count(&self, op: Op) -> usize {
        self.ops[op].operand_count as usize
    }

    /// Operand `index`.
    ///
    /// # Panics
    /// If there is no such operand.
    #[inline]
    pub fn operand(&self, op: Op, index: usize) -> Value {
        assert!(index < self.operand_count(op), "operand {index} of {}", self.name(op));
        self.use_value(Use::new(self.ops[op].operands as usize + index))
    }

    /// The slots of an operation's operands.
    #[inline]
    pub fn operand_slots(
        &self,
        op: Op,
    ) -> impl DoubleEndedIterator<Item = Use> + ExactSizeIterator + use<> {
        let data = &self.ops[op];
        let first = data.operands as usize;
        (first..first + data.operand_count as usize).map(Use::new)
    }

    /// The value in an operand slot.
    #[inline]
    pub fn use_value(&self, slot: Use) -> Value {
        self.uses[slot].value.expect("slots of live operations hold values")
    }

    /// The operation a slot belongs to.
    #[inline]
    pub fn use_owner(&self, slot: Use) -> Op {
        self.uses[slot].owner
    }

    /// Index of the slot among its operation's operands.
    pub fn use_index(&self, slot: Use) -> usize {
        slot.index() - self.ops[self.uses[slot].owner].operands as usize
    }

    /// Uses of a value, latest first.
    #[inline]
    pub fn uses(&self, value: Value) -> impl Iterator<Item = Use> + '_ {
        std::iter::successors(self.values[value].first_use.expand(), |&slot| {
            self.uses[slot].next.expand()
        })
    }

    /// Operations that use a value, once for each use, latest use first.
    #[inline]
    pub fn users(&self, value: Value) -> impl Iterator<Item = Op> + '_ {
        self.uses(value).map(|slot| self.use_owner(slot))
    }

    /// Whether nothing uses a value.
    #[inline]
    pub fn is_unused(&self, value: Value) -> bool {
        self.values[value].first_use.is_none()
    }

    /// Whether a value has exactly one use.
    pub fn has_one_use(&self, value: Value) -> bool {
        self.uses(value).take(2).count() == 1
    }

    /// Sets operand `index`.
    pub fn set_operand(&mut self, op: Op, index: usize, value: Value) {
        assert!(index < self.operand_count(op), "operand {index} of {}", self.name(op));
        let slot = Use::new(self.ops[op].operands as usize + index);
        self.set_use(slot, value);
    }

    /// Puts another value into an operand slot.
    pub fn set_use(&mut self, slot: Use, value: Value) {
        self.unlink_use(slot);
        self.link_use(slot, value);
        self.edited();
    }

    /// Replaces the whole operand list.
    pub fn set_operands(&mut self, op: Op, values: &[Value]) {
        for slot in self.operand_slots(op) {
            self.unlink_use(slot);
        }
        if values.len() > self.ops[op].operand_count as usize {
            // The old slots stay behind, unlinked; growth is rare and lists are short.
            self.ops[op].operands = self.uses.len() as u32;
            for _ in values {
                self.uses.push(UseData {
                    value: None.into(),
                    owner: op,
                    previous: None.into(),
                    next: None.into(),
                });
            }
        }
        self.ops[op].operand_count = values.len() as u32;
        self.edited();
        let first = self.ops[op].operands as usize;
        for (i, &value) in values.iter().enumerate() {
            self.link_use(Use::new(first + i), value);
        }
    }

    /// Appends an operand.
    pub fn push_operand(&mut self, op: Op, value: Value) {
        let mut values: Vec<_> = self.operands(op).collect();
        values.push(value);
        self.set_operands(op, &values);
    }

    /// Removes operand `index`.
    pub fn remove_operand(&mut self, op: Op, index: usize) {
        let mut values: Vec<_> = self.operands(op).collect();
        values.remove(index);
        self.set_operands(op, &values);
    }

    /// Replaces every use of `from` by `to`.
    pub fn replace_all_uses(&mut self, from: Value, to: Value) {
        if from == to {
            return;
        }
        while let Some(slot) = self.values[from].first_use.expand() {
            self.set_use(slot, to);
        }
    }

    /// Replaces the uses of `from` for which `which` holds by `to`.
    pub fn replace_uses_if(
        &mut self,
        from: Value,
        to: Value,
        mut which: impl FnMut(&Ir, Use) -> bool,
    ) {
        let slots: Vec<_> = self.uses(from).collect();
        for slot in slots {
            if which(self, slot) {
                self.set_use(slot, to);
            }
        }
    }

    #[inline]
    pub(super) fn link_use(&mut self, slot: Use, value: Value) {
        let head = self.values[value].first_use;
        let data = &mut self.uses[slot];
        data.value = value.into();
        data.previous = None.into();
        data.next = head;
        if let Some(head) = head.expand() {
            self.uses[head].previous = slot.into();
        }
        self.values[value].first_use = slot.into();
    }

    #[inline]
    pub(super) fn unlink_use(&mut self, slot: Use) {
        let data = &self.uses[slot];
        let (value, previous, next) = (data.value, data.previous, data.next);
        let Some(value) = value.expand() else { return };
        match previous.expand() {
            Some(previous) => self.uses[previous].next = next,
            None => self.values[value].first_use = next,
        }
        if let Some(next) = next.expand() {
            self.uses[next].previous = previous;
        }
        self.uses[slot].value = None.into();
    }
}
