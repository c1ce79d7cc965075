// Options that change the language hold in regions too.
// RUN: gpuc run --device=sim %s | FileCheck %s --check-prefix=PLAIN
// RUN: gpuc run --device=sim -funsigned-char %s | FileCheck %s --check-prefix=CHAR
// RUN: gpuc run --device=sim -fsingle-precision-constant %s | FileCheck %s --check-prefix=SINGLE
// RUN: gpuc run --device=sim -fwrapv %s | FileCheck %s --check-prefix=WRAP
// RUN: gpuc run --device=sim -fshort-enums %s | FileCheck %s --check-prefix=ENUM
// RUN: gpuc run --device=sim -fpack-struct=2 %s | FileCheck %s --check-prefix=PACK
// RUN: gpuc --emit=source %s | FileCheck %s --check-prefix=PROMISED
// RUN: gpuc --emit=source -fwrapv %s | FileCheck %s --check-prefix=NOT-PROMISED
// PLAIN: char -1 -56 -1{{$}}
// PLAIN: constant 0x1.3333333333334p-2
// PLAIN: sizes 4 12
// CHAR: char 127 200 255{{$}}
// SINGLE: constant 0x1.33333{{4p|38p}}-2
// WRAP: wraps 2147483647
// ENUM: sizes 1 12
// PACK: sizes 4 8
// PROMISED: arith.muli {{.*}} overflow<nsw> : i32
// NOT-PROMISED-NOT: arith.muli {{.*}} overflow<nsw> : i32
// NOT-PROMISED: offload.region
// NOT-PROMISED-NOT: arith.muli {{.*}} overflow<nsw> : i32
extern int printf(const char *, ...);

enum colour { RED, GREEN };
struct mixed { short a; int b; short c; };

static char c[4] = { -1, -2, 100, 127 };
static int by_char[4], sizes[2], one = 1;
static double by_constant[4];
static long wrapped[4];

int main(void)
{
    #pragma acc parallel loop
    for (int i = 0; i < 4; i++) {
        by_char[i] = i == 0 ? c[i] / 2 + (c[i] < 0) * -1 : i == 1 ? (char)200 : '\377';
        by_constant[i] = i * 0.1;
        int t = (unsigned)one << 31;
        t *= one;
        --t;
        wrapped[i] = t;
    }
    #pragma acc serial copyout(sizes)
    {
        enum colour colours[2] = { RED, GREEN };
        struct mixed m[2];
        m[1].a = 0;
        sizes[0] = sizeof colours / 2 + 0 * colours[1];
        sizes[1] = sizeof m / 2 + m[1].a;
    }
    printf("char %d %d %d\n", by_char[0], by_char[1], by_char[2]);
    printf("constant %a\n", by_constant[3]);
    printf("wraps %ld\n", wrapped[0]);
    printf("sizes %d %d\n", sizes[0], sizes[1]);
    return 0;
}
