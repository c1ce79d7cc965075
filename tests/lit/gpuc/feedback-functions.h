// Included by feedback-functions.c; its lines are those of a function there.



void second(int *a) {
    #pragma acc parallel loop copy(a[0:4])
    for (int i = 0; i < 4; i++)
        a[i] = 2 * i;
}
