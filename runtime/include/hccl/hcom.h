/* Calls by the name of a group; hccl.h has them. */
#ifndef DAVSIM_HCOM_H
#define DAVSIM_HCOM_H

#include "hccl/hccl.h"

#endif
