// Macros such as #define M 128 or #define PI 3.14 that a kernel has before it includes the kernel
// API: out of the way of the API's own names until show_macros.h. Included again by each header
// that needs it.
#pragma push_macro("A")
#pragma push_macro("B")
#pragma push_macro("C")
#pragma push_macro("D")
#pragma push_macro("E")
#pragma push_macro("H")
#pragma push_macro("M")
#pragma push_macro("N")
#pragma push_macro("P")
#pragma push_macro("PI")
#pragma push_macro("R")
#pragma push_macro("S")
#pragma push_macro("V")
#undef A
#undef B
#undef C
#undef D
#undef E
#undef H
#undef M
#undef N
#undef P
#undef PI
#undef R
#undef S
#undef V
