// What traces are made of, under its short names: cycles, counters and events as observe/ has them.
#pragma once

#include "observe/counters.hpp"
#include "observe/cycle_account.hpp"
#include "observe/observer.hpp"

namespace davsim::traces {

using namespace observe;

}  // namespace davsim::traces
