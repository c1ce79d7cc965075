"""Kernels of one instruction each: dependent chains, whose time is the latency with few warps and
the throughput with many; model.py times them and prices them.

Each kernel is `name(.u64 out, .u32 trips, .u32 c, .u32 d)`: `trips` rounds of the instruction in
`width` independent chains. Thread 0 of each block writes the clocks that its block took to
out[block], as u64. Operands come from parameters, so that nothing is known to an assembler.
"""

from collections import namedtuple

# `steps` is the instruction (several, where one alone would be folded or its types do not fit), with X
# the chain's register of `type`, T, U, W its temporaries (.b32, .b64, .b64), P its predicate, C and D the
# operands, Z a zero of 32 bits that no assembler knows, S and G the lane's places in shared and
# global memory, SS and GG places that all lanes share; `count` how many instructions of interest it has. Every lane has another start, as what is
# the same in all of them would be computed once for the warp, by its scalar unit.
Chain = namedtuple("Chain", "name type steps count")

CHAINS = [
    Chain("int_add_xor", "b32", "add.u32 X, X, C; xor.b32 X, X, D;", 2),
    Chain("int_mad", "b32", "mad.lo.u32 X, X, C, D;", 1),
    Chain("int_mul_hi", "b32", "mul.hi.u32 X, X, C;", 1),
    Chain("int_mad_wide", "b64", "cvt.u32.u64 T, X; mad.wide.u32 X, T, C32, X;", 1),
    Chain("int_add64_xor", "b64", "add.u64 X, X, C; xor.b64 X, X, D;", 2),
    Chain("int_mul64", "b64", "mul.lo.u64 X, X, C;", 1),
    Chain("int_mul_hi64", "b64", "mul.hi.u64 X, X, C;", 1),
    Chain("int_shift", "b32", "shl.b32 X, C, X;", 1),
    Chain("int_shift64", "b64", "cvt.u32.u64 T, X; shr.u64 X, C, T;", 1),
    Chain("int_min_max", "b32", "min.s32 X, X, C; max.s32 X, X, D;", 2),
    Chain("int_compare_select", "b32", "setp.lt.s32 P, X, C; selp.b32 X, D, X, P;", 2),
    Chain("int_div", "b32", "div.u32 X, C, X;", 1),
    Chain("int_div_signed", "b32", "div.s32 X, C, X;", 1),
    Chain("int_rem", "b32", "rem.u32 X, C, X;", 1),
    Chain("int_div64", "b64", "div.u64 X, C, X;", 1),
    Chain("int_popc", "b32", "popc.b32 X, X;", 1),
    Chain("int_clz", "b32", "clz.b32 X, X;", 1),
    Chain("int_brev_add", "b32", "brev.b32 X, X; add.u32 X, X, C;", 1),
    Chain("int_prmt", "b32", "prmt.b32 X, X, C, D;", 1),
    Chain("int_bfe", "b32", "bfe.u32 X, C, X, D;", 1),
    Chain("int_dp4a", "b32", "dp4a.u32.u32 X, X, C, D;", 1),
    Chain("f32_fma", "f32", "fma.rn.f32 X, X, C, D;", 1),
    Chain("f32_add", "f32", "add.rn.f32 X, X, C;", 1),
    Chain("f32_mul", "f32", "mul.rn.f32 X, X, C;", 1),
    Chain("f32_min_max", "f32", "min.f32 X, X, C; max.f32 X, X, D;", 2),
    Chain("f32_compare_select", "f32", "setp.lt.f32 P, X, C; selp.b32 X, D, X, P;", 2),
    Chain("f16x2_fma", "b32", "fma.rn.f16x2 X, X, C, D;", 1),
    Chain("bf16x2_fma", "b32", "fma.rn.bf16x2 X, X, C, D;", 1),
    Chain("f64_fma", "f64", "fma.rn.f64 X, X, C, D;", 1),
    Chain("f64_add", "f64", "add.rn.f64 X, X, C;", 1),
    Chain("f64_mul", "f64", "mul.rn.f64 X, X, C;", 1),
    Chain("f64_min_max", "f64", "min.f64 X, X, C; max.f64 X, X, D;", 2),
    Chain("f32_div", "f32", "div.rn.f32 X, C, X;", 1),
    Chain("f32_div_of_zero", "f32", "div.rn.f32 X, CZ, X; add.rn.f32 X, X, C;", 1),
    Chain("f32_div_full", "f32", "div.full.f32 X, C, X;", 1),
    Chain("f32_div_approx", "f32", "div.approx.f32 X, C, X;", 1),
    Chain("f32_rcp", "f32", "rcp.rn.f32 X, X;", 1),
    Chain("f32_rcp_approx_add", "f32", "rcp.approx.ftz.f32 X, X; add.rn.f32 X, X, C;", 1),
    Chain("f32_sqrt", "f32", "sqrt.rn.f32 X, X;", 1),
    Chain("f32_sqrt_approx", "f32", "sqrt.approx.ftz.f32 X, X;", 1),
    Chain("f32_rsqrt", "f32", "rsqrt.approx.ftz.f32 X, X;", 1),
    Chain("f32_ex2", "f32", "ex2.approx.ftz.f32 X, X;", 1),
    Chain("f32_ex2_subnormal", "f32", "ex2.approx.f32 X, X;", 1),
    Chain("f32_lg2", "f32", "lg2.approx.ftz.f32 X, X;", 1),
    Chain("f32_sin", "f32", "sin.approx.ftz.f32 X, X;", 1),
    Chain("f32_tanh", "f32", "tanh.approx.f32 X, X;", 1),
    Chain("f64_div", "f64", "div.rn.f64 X, C, X;", 1),
    Chain("f64_div_of_zero", "f64", "div.rn.f64 X, DZ, X; add.rn.f64 X, X, C;", 1),
    Chain("f64_rcp", "f64", "rcp.rn.f64 X, X;", 1),
    Chain("f64_sqrt", "f64", "sqrt.rn.f64 X, X;", 1),
    Chain("cvt_f32_s32", "b32", "cvt.rn.f32.s32 X, X; cvt.rzi.s32.f32 X, X;", 2),
    Chain("cvt_f32_f16", "f32", "{ .reg .b16 h; cvt.rn.f16.f32 h, X; cvt.f32.f16 X, h; }", 2),
    Chain("cvt_f32_f64_add", "f32", "cvt.f64.f32 U, X; add.rn.f64 U, U, C64; cvt.rn.f32.f64 X, U;", 2),
    Chain("cvt_f64_s32_add", "b32", "cvt.rn.f64.s32 U, X; add.rn.f64 U, U, C64; cvt.rzi.s32.f64 X, U;", 2),
    Chain("cvt_f32_u64", "f32", "cvt.rzi.u64.f32 U, X; cvt.rn.f32.u64 X, U;", 2),
    Chain("cvt_f64_s64_add", "b64", "cvt.rn.f64.s64 U, X; add.rn.f64 U, U, C64; cvt.rzi.s64.f64 X, U;", 2),
    Chain("shuffle", "b32", "shfl.sync.up.b32 X, X, C, 0, -1;", 1),
    Chain("vote_ballot", "b32", "setp.lt.u32 P, X, C; vote.sync.ballot.b32 X, P, -1;", 1),
    Chain("redux_add", "b32", "redux.sync.add.u32 X, X, -1;", 1),
    Chain("match_any", "b32", "match.any.sync.b32 X, X, -1;", 1),
    Chain("shared_load", "b32", "and.b32 T, X, Z; add.u32 T, T, S; ld.volatile.shared.b32 X, [T];", 1),
    Chain("shared_load8", "b32", "and.b32 T, X, Z; add.u32 T, T, S; { .reg .b32 y; ld.volatile.shared.v2.b32 {X, y}, [T]; }", 1),
    Chain("shared_load16", "b32", "and.b32 T, X, Z; add.u32 T, T, S; { .reg .b32 y<3>; ld.volatile.shared.v4.b32 {X, y0, y1, y2}, [T]; }", 1),
    Chain("shared_store_load", "b32", "st.volatile.shared.b32 [S], X; ld.volatile.shared.b32 X, [S];", 2),
    Chain("shared_atomic_add", "b32", "and.b32 T, X, Z; add.u32 T, T, S; atom.shared.add.u32 X, [T], C;", 1),
    Chain("shared_atomic_cas", "b32", "and.b32 T, X, Z; add.u32 T, T, S; atom.shared.cas.b32 X, [T], C, D;", 1),
    Chain("shared_atomic_fadd", "b32", "and.b32 T, X, Z; add.u32 T, T, S; atom.shared.add.f32 X, [T], CF;", 1),
    Chain("shared_atomic_fadd_same", "b32", "and.b32 T, X, Z; add.u32 T, T, SS; atom.shared.add.f32 X, [T], CF;", 1),
    Chain("global_load_l1", "b32", "and.b32 T, X, Z; cvt.u64.u32 U, T; add.u64 U, U, G; ld.global.ca.b32 X, [U];", 1),
    Chain("global_load_l1_same", "b32", "and.b32 T, X, Z; cvt.u64.u32 U, T; add.u64 U, U, GG; ld.global.ca.b32 X, [U];", 1),
    Chain("global_load_l1_8", "b32", "and.b32 T, X, Z; cvt.u64.u32 U, T; add.u64 U, U, G; { .reg .b32 y; ld.global.ca.v2.b32 {X, y}, [U]; }", 1),
    Chain("global_load_l1_16", "b32", "and.b32 T, X, Z; cvt.u64.u32 U, T; add.u64 U, U, G; { .reg .b32 y<3>; ld.global.ca.v4.b32 {X, y0, y1, y2}, [U]; }", 1),
    Chain("global_load_l2", "b32", "and.b32 T, X, Z; cvt.u64.u32 U, T; add.u64 U, U, G; ld.global.cg.b32 X, [U];", 1),
    Chain("global_atomic_add", "b32", "and.b32 T, X, Z; cvt.u64.u32 U, T; add.u64 U, U, G; atom.global.add.u32 X, [U], C;", 1),
    Chain("global_atomic_fadd", "b32", "and.b32 T, X, Z; cvt.u64.u32 U, T; add.u64 U, U, G; atom.global.add.f32 X, [U], CF;", 1),
    Chain("branch_uniform", "b32", "setp.lt.u32 P, X, Z; @P bra L#; mad.lo.u32 X, X, C, D; L#: add.u32 X, X, C;", 1),
    Chain("branch_divergent", "b32", "and.b32 T, X, 1; setp.eq.u32 P, T, Z; @P bra L#; mad.lo.u32 X, X, X, D; L#: mad.lo.u32 X, X, X, C;", 1),
]
UNROLL = 8

MATRIX = """{ .reg .b32 e<4>; mov.b32 e0, X; mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {X, Q1, Q2, Q3}, {C, D, C, D}, {C, D}, {X, Q1, Q2, Q3}; }"""
CHAINS.append(Chain("mma_m16n8k16_f16", "f32", MATRIX, 1))
MATRIX_DOUBLE = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {X, W}, {C}, {D}, {X, W};"
CHAINS.append(Chain("mma_m8n8k4_f64", "f64", MATRIX_DOUBLE, 1))


def kernel(chain, width):
    """The PTX of a chain in `width` copies beside one another; named `NAME_WIDTH`."""
    size = chain.type[1:]
    registers = []
    for i in range(width):
        registers.append(f"    .reg .b{size} x{i}; .reg .b32 t{i}, q1_{i}, q2_{i}, q3_{i}; .reg .b64 u{i}, w{i}; .reg .pred p{i};")
        registers.append(f"    mov.b32 q1_{i}, %c; mov.b32 q2_{i}, %c; mov.b32 q3_{i}, %c; mov.b64 w{i}, 0;")
        start = {
            "b32": f"add.u32 x{i}, %own, {i};",
            "b64": f"mad.wide.u32 x{i}, %own, %own, {i};",
            "f32": f"cvt.rn.f32.u32 x{i}, %own;",
            "f64": f"cvt.rn.f64.u32 x{i}, %own;",
        }
        registers.append(f"    {start[chain.type]}")
    operands = {"b32": ("%c", "%d"), "b64": ("%c64", "%d64"), "f32": ("%cf", "%df"), "f64": ("%cd", "%dd")}[chain.type]
    body = []
    for k in range(UNROLL):
        for i in range(width):
            text = chain.steps
            for name, value in (("CF", "%cf"), ("CZ", "%zf"), ("DZ", "%zd"), ("C32", "%c"), ("C64", "%cd"), ("SS", "%ss"), ("GG", "%gg"), ("L#", f"L{k}_{i}")):
                text = text.replace(name, value)
            words = {"X": f"x{i}", "T": f"t{i}", "U": f"u{i}", "W": f"w{i}", "P": f"p{i}", "C": operands[0], "D": operands[1], "Z": "%z", "S": "%s", "G": "%g"}
            words |= {f"Q{n}": f"q{n}_{i}" for n in (1, 2, 3)}
            out, at = "", 0
            while at < len(text):  # words, not letters within words
                end = at + 1
                if text[at].isalpha() or text[at] in "_.%":
                    while end < len(text) and (text[end].isalnum() or text[end] in "_.%:"):
                        end += 1
                word = text[at:end]
                out += words.get(word, word)
                at = end
            body.append("        " + out)
    fold = [f"    mov.b64 {{%t, %own}}, x{i}; xor.b32 %r, %r, %t; xor.b32 %r, %r, %own;" if size == "64" else f"    xor.b32 %r, %r, x{i};" for i in range(width)]
    shared = "    .shared .align 16 .b8 words[16384];\n" if " S" in chain.steps or "[S]" in chain.steps else ""
    # Lanes lie as far apart as an access is wide, 16 bytes at most.
    apart = 16 if ".v4" in chain.steps else 8 if ".v2" in chain.steps else 4
    base = f"    shl.b32 %t, %lane, {apart.bit_length() - 1}; cvt.u64.u32 %at, %t; add.u64 %g, %gg, %at;\n"
    if shared:
        base += f"    mov.u32 %ss, words; add.u32 %s, %ss, %t; st.shared.b32 [%s], 0; bar.sync 0;\n"
    return f"""
.visible .entry {chain.name}_{width}(.param .u64 out, .param .u32 trips, .param .u32 c, .param .u32 d)
{{
    .reg .b64 %o, %g, %gg, %c64, %d64, %cd, %dd, %zd, %start, %end, %at;
    .reg .b32 %n, %c, %d, %z, %cf, %df, %zf, %r, %t, %s, %ss, %thread, %lane, %own, %block;
    .reg .pred %p;
{shared}    ld.param.u64 %o, [out];
    cvta.to.global.u64 %o, %o;
    add.u64 %gg, %o, 1048576;
    ld.param.u32 %n, [trips];
    ld.param.u32 %c, [c];
    ld.param.u32 %d, [d];
    cvt.u64.u32 %c64, %c;
    cvt.u64.u32 %d64, %d;
    cvt.rn.f32.u32 %cf, %c;
    cvt.rn.f32.u32 %df, %d;
    cvt.rn.f64.u32 %cd, %c;
    cvt.rn.f64.u32 %dd, %d;
    and.b32 %z, %c, 1024;
    cvt.rn.f32.u32 %zf, %z;
    cvt.rn.f64.u32 %zd, %z;
    mov.u32 %thread, %tid.x;
    mov.u32 %lane, %laneid;
    mad.lo.u32 %own, %thread, 7, %c;
    mov.u32 %block, %ctaid.x;
    mov.u32 %r, 0;
{base}{chr(10).join(registers)}
    bar.sync 0;
    mov.u64 %start, %clock64;
LOOP:
{chr(10).join(body)}
    sub.u32 %n, %n, 1;
    setp.ne.u32 %p, %n, 0;
    @%p bra LOOP;
{chr(10).join(fold)}
    setp.eq.u32 %p, %r, 305419896;
    @%p st.global.u32 [%o], %r;
    bar.sync 0;
    mov.u64 %end, %clock64;
    sub.u64 %end, %end, %start;
    setp.ne.u32 %p, %thread, 0;
    @%p ret;
    mul.wide.u32 %at, %block, 8;
    add.u64 %at, %at, %o;
    st.global.u64 [%at], %end;
    ret;
}}
"""


def module(arch="sm_90"):
    """All chains, alone and in fours."""
    return f".version 8.0\n.target {arch}\n.address_size 64\n" + "".join(kernel(chain, width) for chain in CHAINS for width in (1, 4))
