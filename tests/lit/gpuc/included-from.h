// The middle of the way.
int h(void);

#include "included-from-2.h"
