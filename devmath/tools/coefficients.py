#!/usr/bin/env python3
"""Derives every polynomial coefficient and constant of devmath.

Prints `src/coefficients.h`:

    python3 tools/coefficients.py > src/coefficients.h

Needs only mpmath. Each polynomial is a weighted minimax fit (Remez exchange). Coefficients are
rounded from the lowest power up and the remaining ones are fitted again after each rounding, so
that a later coefficient absorbs the rounding error of an earlier one. The comment above each block
gives the approximation error that is left, relative to the function, with the rounded coefficients.
"""

import sys
from mpmath import mp, mpf, matrix, lu_solve

mp.prec = 320


class Format:
    """A binary floating-point format to round coefficients to."""

    def __init__(self, bits, suffix):
        self.bits, self.suffix = bits, suffix

    def round(self, value):
        return trim(value, self.bits)

    def text(self, value):
        return float(value).hex().replace("0000000p", "p") + self.suffix


def trim(value, bits):
    """`value` rounded to `bits` significant bits."""
    saved, mp.prec = mp.prec, bits
    rounded = +mpf(value)
    mp.prec = saved
    return rounded


FLOAT = Format(24, "f")
DOUBLE = Format(53, "")


def remez(points, target, weight, powers):
    """Coefficients of `powers` minimising max |weight * (target - polynomial)| over `points`."""
    count = len(powers)
    last = len(points) - 1
    rows = [[x**k for k in powers] for x in points]
    if count == 0:
        return []
    chosen = [
        int(mp.nint(last * (1 - mp.cos(mp.pi * i / count)) / 2)) for i in range(count + 1)
    ]
    best = None
    for _ in range(30):
        system, right = matrix(count + 1, count + 1), matrix(count + 1, 1)
        for i, at in enumerate(chosen):
            for j in range(count):
                system[i, j] = weight[at] * rows[at][j]
            system[i, count] = (-1) ** i
            right[i] = weight[at] * target[at]
        solution = lu_solve(system, right)
        coefficients = [solution[j] for j in range(count)]
        errors = [
            w * (t - sum(c * r for c, r in zip(coefficients, row)))
            for w, t, row in zip(weight, target, rows)
        ]
        extrema = []
        for at, error in enumerate(errors):
            if error == 0:
                continue
            if extrema and (errors[extrema[-1]] > 0) == (error > 0):
                if abs(error) > abs(errors[extrema[-1]]):
                    extrema[-1] = at
            else:
                extrema.append(at)
        worst = max(abs(error) for error in errors)
        if best is None or worst < best[0]:
            best = (worst, coefficients)
        while len(extrema) > count + 1:
            # Signs must go on alternating: drop the weaker end, or the weakest neighbours.
            ends = (abs(errors[extrema[0]]), abs(errors[extrema[-1]]))
            pairs = [
                max(abs(errors[a]), abs(errors[b])) for a, b in zip(extrema, extrema[1:])
            ]
            if len(extrema) == count + 2 or min(ends) < min(pairs):
                extrema.pop(0 if ends[0] < ends[1] else -1)
            else:
                at = pairs.index(min(pairs))
                del extrema[at : at + 2]
        if len(extrema) < count + 1 or extrema == chosen:
            break
        chosen = extrema
    return best[1]


def fit(name, form, interval, powers, target, weight, fixed=None, refits=99):
    """Fits `target` on `interval`, prints one macro a power, returns {power: coefficient}.

    `weight` turns an error of the polynomial into a relative error of the function it serves. It
    may change its sign where the polynomial's term does: the signs of the function's error alternate.
    `fixed` holds coefficients that are set beforehand and printed too.
    """
    low, high = mpf(interval[0]), mpf(interval[1])
    size = 24 * (len(powers) + 1)
    points = [
        (low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + mpf(1) / 2) / size)
        for i in range(size)
    ]
    wanted = [target(x) for x in points]
    weights = [weight(x) for x in points]
    done = dict(fixed or {})
    free = sorted(powers)
    while free:
        rest = [t - sum(c * x**k for k, c in done.items()) for t, x in zip(wanted, points)]
        found = remez(points, rest, weights, free)
        take = 1 if refits > 0 else len(free)
        refits -= 1
        for power, coefficient in zip(free[:take], found[:take]):
            done[power] = form.round(coefficient)
        free = free[take:]
    error = max(
        abs(w * (t - sum(c * x**k for k, c in done.items())))
        for w, t, x in zip(weights, wanted, points)
    )
    bits = f"2^{float(mp.log(error, 2)):.1f}"
    print(f"\n/* {name}: |error| <= {bits} on [{mp.nstr(low, 6)}, {mp.nstr(high, 6)}]. */")
    for power in sorted(done):
        print(f"#define {name}_{power} {form.text(done[power])}")
    print(f"{name}: {bits}", file=sys.stderr)
    return done


def constant(name, form, value, parts=1, first_bits=None):
    """Prints `value` as an unevaluated sum of `parts` numbers named NAME_HI, _MID, _LO."""
    suffixes = {1: [""], 2: ["_HI", "_LO"], 3: ["_HI", "_MID", "_LO"]}[parts]
    rest = mpf(value)
    for index, suffix in enumerate(suffixes):
        part = trim(rest, first_bits) if index == 0 and first_bits else form.round(rest)
        print(f"#define {name}{suffix} {form.text(part)}")
        rest -= part


def of_square(function):
    """The function g with function(x) = x + x^3 g(x^2)."""

    def g(z):
        x = mp.sqrt(z)
        return (function(x) / x - 1) / z

    return g


def square_weight(function):
    """Weight of an error in g above, relative to the function."""
    return lambda z: z * mp.sqrt(z) / function(mp.sqrt(z))


def one(_):
    return mpf(1)


def fit_family(letter, form, degrees):
    half_ln2 = mp.log(2) / 2 * mpf("1.002")
    quarter_pi = mp.pi / 4 * mpf("1.001")

    # exp(r) = 1 + r + r^2 q(r), relative to expm1, for the functions that subtract the 1
    fit(
        f"EXP{letter}", form, (-half_ln2, half_ln2), range(degrees["exp"]),
        lambda r: (mp.expm1(r) - r) / r**2, lambda r: r**2 / abs(mp.expm1(r)), refits=4,
    )
    # 2^r = 1 + r q(r), 10^r = 1 + r q(r)
    for base, reach in ((2, mpf("0.501")), (10, mp.log10(2) / 2 * mpf("1.002"))):
        fit(
            f"EXP{base}{letter}", form, (-reach, reach), range(degrees[f"exp{base}"]),
            lambda r: mp.expm1(r * mp.log(base)) / r, lambda r: r / mpf(base) ** r, refits=4,
        )
    # sin r = r + r^3 q(r^2)
    fit(
        f"SIN{letter}", form, (0, quarter_pi**2), range(degrees["sin"]),
        of_square(mp.sin), square_weight(mp.sin), refits=4,
    )
    # cos r = 1 - r^2/2 + r^4 q(r^2)
    fit(
        f"COS{letter}", form, (0, quarter_pi**2), range(degrees["cos"]),
        lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2 / mp.cos(mp.sqrt(z)), refits=4,
    )
    # atan x = x + x^3 q(x^2) for x in [0, 1], asin x = x + x^3 q(x^2) for x in [0, 1/2]
    fit(
        f"ATAN{letter}", form, (0, 1), range(degrees["atan"]),
        of_square(mp.atan), square_weight(mp.atan), refits=4,
    )
    fit(
        f"ASIN{letter}", form, (0, mpf("0.2505")), range(degrees["asin"]),
        of_square(mp.asin), square_weight(mp.asin), refits=4,
    )


def inverse_tanh_tail(z):
    """g with 2 atanh(s) = 2 s (1 + z/3 + z^2 g(z)), z = s^2."""
    s = mp.sqrt(z)
    return (mp.atanh(s) / s - 1 - z / 3) / z**2


TWO_OVER_PI_NOTE = """
/* The bits of 2/pi after the binary point, after one word of zeros. */"""


def two_over_pi_words(name, width, count, suffix):
    print(TWO_OVER_PI_NOTE)
    digits = 4 * count * width
    saved, mp.prec = mp.prec, digits
    bits = int(mp.floor(2 / mp.pi * mpf(2) ** (count * width)))
    mp.prec = saved
    mask = (1 << width) - 1
    for index in range(count):
        word = (bits >> (width * (count - 1 - index))) & mask
        print(f"#define {name}_{index + 1} 0x{word:0{width // 4}x}{suffix}")


def cube_root_start(name, bias, mantissa_bits):
    """Finds K so that, of the upper 32 bits of x, K - bits/3 is about those of x^(-1/3)."""
    scale = 1 << mantissa_bits
    samples = [2 ** (i / 64) for i in range(192)]

    def bits_of(x):
        exponent = int(x >= 2) + int(x >= 4)
        return int((bias + exponent + x / 2**exponent - 1) * scale)

    def value_of(bits):
        exponent, mantissa = divmod(bits, scale)
        return (1 + mantissa / scale) * 2.0 ** (exponent - bias)

    def worst(start):
        return max(abs(1 - x * value_of(start - bits_of(x) // 3) ** 3) for x in samples)

    middle = int(bias * scale * 4 / 3)
    step = scale // 4096
    start = min(range(middle - 256 * step, middle, step), key=worst)
    print(f"\n/* {name}: |1 - x y^3| <= {worst(start):.3f} for y from {name} - bits(x)/3. */")
    print(f"#define {name} 0x{start:08x}u")


def main():
    print("/* Printed by tools/coefficients.py; change that file, not this one. */")
    print("#ifndef GPUC_DEVMATH_COEFFICIENTS_H\n#define GPUC_DEVMATH_COEFFICIENTS_H")

    print("\n/* Constants. A HI part of a logarithm leaves room for a product with an exponent. */")
    for letter, form, room in (("F", FLOAT, 15), ("", DOUBLE, 41)):
        constant(f"LOG2_E{letter}", form, 1 / mp.log(2), 2)
        constant(f"LOG2_10{letter}", form, mp.log(10, 2))
        constant(f"LOG10_E{letter}", form, mp.log10(mp.e), 2)
        constant(f"LN2{letter}", form, mp.log(2), 2, room)
        constant(f"LOG10_2{letter}", form, mp.log10(2), 2, room)
        constant(f"TWO_OVER_PI{letter}", form, 2 / mp.pi)
        constant(f"HALF_PI{letter}", form, mp.pi / 2, 3)
        constant(f"ONE_THIRD{letter}", form, mpf(1) / 3, 2)
        constant(f"PI{letter}", form, mp.pi, 2)

    fit_family("F", FLOAT, {
        "exp": 5, "exp2": 6, "exp10": 7, "sin": 3, "cos": 3, "atan": 9, "asin": 5,
    })
    fit_family("", DOUBLE, {
        "exp": 11, "exp2": 12, "exp10": 12, "sin": 6, "cos": 6, "atan": 21, "asin": 13,
    })

    # ln(1 + f) = f + f^2 q(f), q(0) = -1/2
    fit(
        "LOG1PF", FLOAT, (mpf(2) / 3 - 1, mpf(1) / 3), range(1, 10),
        lambda f: (mp.log1p(f) - f) / f**2, lambda f: f**2 / mp.log1p(f),
        fixed={0: mpf("-0.5")},
    )
    # ln((1 + s) / (1 - s)) = 2 s + s z q(z), z = s^2, for (1 + s) / (1 - s) in [sqrt 1/2, sqrt 2]
    reach = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.001")
    fit(
        "LOG", DOUBLE, (0, reach), range(7),
        lambda z: 2 * (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z,
        lambda z: z * mp.sqrt(z) / mp.atanh(mp.sqrt(z)) / 2, refits=3,
    )
    # The same for pow, with the term z/3 taken out to be carried in two numbers.
    tail_weight = lambda z: z**2 * mp.sqrt(z) / mp.atanh(mp.sqrt(z))
    fit("POW_LOGF", FLOAT, (0, reach), range(3), inverse_tanh_tail, tail_weight)
    fit("POW_LOG", DOUBLE, (0, reach), range(8), inverse_tanh_tail, tail_weight, refits=3)

    # erf x = x + x q(x^2) for x in [0, 1], and erf x = 1 - exp(-p(x)) above, where
    # 1 - erf x is below 1/6 and falls fast.
    erf_weight = lambda x: mp.erfc(x) / mp.erf(x)
    for letter, form, count, far, far_count in (("F", FLOAT, 7, 4, 7), ("", DOUBLE, 13, 6, 19)):
        fit(
            f"ERF{letter}", form, (0, 1), range(count),
            lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
            lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), refits=4,
        )
        fit(
            f"ERF_FAR{letter}", form, (1, far), range(far_count),
            lambda x: -mp.log(mp.erfc(x)), erf_weight, refits=4,
        )

    # (1 - e)^(-1/3) = 1 + e/3 + 2 e^2/9 + 14 e^3/81 + ...
    for letter, form in (("F", FLOAT), ("", DOUBLE)):
        print("\n/* Taylor coefficients of (1 - e)^(-1/3). */")
        for power, value in ((1, mpf(1) / 3), (2, mpf(2) / 9), (3, mpf(14) / 81)):
            constant(f"CBRT{letter}_{power}", form, value)
    cube_root_start("CBRTF_START", 127, 23)
    cube_root_start("CBRT_START", 1023, 20)

    two_over_pi_words("TWO_OVER_PI_WORDF", 32, 7, "u")
    two_over_pi_words("TWO_OVER_PI_WORD", 64, 19, "ull")
    print("\n#endif")


if __name__ == "__main__":
    main()
