/* Where older releases have the log. */
#ifndef DAVSIM_TOOLCHAIN_SLOG_H
#define DAVSIM_TOOLCHAIN_SLOG_H

#include "base/dlog_pub.h"

#endif
