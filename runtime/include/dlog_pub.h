/* Where projects that name its folder include the log from. */
#ifndef DAVSIM_DLOG_PUB_H
#define DAVSIM_DLOG_PUB_H

#include "base/dlog_pub.h"

#endif
