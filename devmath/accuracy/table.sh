#!/bin/sh
# Prints ACCURACY.md: the full measurement with its preface. Usage: table.sh PROGRAM
set -eu
cat <<'PREFACE'
# Accuracy of devmath

Measured by `make -C devmath/accuracy table`, which needs gcc with libquadmath and writes this file.
`make -C devmath/accuracy quick` measures fewer points in a few seconds. Both fail if a function
exceeds its bound or returns a wrong NaN, infinity, zero or sign.

- **max ulp**: the largest |result − exact| in units in the last place of the exact result.
- **from rounded**: the largest number of steps between the result and the correctly rounded one.
  This is how the CUDA C++ programming guide states errors.
- **guide**: what that guide documents for the CUDA function of the same name, the smallest figure
  where its editions differ. The bound on both columns before, except that *max ulp* may always be
  one half.

A float function of one argument is measured at every 31st bit pattern of the 2^32, against the C
library's double function. A double function is measured at 1.5 million points, against libquadmath's
113-bit one: random bit patterns, arguments uniform and log-uniform where the function does its work,
and near multiples of pi/2, near 1, or near overflow where that is hard for it. Functions of several
arguments are measured at such tuples, 15 million of float and 1.5 million of double; `fma` and `fmaf`, one
instruction on the device, are compared with the C library's. Added to all are the special values of IEEE 754
(for several arguments, all combinations) and 100 numbers on each side of every value at which some
function overflows, underflows or changes its method. Multiplications and additions fuse only where
the source says so, as on the device; division and square root are correctly rounded, as `div.rn` and
`sqrt.rn` are.

PREFACE
exec "$@"
