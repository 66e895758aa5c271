// A feed-forward layer of a language model by the vendor's basic operators alone: a host program
// without a kernel of its own.
//
//   out = x + (silu(n W_gate) * (n W_up)) W_down,  n = rms_norm(x) * gamma
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_silu.h"

namespace {

constexpr int64_t kTokens = 64, kHidden = 256, kInner = 704;
constexpr double kEpsilon = 1e-6;

void require(int code, const std::string& what) {
  if (code == 0) return;
  const char* const text = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s fails with %d: %s\n", what.c_str(), code, text == nullptr ? "" : text);
  std::exit(1);
}

using Numbers = std::vector<double>;

/// Numbers in a fixed disorder, of the given size at most.
Numbers numbers(int64_t count, double most, unsigned seed) {
  Numbers made;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    made.push_back(most * (seed / 2147483648.0 - 1));
  }
  return made;
}

/// A matrix of float16 on the device.
class Matrix {
 public:
  Matrix(std::vector<int64_t> sizes, Numbers values = {}, aclDataType type = ACL_FLOAT16)
      : count_(std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>())),
        type_(type) {
    require(aclrtMalloc(&block_, bytes(), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    if (!values.empty()) {
      std::vector<aclFloat16> stored;
      for (double value : values) stored.push_back(aclFloatToFloat16(static_cast<float>(value)));
      require(aclrtMemcpy(block_, bytes(), stored.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE),
              "aclrtMemcpy");
    }
    std::vector<int64_t> strides(sizes.size(), 1);
    for (std::size_t d = sizes.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * sizes[d];
    tensor_ = aclCreateTensor(sizes.data(), sizes.size(), type, strides.data(), 0, ACL_FORMAT_ND,
                              sizes.data(), sizes.size(), block_);
  }
  ~Matrix() {
    aclDestroyTensor(tensor_);
    aclrtFree(block_);
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  aclTensor* get() const { return tensor_; }
  Numbers values() const {
    std::vector<aclFloat16> stored(count_);
    require(aclrtMemcpy(stored.data(), bytes(), block_, bytes(), ACL_MEMCPY_DEVICE_TO_HOST),
            "aclrtMemcpy");
    Numbers all;
    for (aclFloat16 value : stored) all.push_back(aclFloat16ToFloat(value));
    return all;
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * aclDataTypeSize(type_); }

  int64_t count_;
  aclDataType type_;
  void* block_ = nullptr;
  aclTensor* tensor_ = nullptr;
};

/// Both phases of a function, with a workspace that lives until the stream has ended.
class Calls {
 public:
  explicit Calls(aclrtStream stream) : stream_(stream) {}
  ~Calls() {
    for (void* block : workspaces_) aclrtFree(block);
  }

  template <class First, class Second, class... Arguments>
  void operator()(const char* name, First first, Second second, Arguments... arguments) {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    require(first(arguments..., &bytes, &executor), name);
    void* workspace = nullptr;
    if (bytes > 0) {
      require(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
      workspaces_.push_back(workspace);
    }
    require(second(workspace, bytes, executor, stream_), name);
  }

 private:
  aclrtStream stream_;
  std::vector<void*> workspaces_;
};

#define CALL(calls, Name, ...) calls(#Name, Name##GetWorkspaceSize, Name, __VA_ARGS__)

/// The same on the host, with the values that float16 has.
Numbers rounded(Numbers values) {
  for (double& value : values) {
    value = aclFloat16ToFloat(aclFloatToFloat16(static_cast<float>(value)));
  }
  return values;
}

Numbers product(const Numbers& a, const Numbers& b, int64_t rows, int64_t depth, int64_t columns) {
  Numbers c(static_cast<std::size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t j = 0; j < columns; ++j)
        c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
    }
  }
  return rounded(c);
}

Numbers expected(const Numbers& x, const Numbers& gamma, const Numbers& gate, const Numbers& up,
                 const Numbers& down) {
  Numbers n = x;
  for (int64_t i = 0; i < kTokens; ++i) {
    double squares = 0;
    for (int64_t j = 0; j < kHidden; ++j) squares += x[i * kHidden + j] * x[i * kHidden + j];
    const double factor = 1 / std::sqrt(squares / kHidden + kEpsilon);
    for (int64_t j = 0; j < kHidden; ++j) n[i * kHidden + j] *= factor * gamma[j];
  }
  n = rounded(n);
  Numbers inner = product(n, gate, kTokens, kHidden, kInner);
  const Numbers other = product(n, up, kTokens, kHidden, kInner);
  for (std::size_t i = 0; i < inner.size(); ++i)
    inner[i] = inner[i] / (1 + std::exp(-inner[i])) * other[i];
  Numbers out = product(rounded(inner), down, kTokens, kInner, kHidden);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += x[i];
  return out;
}

}  // namespace

int main() {
  require(aclInit(nullptr), "aclInit");
  require(aclrtSetDevice(0), "aclrtSetDevice");
  aclrtStream stream = nullptr;
  require(aclrtCreateStream(&stream), "aclrtCreateStream");
  const Numbers x = rounded(numbers(kTokens * kHidden, 1, 1)),
                gamma = rounded(numbers(kHidden, 1, 2));
  const Numbers gate = rounded(numbers(kHidden * kInner, 0.1, 3));
  const Numbers up = rounded(numbers(kHidden * kInner, 0.1, 4));
  const Numbers down = rounded(numbers(kInner * kHidden, 0.1, 5));
  int wrong = 0;
  {
    const Matrix in({kTokens, kHidden}, x), weight({kHidden}, gamma), normed({kTokens, kHidden});
    const Matrix rstd({kTokens, 1}, {}, ACL_FLOAT);
    const Matrix w_gate({kHidden, kInner}, gate), w_up({kHidden, kInner}, up),
        w_down({kInner, kHidden}, down);
    const Matrix gated({kTokens, kInner}), raised({kTokens, kInner}), out({kTokens, kHidden});
    const float one = 1;
    aclScalar* const alpha = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
    aclrtEvent start = nullptr, end = nullptr;
    require(aclrtCreateEvent(&start), "aclrtCreateEvent");
    require(aclrtCreateEvent(&end), "aclrtCreateEvent");

    Calls calls(stream);
    require(aclrtRecordEvent(start, stream), "aclrtRecordEvent");
    CALL(calls, aclnnRmsNorm, in.get(), weight.get(), kEpsilon, normed.get(), rstd.get());
    CALL(calls, aclnnMatmul, normed.get(), w_gate.get(), gated.get(), int8_t{1});
    CALL(calls, aclnnMatmul, normed.get(), w_up.get(), raised.get(), int8_t{1});
    CALL(calls, aclnnSilu, gated.get(), gated.get());
    CALL(calls, aclnnInplaceMul, gated.get(), raised.get());
    CALL(calls, aclnnMatmul, gated.get(), w_down.get(), out.get(), int8_t{1});
    CALL(calls, aclnnInplaceAdd, out.get(), in.get(), alpha);
    require(aclrtRecordEvent(end, stream), "aclrtRecordEvent");
    require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");

    float ms = 0;
    require(aclrtEventElapsedTime(&ms, start, end), "aclrtEventElapsedTime");
    const Numbers found = out.values(), right = expected(x, gamma, gate, up, down);
    for (std::size_t i = 0; i < right.size(); ++i) {
      wrong += std::fabs(found[i] - right[i]) > 4e-3 * std::max(1.0, std::fabs(right[i]));
    }
    std::printf("%zu numbers, %d wrong, %.1f us\n", right.size(), wrong, ms * 1000);
    aclDestroyScalar(alpha);
    aclrtDestroyEvent(start);
    aclrtDestroyEvent(end);
  }
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return wrong == 0 ? 0 : 1;
}
