#include "davsim/launch_log.h"

#include <boost/json.hpp>
#include <string>

#include "runtime/core/api_error.hpp"
#include "runtime/core/simulator.hpp"

using namespace davsim::runtime;

aclError davsim_log_launches(int on) {
  return api_call("davsim_log_launches", [&] {
    Simulator& simulator = Simulator::instance();
    simulator.synchronise_all();
    if (on != 0) {
      simulator.launch_log().begin();
    } else {
      simulator.launch_log().end();
    }
  });
}

aclError davsim_queued_launches(uint64_t* count) {
  return api_call("davsim_queued_launches", [&] {
    require_pointer(count, "count");
    *count = Simulator::instance().launch_log().queued_launches();
  });
}

aclError davsim_logged_launches(const char** text) {
  return api_call("davsim_logged_launches", [&] {
    require_pointer(text, "text");
    static thread_local std::string kept;
    kept = boost::json::serialize(Simulator::instance().logged_launches());
    *text = kept.c_str();
  });
}
