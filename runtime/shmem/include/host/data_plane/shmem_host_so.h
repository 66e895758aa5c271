// The path at which the public interface has a part of shmem.h; includes all of it.
#pragma once

#include "shmem.h"
