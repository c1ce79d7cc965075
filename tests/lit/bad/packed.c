// A GPU accesses aligned memory only: members of packed structures are refused where they are not.
// RUN: not gpuc --emit=source %s 2>&1 | FileCheck %s
// RUN: not gpuc --emit=source -DWHOLE -fpack-struct %s 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: gpuc --emit=source -DWHOLE %s | FileCheck %s --check-prefix=NATURAL
// NATURAL: offload.region
struct inner { double d; };
struct plain { char c; double d; };
#ifndef WHOLE
struct packed { char c; double d; struct inner in; } __attribute__((packed));
#pragma pack(push, 4)
struct four { int i; double d; float f; };
#pragma pack(pop)

void attribute(struct packed *p, struct four *q)
{
    #pragma acc parallel loop present(p, q)
    for (int i = 0; i < 10; i++) {
        p[i].c = 1;
        q[i].i = 2;
        q[i].f = 3;
        // CHECK: error[GPUC0005]: member `d` of a packed structure is not aligned
        // CHECK-NEXT: --> tests/lit/bad/packed.c:[[@LINE+1]]:9
        p[i].d = i;
    }
}

void nested(struct packed *p)
{
    #pragma acc parallel loop present(p)
    for (int i = 0; i < 10; i++)
        // CHECK: error[GPUC0005]: member `in` of a packed structure is not aligned
        p[i].in.d = i;
}

void pragma(struct four *q)
{
    #pragma acc parallel loop present(q)
    for (int i = 0; i < 10; i++)
        // CHECK: error[GPUC0005]: member `d` of a packed structure is not aligned
        // CHECK: help: leave the structure unpacked
        q[i].d = i;
}

void initialiser(int *out)
{
    #pragma acc serial present(out)
    {
        // CHECK: error[GPUC0005]: this member of a packed structure is not aligned
        struct four f = { 1, 2.0, 3.0f };
        out[0] = f.i;
    }
}
#else
void option(struct plain *p)
{
    #pragma acc parallel loop present(p)
    for (int i = 0; i < 10; i++)
        // WHOLE: error[GPUC0005]: member `d` of a packed structure is not aligned
        p[i].d = i;
}
#endif
