/* The folder by which launchers that lie beside the packages include it. */
#ifndef DAVSIM_RUNTIME_RUNTIME_RT_H
#define DAVSIM_RUNTIME_RUNTIME_RT_H

#include "../rt.h"

#endif
