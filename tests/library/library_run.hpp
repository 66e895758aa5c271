// Runs a call of the high-level API on one vector core: tensors in, the call, tensors out. The
// checker listens. Tests run a second time in functional mode, see tests/CMakeLists.txt.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "checker/checker.hpp"
#include "kernel_operator.h"
#include "sim/device/device.hpp"

namespace davsim::test {

using Values = std::vector<double>;

class LibraryTest : public ::testing::Test {
 protected:
  LibraryTest();

  /// A tensor of UB of so many elements, loaded with `values` before the call, and read after it.
  /// Elements without a value are not initialised.
  template <class T>
  std::size_t tensor(std::size_t elements, const Values& values = {}) {
    return add(api::dtype_of<T>(), elements, values);
  }
  /// A temporary buffer of so many bytes, which is not read after the call.
  std::size_t scratch(std::size_t bytes) {
    const std::size_t number = add(isa::DType::kU8, bytes, {});
    tensors_[number].read_back = false;
    return number;
  }
  /// Forgets the tensors, for another run.
  void forget() { tensors_.clear(); }

  /// Runs `call` once all tensors are loaded.
  void run(const std::function<void()>& call);
  /// The message of the fault that `call` ends in.
  std::string refusal(const std::function<void()>& call);

  /// The tensor of that number, within `call`.
  template <class T>
  AscendC::LocalTensor<T> at(std::size_t number) {
    return buffer(number).Get<T>();
  }
  /// Its elements after the run.
  Values got(std::size_t number) const;
  /// Elements of a tensor that is only read or written in parts: which of them were written.
  void expect_near(std::size_t number, const Values& expected, double relative, double absolute,
                   const std::string& what = "") const;
  observe::Cycle cycles() const { return cycles_; }

 private:
  using Buffer = AscendC::TBuf<AscendC::TPosition::VECCALC>;
  struct Tensor {
    isa::DType type;
    std::size_t elements, loaded;
    std::uint8_t* memory;
    bool read_back = true;
  };

  std::size_t add(isa::DType type, std::size_t elements, const Values& values);
  Buffer& buffer(std::size_t number) { return (*buffers_)[number]; }
  void kernel(const std::function<void()>& call);

  static sim::Device& device();
  checker::Checker checker_;
  std::vector<Tensor> tensors_;
  std::array<Buffer, 12>* buffers_ = nullptr;
  observe::Cycle cycles_ = 0;
};

/// `count` numbers between `low` and `high` in no order, the same for the same `seed`.
Values numbers(std::size_t count, double low, double high, std::uint32_t seed = 1);
/// The nearest value of the type.
double as_type(isa::DType type, double value);
template <class T>
Values rounded(Values values) {
  for (double& value : values) value = as_type(api::dtype_of<T>(), value);
  return values;
}

}  // namespace davsim::test
