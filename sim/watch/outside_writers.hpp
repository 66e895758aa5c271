// Those who may write to global memory while kernels run, besides these kernels: other processes
// that share it.
#pragma once

namespace davsim::sim {

class OutsideWriters {
 public:
  virtual ~OutsideWriters() = default;
  /// Whether there are any.
  virtual bool any() const = 0;
  /// All cores of a launch wait for what none of them will write. Lets some wall time pass, in
  /// which the clock stands.
  virtual void await() = 0;
};

}  // namespace davsim::sim
