/* Private copies of arrays and structures with the values that they have ahead (OpenMP 5.2 5.4.4). */
#include <stdio.h>
struct s { int k[40]; double w; };
int main(void){
  enum{N=97}; int a[N]; struct s s={{1,2,3},4}; double out[N]; int bad=0;
  for(int i=0;i<N;i++)a[i]=i;
  #pragma omp target firstprivate(a,s) map(from:out)
  { a[3]=7; s.k[1]=9; for(int i=0;i<N;i++) out[i]=a[i]+s.k[1]+s.w; }
  for(int i=0;i<N;i++) bad+=out[i]!=(i==3?7:i)+13;
  printf("%d %d %d\n",bad,a[3],s.k[1]);
  #pragma omp target teams distribute parallel for firstprivate(a,s) map(from:out)
  for(int i=0;i<N;i++) { a[i%7]=i+100; s.k[2]=i; out[i]=a[i%7]+a[7+i%5]+s.k[2]+s.w; }
  for(int i=0;i<N;i++) bad+=out[i]!=i+100+7+i%5+i+4;
  printf("%d %d\n",bad,a[3]);
  #pragma omp target map(from:out) map(to:a)
  #pragma omp teams
  #pragma omp distribute parallel for firstprivate(a)
  for(int i=0;i<N;i++) { a[i%7]=i+100; out[i]=a[i%7]+a[7+i%5]; }
  for(int i=0;i<N;i++) bad+=out[i]!=i+100+7+i%5;
  printf("%d\n",bad);
  return bad != 0;
}
