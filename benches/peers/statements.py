"""C programs with many statements, arrays or kernels, for compile-time figures.

usage: statements.py KIND COUNT

The kinds: `stores` COUNT stores to one array in a loop that is declared independent; `kernels-stores` the same in a
`kernels` region; `apart` stores whose elements lie in blocks of their own; `arrays` one store to each of COUNT arrays;
`distinct` stores whose subscripts all have another stride; `plain` COUNT statements in a region without a loop;
`updates` COUNT updates of one element in a loop; `functions` COUNT functions with a kernel each; `deep` a nest COUNT loops deep;
`flat` the same of loops of unknown bounds, with a subscript of all variables; `recurrences` COUNT loops of one kernel.
"""

import sys


def function(length, construct, statements):
    loop = "for (int i = 0; i < n; i++)"
    return (
        f"void f(int n, float *restrict a, const float *restrict b)\n{{\n"
        f"#pragma acc {construct} copy(a[0:{length}]) copyin(b[0:n])\n{loop} {{\n"
        + "".join(statements)
        + "}\n}\n"
    )


def program(kind, count):
    numbers = range(count)
    if kind in ("stores", "kernels-stores"):
        construct = "parallel loop" if kind == "stores" else "kernels loop"
        statements = [f"a[i + {k}] = b[i] * {k}.0f;\n" for k in numbers]
        return function(f"n + {count}", construct, statements)
    if kind == "apart":
        statements = [f"a[{count} * i + {k}] = b[i] * {k}.0f;\n" for k in numbers]
        return function(f"{count} * n", "kernels loop", statements)
    if kind == "distinct":
        statements = [f"a[{k + 1} * i + {k}] = b[i] * {k}.0f;\n" for k in numbers]
        return function(f"{count} * (n + 1)", "parallel loop", statements)
    if kind == "arrays":
        declarations = "".join(f"float a{k}[1000];\n" for k in numbers)
        statements = "".join(f"a{k}[i] = {k}.0f;\n" for k in numbers)
        head = "void f(void)\n{\n#pragma acc parallel loop\nfor (int i = 0; i < 1000; i++) {\n"
        return declarations + head + statements + "}\n}\n"
    if kind == "plain":
        statements = "".join(f"a[{k}] = b * {k}.0f;\n" for k in numbers)
        head = f"void f(float *restrict a, float b)\n{{\n#pragma acc serial copy(a[0:{count}])\n{{\n"
        return head + statements + "}\n}\n"
    if kind == "functions":
        body = "#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])\nfor (int i = 0; i < n; i++) "
        return "".join(
            f"void f{k}(int n, float *restrict a, const float *restrict b)\n{{\n{body}"
            f"a[i] = a[i] * {k}.0f + b[i];\n}}\n"
            for k in numbers
        )
    if kind == "deep":
        loops = "".join(f"for (int i{d} = 0; i{d} < 4; i{d}++)\n" for d in numbers)
        head = "void f(float a[restrict 8][8], const float b[restrict 8][8])\n{\n"
        head += "#pragma acc kernels copy(a[0:8]) copyin(b[0:8])\n"
        return head + loops + f"a[i0][i{count - 1}] += b[i{count // 2}][i0];\n}}\n"
    if kind == "recurrences":
        loop = "for (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i] * "
        loops = "".join(f"{loop}{k}.5f;\n" for k in numbers)
        head = "void f(int n, float *restrict a, const float *restrict b)\n{\n"
        head += "#pragma acc serial copy(a[0:n]) copyin(b[0:n])\n{\n"
        return head + loops + "}\n}\n"
    if kind == "updates":
        return function("n", "parallel loop", [f"a[i] += b[i] * {k}.0f;\n" for k in numbers])
    if kind == "flat":
        loops = "".join(f"for (int i{d} = 0; i{d} < n; i{d}++)\n" for d in numbers)
        sums = [" + ".join(f"{1 << d if by else 1} * i{d}" for d in numbers) for by in (1, 0)]
        head = f"void f(int n, unsigned a[{1 << count}])\n{{\n#pragma acc kernels copy(a[0:{1 << count}])\n"
        return head + loops + f"a[{sums[0]}] += {sums[1]};\n}}\n"
    sys.exit(__doc__)


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    sys.stdout.write(program(sys.argv[1], int(sys.argv[2])))
