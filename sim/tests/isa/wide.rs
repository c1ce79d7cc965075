//! 128 bits, cache policies and what else changes no value, constants of the machine.

use crate::harness::{cells, check};

#[test]
fn moves_loads_and_stores_of_128_bits() {
    let swap = ".reg .b128 %q<3>; mov.b128 %q0, {%d0, %d1}; mov.b128 %q1, %q0; mov.b128 {%e0, %e1}, %q1; \
                mov.b128 %q2, {%e1, %e0}; mov.b128 {%od, _}, %q2; xor.b64 %od, %od, %e0;";
    let swap = swap.replace("{%od, _}", "{%od, %e2}");
    check(&swap, "od", &cells(), |[a, b, ..]| a ^ b);
    let memory = ".reg .b128 %q<3>; .local .align 16 .b8 slot[48]; mov.b128 %q0, {%d0, %d1}; mov.b128 %q1, {%d2, %d3}; \
                  st.local.b128 [slot+16], %q0; st.local.b128 [slot], %q1; st.local.b128 [slot+32], %q0; \
                  ld.local.u64 %e0, [slot+8]; ld.local.b128 %q2, [slot+32]; mov.b128 {%e1, %e2}, %q2; \
                  ld.local.u64 %e3, [slot+16]; mul.lo.u64 %e0, %e0, 3; add.u64 %od, %e0, %e1; mul.lo.u64 %e2, %e2, 5; \
                  add.u64 %od, %od, %e2; xor.b64 %od, %od, %e3;";
    check(memory, "od", &cells(), |[a, b, _, d]| {
        d.wrapping_mul(3).wrapping_add(a).wrapping_add(b.wrapping_mul(5)) ^ a
    });
}

#[test]
fn exchange_and_compare_of_128_bits() {
    let code = |op: &str| {
        format!(
            ".reg .b128 %q<5>; .shared .align 16 .b8 tile[4096]; mov.u64 %e0, tile; mul.wide.u32 %e1, %t, 16; add.u64 %e0, %e0, %e1; \
             mov.b128 %q0, {{%d0, %d1}}; mov.b128 %q1, {{%d2, %d3}}; st.shared.b128 [%e0], %q0; {op} \
             ld.shared.b128 %q3, [%e0]; mov.b128 {{%e1, %e2}}, %q3; mov.b128 {{%od, %e3}}, %q2; \
             mul.lo.u64 %e1, %e1, 3; add.u64 %od, %od, %e1; mul.lo.u64 %e2, %e2, 5; add.u64 %od, %od, %e2; add.u64 %od, %od, %e3;"
        )
    };
    let sum = |old: [u64; 2], new: [u64; 2]| {
        old[0]
            .wrapping_add(new[0].wrapping_mul(3))
            .wrapping_add(new[1].wrapping_mul(5))
            .wrapping_add(old[1])
    };
    let exchange = code("atom.shared.exch.b128 %q2, [%e0], %q1;");
    check(&exchange, "od", &cells(), |[a, b, c, d]| sum([a, b], [c, d]));
    // Equal where the thread's number is even.
    let compare = code(
        "and.b32 %u0, %t, 1; cvt.u64.u32 %e1, %u0; xor.b64 %e1, %e1, %d0; mov.b128 %q4, {%e1, %d1}; atom.shared.cas.b128 %q2, [%e0], %q4, %q1;",
    );
    let inputs = cells();
    let odd: Vec<bool> = (0..inputs.len()).map(|i| i % 256 % 2 == 1).collect();
    for (input, (got, odd)) in
        inputs.iter().zip(crate::harness::answers(&compare, "od", &inputs).into_iter().zip(odd))
    {
        let [a, b, c, d] = *input;
        assert_eq!(got, sum([a, b], if odd { [a, b] } else { [c, d] }), "{input:x?}");
    }
}

#[test]
fn hints_change_nothing() {
    check(
        "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %e0, 0.5; createpolicy.fractional.L2::evict_first.b64 %e1; \
         createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %e2, [%in], 64, 128; \
         prefetch.global.L2::evict_last [%in]; prefetch.global.L2 [%in]; prefetchu.L1 [%in]; \
         ld.global.L1::evict_last.L2::cache_hint.v2.u64 {%d0, %d1}, [%in], %e0; ld.global.nc.L2::cache_hint.u64 %d2, [%in+16], %e1; \
         st.global.L2::cache_hint.u64 [%out], %d0, %e2; atom.global.add.L2::cache_hint.u64 %d3, [%out], %d1, %e0; \
         red.global.xor.L2::cache_hint.b64 [%out], %d2, %e0; ld.global.u64 %od, [%out]; add.u64 %od, %od, %d3;",
        "od",
        &cells(),
        |[a, b, c, _]| (a.wrapping_add(b) ^ c).wrapping_add(a),
    );
}

#[test]
fn vectors_of_reductions() {
    let bits = |v: f32| u64::from(v.to_bits());
    check(
        ".reg .f32 %f<3>; st.global.u64 [%out], %d0; mov.b64 {%f0, %f1}, %d1; red.global.add.v2.f32 [%out], {%f0, %f1}; \
         ld.global.u64 %od, [%out];",
        "od",
        &[[bits(1.5) | bits(-2.0) << 32, bits(3.0) | bits(0.25) << 32, 0, 0]],
        |_| bits(4.5) | bits(-1.75) << 32,
    );
}

#[test]
fn what_a_machine_without_clusters_says() {
    for (name, want) in [
        ("%cluster_nctaid.x", 1),
        ("%cluster_ctaid.y", 0),
        ("%cluster_nctarank", 1),
        ("%cluster_ctarank", 0),
        ("%nclusterid.x", 1),
        ("%clusterid.z", 0),
        ("%envreg3", 0),
        ("%reserved_smem_offset_begin", 0),
        ("%reserved_smem_offset_1", 0),
    ] {
        check(&format!("mov.u32 %o, {name};"), "o", &[[0; 4]], |_| want);
    }
    check("mov.u32 %o, WARP_SZ; add.u32 %o, %o, WARP_SZ;", "o", &[[0; 4]], |_| 64);
    check("mov.pred %p0, %is_explicit_cluster;", "p", &[[0; 4]], |_| 0);
}
