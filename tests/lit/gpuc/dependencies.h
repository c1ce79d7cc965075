#define DEPENDED_ON 0
