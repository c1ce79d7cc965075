// RUN: not gpuc -fjolokia -c %s -o /dev/null 2>&1 | golden
void unknown(float *a);

static void calls(int n, float *a)
{
    _for (int i = 0; i < n; i++)
        unknown(a + i);
}

static void carried(int n, float *a)
{
    for (int i = 1; i < n; i++)
        a[i] += a[i - 1] * a[i];
}

void tasks(int n, float *a)
{
    #pragma jolokia gpuIn(a)
    calls(n, a);
    #pragma jolokia gpuIn(a) gpuOut(a)
    carried(n, a);
}

void jumps(int n, float *a)
{
    void *where = &&end;
    if (n < 0)
        goto *where;
    #pragma jolokia gpuIn(a) gpuOut(a)
    for (int i = 0; i < n; i++)
        a[i] += 1;
end:;
}
