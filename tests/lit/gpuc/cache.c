// What is kept on disk: where it is, how much, and that it goes, each kind by itself or all. (What fills the images needs a GPU; the
// runtime's tests have a compiler in its place.)
// RUN: env XDG_CACHE_HOME=%t.cache gpuc -c %s -o %t.o
// RUN: env XDG_CACHE_HOME=%t.cache GPUC_CACHE=/nowhere/gpuc GPUC_CACHE_MB=7 gpuc cache stats | FileCheck %s --check-prefix=STATS
// RUN: env XDG_CACHE_HOME=%t.cache gpuc cache clean headers gpus | FileCheck %s --check-prefix=HEADERS
// RUN: env XDG_CACHE_HOME=%t.cache gpuc cache stats compilers | FileCheck %s --check-prefix=LEFT
// RUN: env XDG_CACHE_HOME=%t.cache GPUC_CACHE=0 gpuc cache clean | FileCheck %s --check-prefix=CLEAN
// RUN: env XDG_CACHE_HOME=%t.cache GPUC_CACHE=0 gpuc cache stats | FileCheck %s --check-prefix=NONE
// RUN: not gpuc cache 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not gpuc cache stats more 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not env GPUC_CACHE=here gpuc cache stats 2>&1 | FileCheck %s --check-prefix=RELATIVE
// STATS: images: /nowhere/gpuc
// STATS-NEXT: holds: what GPU drivers have compiled for programs, 0 entries, 0 bytes
// STATS-NEXT: most: 7 MiB
// STATS-NEXT: headers: {{/.*}}/headers
// STATS-NEXT: holds: what headers come to, 1 entry, {{[1-9][0-9]*}} bytes
// STATS-NEXT: most: 64 MiB
// STATS-NEXT: used: {{.*}} first, {{.*}} last
// STATS-NEXT: compilers: {{/.*}}/compilers
// STATS-NEXT: holds: what host compilers have answered, 1 entry, {{[1-9][0-9]*}} bytes
// STATS-NEXT: most: 4 MiB
// STATS-NEXT: used: {{.*}}
// STATS-NEXT: gpus: {{/.*}}/gpus
// HEADERS-NOT: images
// HEADERS: headers: {{/.*}}/headers
// HEADERS-NEXT: removed: 1 entry, {{[1-9][0-9]*}} bytes
// HEADERS-NEXT: gpus: {{/.*}}/gpus
// HEADERS-NOT: compilers
// LEFT: compilers: {{/.*}}/compilers
// LEFT-NEXT: 1 entry
// CLEAN: images: none
// CLEAN: headers: {{/.*}}
// CLEAN-NEXT: removed: 0 entries, 0 bytes
// CLEAN: compilers: {{/.*}}
// CLEAN-NEXT: removed: 1 entry, {{[1-9][0-9]*}} bytes
// NONE: images: none
// NONE: compilers: {{/.*}}
// NONE-NEXT: 0 entries, 0 bytes
// BAD: error{{.*}}: `gpuc cache` needs to know what to do
// NAME: error{{.*}}: `gpuc cache`: there is no cache `more`
// NAME: there are images, headers, compilers, gpus
// RELATIVE: GPUC_CACHE=`here` is neither the absolute path of a folder nor 0
#include <stddef.h>
int f(int *a)
{
    #pragma acc parallel loop copy(a[0:4])
    for (size_t i = 0; i < 4; i++)
        a[i] = 1;
    return a[3];
}
