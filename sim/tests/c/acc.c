// gcc-12 -O2 -g -fopenacc -foffload=nvptx-none -foffload-options=-O2 -save-temps -c, then the PTX that mkoffload assembles
void saxpy(int n, float a, const float *restrict x, float *restrict y) {
#pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])
  for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i] + (float)(i % 3);
}

float sum(int n, const float *x) {
  float s = 0;
#pragma acc parallel loop copyin(x[0:n]) reduction(+ : s)
  for (int i = 0; i < n; i++)
    s += x[i];
  return s;
}

int main(void) {
  float x[10] = {0}, y[10] = {0};
  saxpy(10, 2, x, y);
  return (int)sum(10, x);
}
