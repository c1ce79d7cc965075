/* Flags that some iterations raise: set to one number, read by nobody in the loop. */
#include <stdio.h>
#include <stdbool.h>
int main(void){
  int a[100]; for(int i=0;i<100;i++)a[i]=i==57;
  bool stop=false; int n=100;
  #pragma acc kernels copy(stop)
  {
  #pragma acc loop independent
  for(int i=0;i<n;i++) if(a[i]) stop=true;
  }
  printf("%d\n",stop);
  int flag=7;
  #pragma acc parallel loop copy(flag)
  for(int i=0;i<n;i++) if(a[i]) flag=3;
  printf("%d\n",flag);
  flag=7;
  #pragma acc kernels
  {
  #pragma acc loop independent
  for(int i=0;i<n;i++) if(a[i]==1) flag=3;
  }
  printf("%d\n",flag);
  flag=7;
  #pragma acc kernels
  for(int i=0;i<n;i++) if(a[i]==1) flag=3;
  printf("%d\n",flag);
}
