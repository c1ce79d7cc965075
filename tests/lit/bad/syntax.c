// Errors of syntax: each is said at its place, and reading goes on behind it.
// RUN: not gpuc -c %s -o %t.o 2>&1 | golden
#pragma acc routine seq
void missing_semicolon(int n, float *a)
{
    for (int i = 0; i < n i++)
        a[i] = 0;
}

float missing_operand(int n, float *a)
{
    return a[n -;
}

float no_parameters( { return 1; }

int unknown_type(flaot x);

float open_brace(float x) {
    return x;
