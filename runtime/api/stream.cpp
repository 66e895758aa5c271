// Streams, and waiting for them.
#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

using namespace davsim::runtime;

aclError aclrtCreateStream(aclrtStream* stream) {
  return api_call("aclrtCreateStream", [&] {
    require_pointer(stream, "stream");
    *stream = Process::instance().create_stream().get();
  });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return api_call("aclrtDestroyStream", [&] {
    require_pointer(stream, "stream");
    Process::instance().destroy_stream(stream);
  });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return api_call("aclrtSynchronizeStream", [&] {
    const auto waited = Process::instance().stream(stream);
    Simulator& simulator = Simulator::instance();
    simulator.synchronise(*waited);
    require_sound(simulator, *waited);
  });
}

aclError aclrtSynchronizeDevice() {
  return api_call("aclrtSynchronizeDevice", [] {
    Process::instance().context();
    Simulator& simulator = Simulator::instance();
    simulator.synchronise_all();
    require_device_sound(simulator);
  });
}
