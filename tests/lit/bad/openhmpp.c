// RUN: not gpuc -fhmpp -c %s -o /dev/null 2>&1 | golden

#pragma hmpp add codelet, args[b].io=out
void add(int n, const int a[n], int b[n])
{
    #pragma hmppcg paralel
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    #pragma hmppcg parallel
    b[0] = 1;
    #pragma hmppcg gridify(i, k)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2; j++)
            b[i] += j;
    #pragma hmppcg grid blocksize "64x64"
    for (int i = 0; i < n; i++)
        b[i]++;
    #pragma hmppcg unroll 0
    for (int i = 0; i < n; i++)
        b[i]++;
    #pragma hmppcg permute j, i
    for (int i = 0; i < n; i++) {
        b[i] = 0;
        for (int j = 0; j < 2; j++)
            b[i] += j;
    }
    #pragma hmppcg parallel, vectorize
    for (int i = 0; i < n; i++)
        b[i]++;
    #pragma hmpp add synchronize
}

#pragma hmpp add codelet
void again(int n, int a[n]) { a[0] = n; }

#pragma hmpp value codelet
int value(int n) { return n; }

#pragma hmpp kept codelet, args[b].io=out
void kept(int n, int b[n])
{
    #pragma hmppcg shared b, nowhere
    for (int i = 0; i < n; i++)
        b[i] = 1;
}
