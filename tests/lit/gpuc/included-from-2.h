static int f(int *a)
{
#ifdef WRONG
#pragma acc paralel
#endif
#pragma acc parallel loop copy(a[0:4])
    for (size_t i = 0; i < 4; i++)
        a[i] = 1;
    return a[3];
}
#ifdef MISSING
#include "no.h"
#endif
