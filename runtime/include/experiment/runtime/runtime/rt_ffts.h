/* Where releases since 8.0 have this header. */
#ifndef DAVSIM_EXPERIMENT_RUNTIME_RT_FFTS_H
#define DAVSIM_EXPERIMENT_RUNTIME_RT_FFTS_H

#include "../../../runtime/rt.h"

#endif
