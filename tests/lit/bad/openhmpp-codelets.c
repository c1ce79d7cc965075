// RUN: not gpuc -fhmpp -c %s -o /dev/null 2>&1 | golden

#pragma hmpp wrong codelet, args[c].io=out, args[9].io=in, args[a].size={missing}
void wrong(int *a) { a[0] = 1; }

#pragma hmpp kinds codelet, args[a].io=back
void kinds(int a[1]) { a[0] = 1; }
#pragma hmpp kinds codelet, args[a].transfer=allways
#pragma hmpp kinds codelet, args[a].siz={1}
#pragma hmpp kinds codelet, devise=1
#pragma hmpp kinds codelet, device="1"
#pragma hmpp codelet
#pragma hmpp <none> map, args[a, b]
#pragma hmpp map, args[x::a, y::b]
#pragma hmpp lost callsite
#pragma hmppcg parallel

#pragma hmpp <g> resident
int *pointer;
