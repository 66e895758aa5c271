// shmem.h under another name of the public interface.
#pragma once

#include "shmem.h"
