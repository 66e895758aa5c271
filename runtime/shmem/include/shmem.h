// SHMEM: memories of several devices as one, for host programs and kernels (docs/shmem.md).
#ifndef DAVSIM_SHMEM_H
#define DAVSIM_SHMEM_H

// The halves of a kernel have their own of the functions that both sides have.
#if defined(__DAV_C220_CUBE__) || defined(__DAV_C220_VEC__)
#define DAVSIM_SHMEM_KERNEL
#endif

#include "shmem/host.h"

// The host's half of a source with kernels keeps what its kernels call, and compiles it.
#if defined(DAVSIM_SHMEM_KERNEL) || defined(__CCE_AICORE__) || defined(DAVSIM_LAUNCHES_KERNELS)
#include "shmem/device_barrier.h"
#include "shmem/device_rma.h"
#endif

#include "shmem/older_names.h"

#endif  // DAVSIM_SHMEM_H
