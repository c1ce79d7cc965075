// Raw strings of GNU C beside and inside of directives' functions: what is in them is no directive, no comment and no escape.
#include <stdio.h>
#include <string.h>

static const char text[] = R"(one \n "two"
#pragma acc no directive
// three ??/
)" "\n" R"x()")x";

int main(void)
{
    int a[8];
    const char *word = R"w(a "word" (\0))w";
    #pragma acc parallel loop copyout(a)
    for (int i = 0; i < 8; i++)
        a[i] = sizeof R"(12\)" + i;
    printf("%zu %d %s %d %s", strlen(text), __LINE__, word, a[7], text);
    puts("");
    return 0;
}
