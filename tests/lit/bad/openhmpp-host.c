// RUN: not gpuc -fhmpp -c %s -o /dev/null 2>&1 | golden

#pragma hmpp add codelet, args[b].io=out
void add(int n, const int a[n], int b[n])
{
    for (int i = 0; i < n; i++)
        b[i] = a[i];
}

void value(int n);

void host(int n, int *a, int *b)
{
    #pragma hmpp ad callsite
    add(n, a, b);
    #pragma hmpp add callsite
    value(n);
    #pragma hmpp add callsite
    n++;
    #pragma hmpp add callsite, args[x].noupdate=true
    add(n, a, b);
    #pragma hmpp add callsite, cond="m > 1"
    add(n, a, b);
    #pragma hmpp add advancedload, args[a], hostdata="missing"
    #pragma hmpp add advancedload, args[a], section={0..n-1:2}
    #pragma hmpp <none> release
    #pragma hmpp synchronize
    #pragma hmpp add codelet
    #pragma hmpp region, asynchronous
    a[0] = 1;
    #pragma hmpp add callsite
}

#pragma hmpp none codelet
static void none(int n, float *x)
{
    #pragma hmppcg grid blocksize "16x4"
    x[0] = n;
}

void elsewhere(void)
{
    #pragma hmpp add delegatedstore, args[b]
}
