/* rtGetC2cCtrlAddr stands with the rest of its layer. */
#ifndef DAVSIM_RUNTIME_RT_FFTS_H
#define DAVSIM_RUNTIME_RT_FFTS_H

#include "runtime/rt.h"

#endif
