"""Forms of PTX instructions, each with the types of its operands: what instructions.py compares.

A form is one instruction (or a short sequence that makes its result visible) in the registers
`%a0, %a1, ...` (operands, of the types `inputs`) and `%d0, ...` (results, of `outputs`), with

    %g       a thread's 32 bytes of global memory, aligned to 32
    %s       a thread's 32 bytes of shared memory, aligned to 32
    %sw      a warp's 1024 bytes of shared memory (those of its threads)
    %sb      the block's 4096 bytes
    %lane    the lane in its warp, %thread its number in its block of 128

`tolerance` is None where all bits must agree, else ("ulp", n), ("abs", x) or ("ulp", n, x), one of both:
what PTX's manual lets two implementations of an approximate function differ, or infinity where it says
nothing.
"""

from collections import namedtuple
from itertools import product

Form = namedtuple("Form", "name body inputs outputs tolerance")

INTEGERS = ["u16", "u32", "u64", "s16", "s32", "s64"]
HALVES = ["f16", "f16x2", "bf16", "bf16x2"]
ROUNDINGS = [".rn", ".rz", ".rm", ".rp"]
ALL = float("inf")


def operands(outputs, inputs):
    return ", ".join([f"%d{i}" for i in range(len(outputs))] + [f"%a{i}" for i in range(len(inputs))])


def op(name, outputs, inputs, tolerance=None):
    """An instruction that names its results and then its operands."""
    return Form(name, f"{name} {operands(outputs, inputs)};", inputs, outputs, tolerance)


def optional(*modifiers):
    """All choices of modifiers, each there or not."""
    return ["".join(chosen) for chosen in product(*[("", modifier) for modifier in modifiers])]


def integer():
    for t in INTEGERS:
        yield from (op(f"{name}.{t}", [t], [t, t]) for name in ("add", "sub", "min", "max", "div", "rem"))
        yield from (op(f"mul.{part}.{t}", [t], [t, t]) for part in ("lo", "hi"))
        yield from (op(f"mad.{part}.{t}", [t], [t, t, t]) for part in ("lo", "hi"))
        yield op(f"sad.{t}", [t], [t, t, t])
    for t, wide in (("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")):
        yield op(f"mul.wide.{t}", [wide], [t, t])
        yield op(f"mad.wide.{t}", [wide], [t, t, wide])
    for t in ("s16", "s32", "s64"):
        yield op(f"abs.{t}", [t], [t])
        yield op(f"neg.{t}", [t], [t])
    for name in ("add.sat.s32", "sub.sat.s32"):
        yield op(name, ["s32"], ["s32", "s32"])
    yield op("mad.hi.sat.s32", ["s32"], ["s32"] * 3)
    for part, t in product(("lo", "hi"), ("u32", "s32")):
        yield op(f"mul24.{part}.{t}", [t], [t, t])
        yield op(f"mad24.{part}.{t}", [t], [t, t, t])
    yield op("mad24.hi.sat.s32", ["s32"], ["s32"] * 3)
    for name, t in product(("add", "min", "max"), ("u16x2", "s16x2")):
        yield op(f"{name}.{t}", [t], [t, t])
    for name in ("min", "max"):
        yield op(f"{name}.relu.s16x2", ["s16x2"], ["s16x2"] * 2)
        yield op(f"{name}.relu.s32", ["s32"], ["s32"] * 2)
    for a, b in product(("u32", "s32"), repeat=2):
        c = "s32" if "s32" in (a, b) else "u32"
        yield op(f"dp4a.{a}.{b}", [c], ["u32", "u32", c])
        yield from (op(f"dp2a.{part}.{a}.{b}", [c], ["u32", "u32", c]) for part in ("lo", "hi"))


def carries():
    for t in ("u32", "s32", "u64", "s64"):
        for first, second in product(("add.cc", "sub.cc", "mad.lo.cc", "mad.hi.cc"), ("addc", "subc", "madc.lo", "madc.hi")):
            for cc in ("", ".cc"):
                body = f"{first}.{t} %d0, %a0, %a1{', %a2' if 'mad' in first else ''}; "
                body += f"{second}{cc}.{t} %d1, %a3, %a4{', %a5' if 'mad' in second else ''};"
                outputs = [t, t]
                if cc:
                    body += f" addc.{t} %d2, 0, 0;"
                    outputs = [t, t, t]
                yield Form(f"{first}.{t}+{second}{cc}", body, [t] * 6, outputs, None)


def bits():
    for t in ("u32", "s32", "u64", "s64"):
        yield op(f"bfe.{t}", [t], [t, "pos", "pos"])
        yield Form(f"bfe.{t} any", f"bfe.{t} %d0, %a0, %a1, %a2;", [t, "u32", "u32"], [t], None)
        yield op(f"bfind.{t}", ["u32"], [t])
        yield op(f"bfind.shiftamt.{t}", ["u32"], [t])
    for t in ("b32", "b64"):
        yield op(f"bfi.{t}", [t], [t, t, "pos", "pos"])
        yield Form(f"bfi.{t} any", f"bfi.{t} %d0, %a0, %a1, %a2, %a3;", [t, t, "u32", "u32"], [t], None)
        yield op(f"brev.{t}", [t], [t])
        yield op(f"clz.{t}", ["u32"], [t])
        yield op(f"popc.{t}", ["u32"], [t])
    for t in ("b16", "b32", "b64"):
        yield from (op(f"{name}.{t}", [t], [t, t]) for name in ("and", "or", "xor"))
        yield from (op(f"{name}.{t}", [t], [t]) for name in ("not", "cnot"))
        yield op(f"shl.{t}", [t], [t, "pos"])
        yield Form(f"shl.{t} any", f"shl.{t} %d0, %a0, %a1;", [t, "u32"], [t], None)
    for t in INTEGERS + ["b16", "b32", "b64"]:
        yield op(f"shr.{t}", [t], [t, "pos"])
        yield Form(f"shr.{t} any", f"shr.{t} %d0, %a0, %a1;", [t, "u32"], [t], None)
    for side, mode in product(("l", "r"), ("clamp", "wrap")):
        yield op(f"shf.{side}.{mode}.b32", ["b32"], ["b32", "b32", "pos"])
    for mode in ("clamp", "wrap"):
        yield op(f"bmsk.{mode}.b32", ["b32"], ["pos", "pos"])
        yield from (op(f"szext.{mode}.{t}", [t], [t, "pos"]) for t in ("u32", "s32"))
    yield op("fns.b32", ["b32"], ["b32", "lane", "small"])
    for table in (0x00, 0x80, 0xE8, 0x96, 0xCA, 0x1E, 0x6B, 0xFF):
        yield Form(f"lop3.b32 {table:#x}", f"lop3.b32 %d0, %a0, %a1, %a2, {table};", ["b32"] * 3, ["b32"], None)
    for name in ("and", "or"):
        body = f"lop3.{name}.b32 %d0|%d1, %a0, %a1, %a2, 0x96, %a3;"
        yield Form(f"lop3.{name}.b32", body, ["b32"] * 3 + ["pred"], ["b32", "pred"], None)
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield op(f"prmt.b32{mode}", ["b32"], ["b32"] * 3)
    for name in ("and", "or", "xor"):
        yield op(f"{name}.pred", ["pred"], ["pred"] * 2)
    yield op("not.pred", ["pred"], ["pred"])


def floats():
    for name, count in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("mad", 3)):
        for rounding in ([""] if count == 2 else []) + ROUNDINGS:
            for rest in optional(".ftz", ".sat"):
                yield op(f"{name}{rounding}{rest}.f32", ["f32"], ["f32"] * count)
            yield op(f"{name}{rounding}.f64", ["f64"], ["f64"] * count)
    for name in ("add", "sub", "mul"):
        for t in HALVES:
            for rest in optional(".ftz", ".sat") if t[0] == "f" else [""]:
                yield from (op(f"{name}{rn}{rest}.{t}", [t], [t, t]) for rn in ("", ".rn"))
    for t in HALVES:
        for rest in ("", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu") if t[0] == "f" else ("", ".relu"):
            yield op(f"fma.rn{rest}.{t}", [t], [t] * 3)
    for name in ("abs", "neg"):
        yield from (op(f"{name}{ftz}.f32", ["f32"], ["f32"]) for ftz in ("", ".ftz"))
        yield op(f"{name}.f64", ["f64"], ["f64"])
        for t in HALVES:
            yield from (op(f"{name}{ftz}.{t}", [t], [t]) for ftz in (("", ".ftz") if t[0] == "f" else ("",)))
    for name in ("min", "max"):
        for rest in optional(".ftz", ".NaN", ".xorsign.abs"):
            yield op(f"{name}{rest}.f32", ["f32"], ["f32"] * 2)
            for t in HALVES:
                if t[0] == "f" or ".ftz" not in rest:
                    yield op(f"{name}{rest}.{t}", [t], [t, t])
        yield op(f"{name}.f64", ["f64"], ["f64"] * 2)
    for rounding in ROUNDINGS:
        for ftz in ("", ".ftz"):
            yield op(f"div{rounding}{ftz}.f32", ["f32"], ["f32"] * 2)
            yield op(f"rcp{rounding}{ftz}.f32", ["f32"], ["f32"])
            yield op(f"sqrt{rounding}{ftz}.f32", ["f32"], ["f32"])
        yield op(f"div{rounding}.f64", ["f64"], ["f64"] * 2)
        yield op(f"rcp{rounding}.f64", ["f64"], ["f64"])
        yield op(f"sqrt{rounding}.f64", ["f64"], ["f64"])
    for t in ("f32", "f64"):
        for what in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield op(f"testp.{what}.{t}", ["pred"], [t])
        yield op(f"copysign.{t}", [t], [t, t])


def approximate():
    for ftz in ("", ".ftz"):
        yield op(f"div.approx{ftz}.f32", ["f32"], ["f32"] * 2, ("ulp", 4))
        yield op(f"div.full{ftz}.f32", ["f32"], ["f32"] * 2, ("ulp", 4))
        yield op(f"rcp.approx{ftz}.f32", ["f32"], ["f32"], ("ulp", 2))
        yield op(f"sqrt.approx{ftz}.f32", ["f32"], ["f32"], ("ulp", 4))
        yield op(f"rsqrt.approx{ftz}.f32", ["f32"], ["f32"], ("ulp", 6))
        yield op(f"ex2.approx{ftz}.f32", ["f32"], ["f32"], ("ulp", 4))
        yield op(f"lg2.approx{ftz}.f32", ["f32"], ["f32"], ("ulp", 64, 2**-21))
        for name in ("sin", "cos"):
            yield Form(f"{name}.approx{ftz}.f32 [-2pi,2pi]", f"{name}.approx{ftz}.f32 %d0, %a0;", ["angle"], ["f32"], ("abs", 2**-19.5))
            yield op(f"{name}.approx{ftz}.f32", ["f32"], ["f32"], ("ulp", ALL))
    yield op("tanh.approx.f32", ["f32"], ["f32"], ("ulp", 2 ** 14))
    yield op("rcp.approx.ftz.f64", ["f64"], ["f64"], ("ulp", 2 ** 33))
    yield op("rsqrt.approx.ftz.f64", ["f64"], ["f64"], ("ulp", 2 ** 33))
    yield op("rsqrt.approx.f64", ["f64"], ["f64"], ("ulp", 2 ** 33))
    for t in HALVES:
        yield op(f"tanh.approx.{t}", [t], [t], ("ulp", 2))
        yield op(f"ex2.approx{'' if t[0] == 'f' else '.ftz'}.{t}", [t], [t], ("ulp", 2))


def selection():
    signed = ["eq", "ne", "lt", "le", "gt", "ge"]
    unsigned = signed + ["lo", "ls", "hi", "hs"]
    floating = signed + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
    for t in INTEGERS + ["b16", "b32", "b64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2"]:
        comparisons = {"s": signed, "u": unsigned, "f": floating}.get(t[0], floating if t[0:2] == "bf" else ["eq", "ne"])
        for comparison in comparisons:
            for ftz in ("", ".ftz") if t in ("f32", "f16", "f16x2") else ("",):
                if t.endswith("x2"):
                    yield Form(f"setp.{comparison}{ftz}.{t}", f"setp.{comparison}{ftz}.{t} %d0|%d1, %a0, %a1;", [t, t], ["pred"] * 2, None)
                else:
                    yield op(f"setp.{comparison}{ftz}.{t}", ["pred"], [t, t])
        for boolean, comparison in product(("and", "or", "xor"), comparisons[:3:2]):
            results = ["pred"] if t in ("f16", "bf16") else ["pred"] * 2
            body = f"setp.{comparison}.{boolean}.{t} {'|'.join(f'%d{i}' for i in range(len(results)))}, %a0, %a1, %a2;"
            yield Form(f"setp.{comparison}.{boolean}.{t}", body, [t, t, "pred"], results, None)
        if t in ("f16", "bf16"):
            results = [t, "u16", "s16", "u32", "s32"]
        elif t in ("f16x2", "bf16x2"):
            results = [t, "u32", "s32"]
        else:
            results = ["u32", "s32", "f32"]
        for result, comparison in product(results, comparisons):
            for ftz in ("", ".ftz") if t in ("f32", "f16", "f16x2") and comparison in ("lt", "neu") else ("",):
                yield op(f"set.{comparison}{ftz}.{result}.{t}", [result], [t, t])
        for boolean in ("and", "or", "xor"):
            yield op(f"set.{comparisons[1]}.{boolean}.u32.{t}", ["u32"], [t, t, "pred"])
    for t in INTEGERS + ["b16", "b32", "b64", "f32", "f64"]:
        yield op(f"selp.{t}", [t], [t, t, "pred"])
        yield op(f"slct.{t}.s32", [t], [t, t, "s32"])
        yield from (op(f"slct{ftz}.{t}.f32", [t], [t, t, "f32"]) for ftz in ("", ".ftz"))


def conversion():
    integers = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"]
    reals = ["bf16", "f16", "f32", "f64"]
    precision = {"bf16": 0, "f16": 1, "f32": 2, "f64": 3}
    def limits(t):
        size = int(t[1:])
        return (0, 2**size - 1) if t[0] == "u" else (-(2 ** (size - 1)), 2 ** (size - 1) - 1)

    def bytes_of_bf16(d, s):
        return "bf16" in (d, s) and (d[1:] == "8" or s[1:] == "8")

    for d, s in product(integers, integers):
        yield op(f"cvt.{d}.{s}", [d], [s])
        if limits(s)[0] < limits(d)[0] or limits(s)[1] > limits(d)[1]:
            yield op(f"cvt.sat.{d}.{s}", [d], [s])
    for d, s in product(reals, integers):
        if bytes_of_bf16(d, s):
            continue
        for rounding in ROUNDINGS:
            for sat in ("", ".sat") if d != "bf16" else ("",):
                yield op(f"cvt{rounding}{sat}.{d}.{s}", [d], [s])
    for d, s in product(integers, reals):
        if bytes_of_bf16(d, s):
            continue
        for rounding in (".rni", ".rzi", ".rmi", ".rpi"):
            for ftz, sat in product(("", ".ftz") if s == "f32" else ("",), ("", ".sat") if s != "bf16" else ("",)):
                yield op(f"cvt{rounding}{ftz}{sat}.{d}.{s}", [d], [s])
    for d, s in product(reals, reals):
        if d == s and d != "bf16":
            roundings = ["", ".rni", ".rzi", ".rmi", ".rpi"]
        elif d == s:
            roundings = [".rni", ".rzi", ".rmi", ".rpi"]
        elif precision[d] < precision[s] or {d, s} == {"bf16", "f16"}:
            roundings = ROUNDINGS
        else:
            roundings = [""]
        for rounding in roundings:
            for ftz in ("", ".ftz") if "f32" in (d, s) and "bf16" not in (d, s) else ("",):
                for sat in ("", ".sat") if "bf16" not in (d, s) else ("",):
                    yield op(f"cvt{rounding}{ftz}{sat}.{d}.{s}", [d], [s])
    for d, rounding in product(("f16x2", "bf16x2"), (".rn", ".rz")):
        yield from (op(f"cvt{rounding}{relu}.{d}.f32", [d], ["f32"] * 2) for relu in ("", ".relu"))
    for d, rounding in product(("f16", "bf16"), (".rn", ".rz")):
        yield op(f"cvt{rounding}.relu.{d}.f32", [d], ["f32"])
    for rounding in (".rna", ".rn", ".rn.relu", ".rz", ".rz.relu"):
        yield op(f"cvt{rounding}.tf32.f32", ["b32"], ["f32"])
    for kind, relu in product(("e4m3x2", "e5m2x2"), ("", ".relu")):
        yield op(f"cvt.rn.satfinite{relu}.{kind}.f32", ["b16"], ["f32"] * 2)
        yield op(f"cvt.rn.satfinite{relu}.{kind}.f16x2", ["b16"], ["f16x2"])
        yield op(f"cvt.rn{relu}.f16x2.{kind}", ["b32"], ["b16"])
    for t in ("u16", "s16"):
        yield op(f"cvt.pack.sat.{t}.s32", ["b32"], ["s32"] * 2)
    for t in ("u2", "s2", "u4", "s4", "u8", "s8"):
        yield op(f"cvt.pack.sat.{t}.s32.b32", ["b32"], ["s32", "s32", "b32"])


def video():
    selectors = [("", ""), (".b0", ".b3"), (".h1", ".b2"), (".b1", ".h0")]
    for name in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for d, a, b in product(("u32", "s32"), repeat=3):
            for sat in ("", ".sat"):
                for x, y in selectors:
                    yield Form(f"{name}.{d}.{a}.{b}{sat} {x}{y}", f"{name}.{d}.{a}.{b}{sat} %d0, %a0{x}, %a1{y};", [a, b], [d], None)
                for second in (".add", ".min", ".max"):
                    yield Form(f"{name}.{d}.{a}.{b}{sat}{second}", f"{name}.{d}.{a}.{b}{sat}{second} %d0, %a0.b1, %a1.h1, %a2;", [a, b, d], [d], None)
    for name, mode in product(("vshl", "vshr"), (".clamp", ".wrap")):
        for d, a, sat in product(("u32", "s32"), ("u32", "s32"), ("", ".sat")):
            for x, y in selectors:
                yield Form(f"{name}.{d}.{a}.u32{sat}{mode} {x}{y}", f"{name}.{d}.{a}.u32{sat}{mode} %d0, %a0{x}, %a1{y};", [a, "u32"], [d], None)
            yield Form(f"{name}.{d}.{a}.u32{sat}{mode}.add", f"{name}.{d}.{a}.u32{sat}{mode}.add %d0, %a0, %a1, %a2;", [a, "pos", d], [d], None)
    for d, a, b, sat, shift in product(("u32", "s32"), ("u32", "s32"), ("u32", "s32"), ("", ".sat"), ("", ".shr7", ".shr15")):
        if d == ("s32" if "s32" in (a, b) else "u32"):
            for x, y in selectors[:3]:
                yield Form(f"vmad.{d}.{a}.{b}{sat}{shift} {x}{y}", f"vmad.{d}.{a}.{b}{sat}{shift} %d0, %a0{x}, %a1{y}, %a2;", [a, b, d], [d], None)
    for a, b, comparison in product(("u32", "s32"), ("u32", "s32"), ("eq", "ne", "lt", "le", "gt", "ge")):
        yield Form(f"vset.{a}.{b}.{comparison}", f"vset.{a}.{b}.{comparison} %d0, %a0.b0, %a1.b1;", [a, b], ["u32"], None)
        yield Form(f"vset2.{a}.{b}.{comparison}", f"vset2.{a}.{b}.{comparison} %d0, %a0, %a1, %a2;", [a, b, "u32"], ["u32"], None)
        yield Form(f"vset4.{a}.{b}.{comparison}", f"vset4.{a}.{b}.{comparison} %d0, %a0, %a1, %a2;", [a, b, "u32"], ["u32"], None)
    for name, parts in product(("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"), ("2", "4")):
        for d, a, b in product(("u32", "s32"), repeat=3):
            for rest in ("", ".sat", ".add"):
                yield op(f"{name}{parts}.{d}.{a}.{b}{rest}", [d], [a, b, d])


def memory():
    for space, pointer in (("global", "%g"), ("shared", "%s")):
        for t in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64", "b128"):
            if t == "b128":
                body = f".reg .b128 %q; mov.b128 %q, {{%a0, %a1}}; st.{space}.b128 [{pointer}], %q; ld.{space}.b128 %q, [{pointer}]; mov.b128 {{%d0, %d1}}, %q;"
                yield Form(f"ld/st.{space}.b128", body, ["b64"] * 2, ["b64"] * 2, None)
                continue
            result = {"u8": "u32", "s8": "s64", "u16": "u32", "s16": "s32"}.get(t, t)
            source = {"u8": "u32", "s8": "s32"}.get(t, t)
            yield Form(f"ld/st.{space}.{t}", f"st.{space}.{t} [{pointer}], %a0; ld.{space}.{t} %d0, [{pointer}];", [source], [result], None)
        for v, t in (("v2", "b8"), ("v4", "b8"), ("v2", "b16"), ("v4", "b16"), ("v2", "b32"), ("v4", "b32"), ("v2", "b64"), ("v2", "f64"), ("v4", "f32")):
            n = int(v[1])
            r = {"b8": "b16"}.get(t, t)
            a = ", ".join(f"%a{i}" for i in range(n))
            d = ", ".join(f"%d{i}" for i in range(n))
            body = f"st.{space}.{v}.{t} [{pointer}], {{{a}}}; ld.{space}.{v}.{t} {{{d}}}, [{pointer}];"
            yield Form(f"ld/st.{space}.{v}.{t}", body, [r] * n, [r] * n, None)
    for cache in (".ca", ".cg", ".cs", ".lu", ".cv", ".volatile", ".relaxed.gpu", ".acquire.sys"):
        store = {".ca": ".wb", ".lu": ".wb", ".cv": ".wt", ".acquire.sys": ".release.sys"}.get(cache, cache)
        before, after = ("", cache) if len(cache) == 3 else (cache, "")
        stored, safter = ("", store) if len(store) == 3 else (store, "")
        body = f"st{stored}.global{safter}.b32 [%g], %a0; ld{before}.global{after}.b32 %d0, [%g];"
        yield Form(f"ld/st.global{cache}.b32", body, ["b32"], ["b32"], None)
    for size in (4, 8, 16):
        for cache in (".ca", ".cg") if size == 16 else (".ca",):
            for given in ("", ", %a4"):
                if given and size != 16:
                    continue
                body = "st.global.v4.b32 [%g], {%a0, %a1, %a2, %a3}; st.shared.v4.b32 [%s], {%a3, %a2, %a1, %a0}; "
                body += f"{'and.b32 %a4, %a4, 12; ' if given else ''}cp.async{cache}.shared.global [%s], [%g], {size}{given}; cp.async.wait_all; "
                body += "ld.shared.v4.b32 {%d0, %d1, %d2, %d3}, [%s];"
                yield Form(f"cp.async{cache} {size}{' part' if given else ''}", body, ["b32"] * (5 if given else 4), ["b32"] * 4, None)


def atomics():
    whole = [(name, t) for name in ("add", "min", "max") for t in ("u32", "s32", "u64", "s64") if (name, t) != ("add", "s64")]
    whole += [(name, "u32") for name in ("inc", "dec")]
    whole += [(name, t) for name in ("and", "or", "xor", "exch") for t in ("b32", "b64")]
    real = [("add", "f32"), ("add", "f64"), ("add.noftz", "f16"), ("add.noftz", "f16x2"), ("add.noftz", "bf16"), ("add.noftz", "bf16x2")]
    for space, pointer in (("global", "%g"), ("shared", "%s")):
        for name, t in whole + real:
            bits = {"f16": "b16", "bf16": "b16", "f64": "b64", "u64": "b64", "s64": "b64", "b64": "b64"}.get(t, "b32")
            start = f"st.{space}.{bits} [{pointer}], %a0; "
            end = f" ld.{space}.{bits} %d1, [{pointer}];"
            yield Form(f"atom.{space}.{name}.{t}", start + f"atom.{space}.{name}.{t} %d0, [{pointer}], %a1;" + end, [t, t], [t, t], None)
            if name != "exch":
                body = start + f"red.{space}.{name}.{t} [{pointer}], %a1; ld.{space}.{bits} %d0, [{pointer}];"
                yield Form(f"red.{space}.{name}.{t}", body, [t, t], [t], None)
        for t in ("b16", "b32", "b64"):
            body = f"st.{space}.{t} [{pointer}], %a0; atom.{space}.cas.{t} %d0, [{pointer}], %a1, %a2; ld.{space}.{t} %d1, [{pointer}];"
            yield Form(f"atom.{space}.cas.{t}", body, [t] * 3, [t] * 2, None)
            again = f"st.{space}.{t} [{pointer}], %a0; atom.{space}.cas.{t} %d0, [{pointer}], %a0, %a1; ld.{space}.{t} %d1, [{pointer}];"
            yield Form(f"atom.{space}.cas.{t} equal", again, [t] * 2, [t] * 2, None)
    for name, t in whole:
        if name in ("exch", "inc", "dec"):  # what these leave depends on the order
            continue
        bits = "b64" if "64" in t else "b32"
        body = f"st.shared.{bits} [%s], 1; bar.sync 0; red.shared.{name}.{t} [%sb], %a0; bar.sync 0; ld.shared.{bits} %d0, [%sb];"
        yield Form(f"red.shared.{name}.{t} contended", body, [t], [t], None)
    for name, n, t in (("add", 2, "f32"), ("add", 4, "f32"), ("add.noftz", 2, "f16x2"), ("add.noftz", 4, "f16x2"), ("add.noftz", 2, "bf16x2"), ("add.noftz", 8, "f16")):
        bits = "b16" if t == "f16" else "b32"
        names = [[f"%{kind}{i}" for i in range(n)] for kind in "ad"]
        start = " ".join(f"st.global.{bits} [%g+{i * (2 if t == 'f16' else 4)}], {r};" for i, r in enumerate(names[0]))
        end = " ".join(f"ld.global.{bits} {r}, [%g+{i * (2 if t == 'f16' else 4)}];" for i, r in enumerate(names[1]))
        added = ", ".join(f"%a{n + i}" for i in range(n))
        yield Form(f"red.global.{name}.v{n}.{t}", f"{start} red.global.v{n}.{t}.{name} [%g], {{{added}}}; {end}".replace(f"v{n}.{t}.{name}", f"{name}.v{n}.{t}"), [t] * 2 * n, [t] * n, None)


def warps():
    for mode in ("up", "down", "bfly", "idx"):
        for clamp, mask in ((0x1F, "all"), (0x0, "up's"), (0x181F, "of 8"), (0x1C03, "of 4")):
            body = f"shfl.sync.{mode}.b32 %d0|%d1, %a0, %a1, {clamp}, -1;"
            yield Form(f"shfl.sync.{mode}.b32 {mask}", body, ["b32", "small"], ["b32", "pred"], None)
        yield Form(f"shfl.sync.{mode}.b32 any", f"shfl.sync.{mode}.b32 %d0|%d1, %a0, %a1, %a2, -1;", ["b32", "u32", "u32"], ["b32", "pred"], None)
    for mode in ("all", "any", "uni"):
        yield Form(f"vote.sync.{mode}.pred", f"vote.sync.{mode}.pred %d0, %a0, -1;", ["pred"], ["pred"], None)
        rare = f".reg .pred %p; setp.ne.u32 %p, %a0, 0; vote.sync.{mode}.pred %d0, %p, -1;"
        yield Form(f"vote.sync.{mode}.pred rare", rare, ["small"], ["pred"], None)
    yield Form("vote.sync.ballot.b32", "vote.sync.ballot.b32 %d0, %a0, -1;", ["pred"], ["b32"], None)
    yield Form("activemask.b32", "@%a0 bra L; activemask.b32 %d0; bra M; L: mov.u32 %d0, 7; M:", ["pred"], ["b32"], None)
    for t, s in (("b32", "small"), ("b64", "b64")):
        mask = "and.b64 %a0, %a0, 3; " if t == "b64" else ""
        yield Form(f"match.any.sync.{t}", f"{mask}match.any.sync.{t} %d0, %a0, -1;", [s], ["u32"], None)
        one = "mov.b32 %a0, 5;" if t == "b32" else "mov.b64 %a0, 5;"
        yield Form(f"match.all.sync.{t}", f"@%a1 bra L; {one} L: match.all.sync.{t} %d0|%d1, %a0, -1;", [s, "pred"], ["u32", "pred"], None)
    for name in ("add", "min", "max"):
        yield from (Form(f"redux.sync.{name}.{t}", f"redux.sync.{name}.{t} %d0, %a0, -1;", [t], [t], None) for t in ("u32", "s32"))
    for name in ("and", "or", "xor"):
        yield Form(f"redux.sync.{name}.b32", f"redux.sync.{name}.b32 %d0, %a0, -1;", ["b32"], ["b32"], None)
    yield Form("elect.sync", "elect.sync %d0|%d1, -1;", [], ["u32", "pred"], None)
    for name in ("and", "or"):
        yield Form(f"barrier.red.{name}.pred", f"barrier.sync.aligned 1; barrier.red.{name}.aligned.pred %d0, 0, %a0;".replace(f"red.{name}.aligned", f"red.{name}.aligned"), ["pred"], ["pred"], None)
    yield Form("barrier.red.popc.u32", "barrier.red.popc.aligned.u32 %d0, 0, %a0;", ["pred"], ["u32"], None)
    for x, trans in product((1, 2, 4), ("", ".trans")):
        d = ", ".join(f"%d{i}" for i in range(x))
        a = ", ".join(f"%a{i}" for i in range(x))
        rows = ".reg .b32 %r; shl.b32 %r, %lane, 4; add.u32 %r, %r, %sw; "
        body = rows + f"st.shared.v4.b32 [%r], {{%a0, %a1, %a2, %a3}}; bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x{x}{trans}.shared.b16 {{{d}}}, [%r];"
        yield Form(f"ldmatrix.m8n8.x{x}{trans}", body, ["b32"] * 4, ["b32"] * x, None)
        body = rows + f"st.shared.v4.b32 [%r], {{0, 0, 0, 0}}; bar.warp.sync -1; stmatrix.sync.aligned.m8n8.x{x}{trans}.shared.b16 [%r], {{{a}}}; bar.warp.sync -1; ld.shared.v4.b32 {{%d0, %d1, %d2, %d3}}, [%r];"
        body = body.replace("{0, 0, 0, 0}", "{%lane, %lane, %lane, %lane}")
        yield Form(f"stmatrix.m8n8.x{x}{trans}", body, ["b32"] * x, ["b32"] * 4, None)
    yield Form("movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;", ["b32"], ["b32"], None)


def matrices():
    """Products of whole numbers, which are exact, and of others, where manuals bind no order."""

    def form(shape, types, counts, kinds, rest="", label="", tolerance=None, layout=".row.col"):
        groups, at = [], 0
        for count in counts[1:]:
            groups.append("{" + ", ".join(f"%a{at + i}" for i in range(count)) + "}")
            at += count
        d = "{" + ", ".join(f"%d{i}" for i in range(counts[0])) + "}"
        name = f"mma.sync.aligned.{shape}{layout}{types}{rest}"
        inputs = [kind for kind, count in zip(kinds[1:], counts[1:]) for _ in range(count)]
        return Form(name + label, f"{name} {d}, {', '.join(groups)};", inputs, [kinds[0]] * counts[0], tolerance)

    for whole, label, tolerance in ((True, "", None), (False, " rounded", ("ulp", ALL))):
        w = "i" if whole else "n"
        for shape, a, b in (("m16n8k8", 2, 1), ("m16n8k16", 4, 2)):
            yield form(shape, ".f32.f16.f16.f32", (4, a, b, 4), ("f32", "f16x2" + w, "f16x2" + w, "f32" + w), label=label, tolerance=tolerance)
            yield form(shape, ".f16.f16.f16.f16", (2, a, b, 2), ("f16x2", "f16x2" + w, "f16x2" + w, "f16x2" + w), label=label, tolerance=tolerance)
            yield form(shape, ".f32.bf16.bf16.f32", (4, a, b, 4), ("f32", "bf16x2" + w, "bf16x2" + w, "f32" + w), label=label, tolerance=tolerance)
        for shape, a, b in (("m16n8k4", 2, 1), ("m16n8k8", 4, 2)):
            yield form(shape, ".f32.tf32.tf32.f32", (4, a, b, 4), ("f32", "f32" + w, "f32" + w, "f32" + w), label=label, tolerance=tolerance)
        for shape, d, a, b in (("m8n8k4", 2, 1, 1), ("m16n8k4", 4, 2, 1), ("m16n8k8", 4, 4, 2), ("m16n8k16", 4, 8, 4)):
            yield form(shape, ".f64.f64.f64.f64", (d, a, b, d), ("f64", "f64" + w, "f64" + w, "f64" + w), label=label, tolerance=tolerance)
    for shape, a, b, kinds in (("m16n8k32", 4, 2, ("e4m3", "e5m2")),):
        for x, y in product(kinds, repeat=2):
            yield form(shape, f".f32.{x}.{y}.f32", (4, a, b, 4), ("f32", "fp8i", "fp8i", "f32i"), tolerance=("ulp", ALL), label=" rounded")
    for shape, d, a, b in (("m8n8k16", 2, 1, 1), ("m16n8k16", 4, 2, 1), ("m16n8k32", 4, 4, 2)):
        for x, y, sat in product(("u8", "s8"), ("u8", "s8"), ("", ".satfinite")):
            yield form(shape, f".s32.{x}.{y}.s32", (d, a, b, d), ("s32", "b32", "b32", "s32"), layout=f".row.col{sat}")
    for shape, d, a, b in (("m8n8k32", 2, 1, 1), ("m16n8k32", 4, 2, 1), ("m16n8k64", 4, 4, 2)):
        for x, y, sat in product(("u4", "s4"), ("u4", "s4"), ("", ".satfinite")):
            yield form(shape, f".s32.{x}.{y}.s32", (d, a, b, d), ("s32", "b32", "b32", "s32"), layout=f".row.col{sat}")
    for shape, d, a, b in (("m8n8k128", 2, 1, 1), ("m16n8k128", 4, 2, 1), ("m16n8k256", 4, 4, 2)):
        for name in (".xor.popc", ".and.popc"):
            yield form(shape, ".s32.b1.b1.s32", (d, a, b, d), ("s32", "b32", "b32", "s32"), rest=name)


FAMILIES = [integer, carries, bits, floats, approximate, selection, conversion, video, memory, atomics, warps, matrices]


def forms():
    """Every form once, in a fixed order."""
    seen = set()
    found = []
    for family in FAMILIES:
        for form in family():
            if form.name not in seen:
                seen.add(form.name)
                found.append((family.__name__, form))
    return found
