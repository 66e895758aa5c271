// Where the interface has a part of shmem.h.
#pragma once

#include "shmem.h"
