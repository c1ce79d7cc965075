// What GPU drivers have compiled: where it is kept, and that it goes. (What fills it needs a GPU; the runtime's tests have a
// compiler in its place.)
// RUN: env GPUC_CACHE=/nowhere/gpuc GPUC_CACHE_MB=7 gpuc cache stats | FileCheck %s --check-prefix=STATS
// RUN: env GPUC_CACHE=/nowhere/gpuc gpuc cache clean | FileCheck %s --check-prefix=CLEAN
// RUN: env GPUC_CACHE=0 gpuc cache stats | FileCheck %s --check-prefix=NONE
// RUN: not gpuc cache 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not gpuc cache stats more 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not env GPUC_CACHE=here gpuc cache stats 2>&1 | FileCheck %s --check-prefix=RELATIVE
// STATS: cache: /nowhere/gpuc
// STATS-NEXT: holds: 0 entries, 0 bytes
// STATS-NEXT: most: 7 MiB
// CLEAN: removed: 0 entries, 0 bytes
// NONE: cache: none
// BAD: error{{.*}}: `gpuc cache` needs to know what to do
// RELATIVE: GPUC_CACHE=`here` is neither the absolute path of a folder nor 0
