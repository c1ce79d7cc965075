// The test engine itself, on programs that are always there.
// RUN: cc -E -P -DCOUNT=3 %s -o %t.i
// RUN: cat %t.i | FileCheck %s
// RUN: not cc -c -Werror=implicit-function-declaration %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED
// RUN: cc -DWHOLE %s -o %t
// RUN: %t | golden

#ifdef WHOLE
int puts(const char *);
int main(void) { return puts("run") < 0; }
#else
// CHECK-LABEL: int first
// CHECK-NEXT: return [[NAME:[a-z]+]](3);
// CHECK-NOT: COUNT
// CHECK: }
int first(void) {
  return called(COUNT);
}
// CHECK-LABEL: int second
// CHECK-DAG: int b = 2;
// CHECK-DAG: int a = 1;
// CHECK: return [[NAME]](a,
// CHECK-SAME: b);
int second(void) {
  int a = 1;
  int b = 2;
  return called(a, b);
}
// REFUSED: commands.c:[[@LINE-12]]:{{[0-9]+}}: error:
// REFUSED-SAME: 'called'
#endif
