// Included by force before a kernel source.
#pragma once
#define OF_THE_PRELUDE 5
