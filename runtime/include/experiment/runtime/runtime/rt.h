/* Where releases since 8.0 have this header. */
#ifndef DAVSIM_EXPERIMENT_RUNTIME_RT_H
#define DAVSIM_EXPERIMENT_RUNTIME_RT_H

#include "../../../runtime/rt.h"

#endif
