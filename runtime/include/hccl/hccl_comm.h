/* Where newer releases have what makes communicators. */
#ifndef DAVSIM_HCCL_COMM_H
#define DAVSIM_HCCL_COMM_H

#include "hccl/hccl.h"

#endif
