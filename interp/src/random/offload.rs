//! Compute regions of directives.

use super::program::{Buffer, EXTENT, Generator, Kind};

impl Generator {
    /// A function of one compute region, as the C reader makes it: what loops write no other loop
    /// touches, and independent iterations write elements of their own.
    pub(super) fn offload(&mut self) {
        self.add_buffers(false);
        let static_extent = EXTENT + 2;
        for (name, shape, rank, kind) in [
            ("o", "?x".to_owned(), 1, Kind::Float),
            ("p", format!("?x{static_extent}x"), 2, Kind::Float),
            ("q", "?x".to_owned(), 1, Kind::Int),
            ("r", format!("?x{static_extent}x"), 2, Kind::Int),
        ] {
            let ty = format!("memref<{shape}{}>", kind.ty());
            let name = format!("%{name}");
            self.buffers.push(Buffer {
                name,
                ty,
                rank,
                kind,
                has_margin: false,
                is_written: true,
                is_linear: false,
            });
        }
        let head =
            format!("func.func @main({}, %s: memref<i32>, %t: memref<f32>)", self.arguments());
        self.block(&head, "", |g| {
            g.prologue(false);
            g.block("offload.region parallel", "", Self::compute_loop);
            g.line("return");
        });
    }

    /// A function of one compute region with loops in which any iteration may touch anything.
    pub(super) fn kernels(&mut self) {
        self.add_buffers(true);
        let head =
            format!("func.func @main({}, %s: memref<i32>, %t: memref<f32>)", self.arguments());
        self.block(&head, "", |g| {
            g.prologue(true);
            g.block("offload.region kernels", "", |g| {
                for _ in 0..g.random.between(1, 2) {
                    g.auto_loop();
                }
            });
            g.line("return");
        });
    }

    fn auto_loop(&mut self) {
        let levels = *self.random.pick(&["", "gang", "gang vector"]);
        let rank = self.random.between(1, 2) as usize;
        let inner = if self.is_square || self.random.once_in(2) { "%n" } else { "%c5" };
        let ivs: Vec<String> = (0..rank).map(|_| self.fresh()).collect();
        let lower = vec!["%c0"; rank].join(", ");
        let upper = ["%n", inner][..rank].join(", ");
        let step = vec!["%c1"; rank].join(", ");
        let list = ivs.join(", ");
        let head =
            format!("offload.loop auto {levels} ({list}) = ({lower}) to ({upper}) step ({step})");
        self.block(&head, "", |g| {
            for (d, iv) in ivs.iter().enumerate() {
                g.count(iv.clone(), d == 0 || inner == "%n");
            }
            // Half of the loops are independent, up to reductions.
            let written: Vec<bool> = g.buffers.iter().map(|buffer| buffer.is_written).collect();
            if g.random.once_in(2) {
                g.own = Some(ivs);
                for i in 0..g.buffers.len() {
                    g.buffers[i].is_written = g.random.once_in(2);
                }
            }
            let reduction = *g.random.pick(&["", "", "add %s", "max %s", "max %t"]);
            g.loop_body(levels, reduction);
            g.own = None;
            for (buffer, is_written) in g.buffers.iter_mut().zip(written) {
                buffer.is_written = is_written;
            }
        });
    }

    fn compute_loop(&mut self) {
        let rank = self.random.between(1, 2) as usize;
        let levels =
            *self.random.pick(&["gang", "gang vector", "gang worker vector", "vector", ""]);
        let reduction = *self.random.pick(&[
            "",
            "",
            " reduction(add %s : memref<i32>)",
            " reduction(max %s : memref<i32>)",
            " reduction(max %t : memref<f32>)",
            " reduction(ixor %s : memref<i32>, min %t : memref<f32>)",
        ]);
        // Two loops in each other, or one with two dimensions.
        let split = rank == 2 && levels == "gang" && reduction.is_empty();
        let ivs: Vec<String> = (0..rank).map(|_| self.fresh()).collect();
        let limits: Vec<String> =
            (0..rank).map(|_| format!("%c{}", self.random.between(1, EXTENT))).collect();
        let zeros = vec!["%c0"; rank].join(", ");
        let ones = vec!["%c1"; rank].join(", ");
        let head = |levels: &str, ivs: &str, zeros: &str, limits: &str, ones: &str| {
            format!(
                "offload.loop independent {levels} ({ivs}) = ({zeros}) to ({limits}) step ({ones})"
            )
        };
        if split {
            self.block(&head(levels, &ivs[0], "%c0", "%n", "%c1"), "", |g| {
                g.count(ivs[0].clone(), true);
                g.block(&head("vector", &ivs[1], "%c0", &limits[1], "%c1"), "", |g| {
                    g.scope.indices.push(ivs[1].clone());
                    g.own = Some(ivs.clone());
                    g.loop_body("gang vector", "");
                });
            });
        } else {
            let mut limits = limits;
            limits[0] = "%n".into();
            let text = head(levels, &ivs.join(", "), &zeros, &limits.join(", "), &ones) + reduction;
            self.block(&text, "", |g| {
                for (d, iv) in ivs.iter().enumerate() {
                    g.count(iv.clone(), d == 0);
                }
                g.own = Some(ivs.clone());
                g.loop_body(levels, reduction);
            });
        }
        self.own = None;
    }

    fn loop_body(&mut self, levels: &str, reduction: &str) {
        self.budget = 25;
        if self.random.once_in(3) {
            self.inner_reduction(levels);
        }
        while self.budget > 0 {
            self.statement(1);
        }
        for (variable, op, kind) in [
            ("add %s", "addi", Kind::Int),
            ("max %s", "maxsi", Kind::Int),
            ("ixor %s", "xori", Kind::Int),
            ("max %t", "maxnumf", Kind::Float),
            ("min %t", "minnumf", Kind::Float),
        ] {
            if reduction.contains(variable) {
                let name = &variable[variable.len() - 2..];
                let ty = kind.ty();
                let value = self.expression(kind, 2);
                let old = self.value(&format!("memref.load {name}[] : memref<{ty}>"));
                let new = self.value(&format!("arith.{op} {old}, {value} : {ty}"));
                self.line(&format!("memref.store {new}, {name}[] : memref<{ty}>"));
            }
        }
    }

    /// A sum over an inner loop, into a local variable.
    fn inner_reduction(&mut self, outer: &str) {
        let (variable, iv) = (self.fresh(), self.fresh());
        self.line(&format!("{variable} = memref.alloca() : memref<i32>"));
        self.line(&format!("memref.store %x, {variable}[] : memref<i32>"));
        let mut kinds = vec!["seq", "independent"];
        // No level stands inside itself or a finer one.
        if !outer.contains("vector") {
            kinds.push("independent vector");
        }
        let levels = *self.random.pick(&kinds);
        let head = format!(
            "offload.loop {levels} ({iv}) = (%c0) to (%c{}) step (%c1) reduction(add {variable} : memref<i32>)",
            self.random.between(1, EXTENT)
        );
        let own = self.own.take();
        // Nothing but the sum is written inside.
        self.own = Some(Vec::new());
        self.block(&head, "", |g| {
            g.scope.indices.push(iv);
            let value = g.expression(Kind::Int, 2);
            let old = g.value(&format!("memref.load {variable}[] : memref<i32>"));
            let new = g.value(&format!("arith.addi {old}, {value} : i32"));
            g.line(&format!("memref.store {new}, {variable}[] : memref<i32>"));
        });
        self.own = own;
        self.scope.locals.push((variable, Kind::Int));
    }
}
