/* Where older releases have the log. */
#ifndef DAVSIM_TOOLCHAIN_DLOG_PUB_H
#define DAVSIM_TOOLCHAIN_DLOG_PUB_H

#include "base/dlog_pub.h"

#endif
