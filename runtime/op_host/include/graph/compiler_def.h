// What sources say to compilers.
#pragma once

#define VAR_UNUSED __attribute__((unused))
