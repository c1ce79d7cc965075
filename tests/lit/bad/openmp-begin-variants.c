// RUN: not gpuc -fopenmp -c %s -o /dev/null 2>&1 | golden
int f(void) { return 1; }
#pragma omp begin declare variant match(construct={target})
int f(void) { return 2; }
#pragma omp begin declare variant match(device={kind(host)})
int f(void) { return 3; }
#pragma omp end declare variant
#pragma omp end declare variant
#pragma omp end declare variant
#pragma omp begin declare variant match(construct={target})
int f(void) { return 2; }
