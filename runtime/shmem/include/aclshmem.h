// Another name of shmem.h.
#pragma once

#include "shmem.h"
