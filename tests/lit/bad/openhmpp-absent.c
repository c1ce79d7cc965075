// An argument that the call does not bring in must have been brought in.
// RUN: not gpuc run -fhmpp --device=sim %s 2>&1 | FileCheck %s

#pragma hmpp f codelet, args[x].io=in, args[y].io=out
static void f(int n, const int x[4], int y[4])
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 1;
}

int main(void)
{
    int x[4] = {1, 2, 3, 4}, y[4] = {0};
    #pragma hmpp f callsite, args[x].advancedload=true
    f(4, x, y);
    // CHECK: error: data in `present` clause was not found on device 0: name=x
    // CHECK: `x` is not on the device at this `codelet`
    return y[0];
}
