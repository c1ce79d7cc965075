-DFACTOR=2 '-DTEXT="two words"'
tests/lit/gpuc/response-file.c
