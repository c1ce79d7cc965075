// What `-Minfo` says of an example: what became of each loop and where its data goes.
// RUN: gpuc -Minfo -c examples/sgemm.c -o %t.o 2>&1 | golden
