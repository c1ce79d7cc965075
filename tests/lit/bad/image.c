// Device code that cannot be read: the runtime says where, in the PTX.
// RUN: gpuc -Iruntime/include %s -o %t
// RUN: not env GPUC_DEVICE=sim %t unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: {{.*}}adn
// UNKNOWN-NEXT: --> image.c (PTX):7:
// UNKNOWN-NOT: done
// RUN: not env GPUC_DEVICE=sim %t cut 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error:
// CUT-NEXT: --> image.c (PTX):
// CUT-NOT: done
// RUN: not env GPUC_DEVICE=sim %t nonsense 2>&1 | FileCheck %s --check-prefix=NONSENSE
// NONSENSE: error:
// NONSENSE-NEXT: --> image.c (PTX):1:
// NONSENSE-NOT: done
// RUN: not env GPUC_DEVICE=sim %t version 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: image.c was compiled by another version of gpuc: its device image is of version 3, this runtime knows version 2
// VERSION-NOT: done
#include "gpuc_rt.h"
#include <stdio.h>
#include <string.h>

#define HEAD ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry e()\n{\n"

static const struct __gpuc_site site = {"image.c", "main", 12, "parallel"};

int main(int argc, char **argv)
{
    const char *ptx = HEAD ".reg .b32 %r<2>;\n adn.b32 %r1, %r1, 1;\n ret;\n}\n";
    if (argc > 1 && argv[1][0] == 'c')
        ptx = HEAD ".reg .b32 %r<2>;\n add.s32 %r1, ";
    if (argc > 1 && argv[1][0] == 'n')
        ptx = "\x7f" "ELF";
    const struct __gpuc_code code = {"sm_75", ptx, strlen(ptx), NULL, 0};
    struct __gpuc_image image = {2, "image.c", &code, 1, 0};
    if (argc > 1 && argv[1][0] == 'v')
        image.version = 3;
    __gpuc_region_begin(&image, &site, 1);
    // What one kernel cannot do is said when it is launched.
    const unsigned long one[3] = {1, 1, 1};
    __gpuc_launch(&image, &site, "e", one, one, 0, NULL, 0);
    printf("done\n");
    return 0;
}
