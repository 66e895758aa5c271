// Pointers into the buffers of a core, which kernels dereference as the device's scalar unit does.
//
// Such a pointer, __ubuf__ T*, is an offset in the buffer, so that an access through it faults on
// the host: nothing lies at the lowest addresses. The fault becomes a load or store of the running
// core's scalar unit, at its time, and the kernel goes on behind the access.
#pragma once

namespace davsim::isa {

/// From now on, faults of the calling thread at the lowest addresses are served while a kernel
/// runs. All others go to whoever handled them before. Cheap, if nothing has to be done.
/// Only on x86-64: elsewhere such an access remains a crash.
void serve_local_pointers();

}  // namespace davsim::isa
