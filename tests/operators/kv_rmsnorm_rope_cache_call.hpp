// Builds calls of kv_rmsnorm_rope_cache of any size for its tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kernels/common/seeded_data.hpp"
#include "reference/reference.hpp"
#include "tests/operators/operator_test.hpp"

namespace davsim::test {

struct KvrSizes {
  std::int64_t batch = 1, seq = 1;
  std::int64_t pages = 1, page_rows = 32;  ///< Norm: only page_rows counts, Smax
  std::string mode = "PA";
  isa::DType dtype = isa::DType::kBF16;
  bool quantised = false, output_kv = false, offsets = false;
  bool cos_per_token = true, sin_per_token = true;

  bool norm() const { return mode == "Norm"; }
  bool blocks() const { return mode.starts_with("PA_BLK"); }
  std::int64_t rows() const { return (norm() ? batch : pages) * page_rows; }
};

inline const operators::Operator& kvr() {
  return operators::find_operator("kv_rmsnorm_rope_cache");
}

/// Different rows in random order, one in ten of them -1. In Norm different ones of each batch.
inline operators::Tensor kvr_index(const KvrSizes& n, operators::SeededData& data) {
  const std::int64_t blocks = (n.seq + n.page_rows - 1) / n.page_rows;
  const std::int64_t count = n.batch * (n.blocks() ? blocks : n.seq);
  const std::int64_t places = n.norm() ? n.page_rows : n.blocks() ? n.pages : n.rows();
  operators::Tensor index =
      data.zeros(isa::DType::kI64,
                 n.norm() ? operators::Shape{n.batch, n.seq} : operators::Shape{count}, "index");
  std::vector<std::int64_t> left;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i == 0 || (n.norm() && i % n.seq == 0)) {
      left.clear();
      for (std::int64_t place = 0; place < places; ++place) left.push_back(place);
    }
    auto& mine =
        left[static_cast<std::size_t>(data.integer(0, static_cast<std::int64_t>(left.size()) - 1))];
    // What is left over of a row within its page does not count where whole pages are named.
    const std::int64_t entry =
        n.blocks() ? mine * n.page_rows + data.integer(0, n.page_rows - 1) : mine;
    index.as<std::int64_t>()[i] = data.integer(0, 9) == 0 ? -1 : entry;
    mine = left.back();
    left.pop_back();
  }
  return index;
}

/// A legal call with random data. The caches are full of random bytes: stray writes show.
inline operators::Call kvr_call(const KvrSizes& n, std::uint64_t seed,
                                memory::GlobalMemory& memory = device().memory()) {
  using isa::DType;
  operators::SeededData data(memory, seed);
  operators::Call call;
  const auto add = [&](const char* name, operators::Tensor tensor) {
    call.tensors.emplace(name, std::move(tensor));
  };
  const auto table = [&](bool per_token) {
    return operators::Shape{n.batch, 1, per_token ? n.seq : 1, 64};
  };
  const auto cache = [&](const char* name, std::int64_t width) {
    const operators::Shape shape = n.norm() ? operators::Shape{n.batch, 1, n.page_rows, width}
                                            : operators::Shape{n.pages, n.page_rows, 1, width};
    operators::Tensor tensor = data.zeros(n.quantised ? DType::kI8 : n.dtype, shape, name);
    for (std::uint64_t i = 0; i < tensor.bytes(); ++i) {
      tensor.as<std::int8_t>()[i] = static_cast<std::int8_t>(data.integer(-128, 127));
    }
    return tensor;
  };
  add("kv", data.reals(n.dtype, {n.batch, 1, n.seq, 576}, "kv", -3, 2));
  add("gamma", data.reals(n.dtype, {512}, "gamma", -2, 2));
  add("cos", data.reals(n.dtype, table(n.cos_per_token), "cos"));
  add("sin", data.reals(n.dtype, table(n.sin_per_token), "sin"));
  add("index", kvr_index(n, data));
  add("k_cache", cache("k_cache", 64));
  add("ckv_cache", cache("ckv_cache", 512));
  if (n.quantised) {
    add("k_rope_scale", data.reals(DType::kF32, {64}, "k_rope_scale", -60, 60));
    add("c_kv_scale", data.reals(DType::kF32, {1, 512}, "c_kv_scale", -60, 60));
  }
  if (n.offsets) {
    add("k_rope_offset", data.reals(DType::kF32, {1, 64}, "k_rope_offset", -20, 20));
    add("c_kv_offset", data.reals(DType::kF32, {512}, "c_kv_offset", -20, 20));
  }
  call.attributes["cache_mode"] = n.mode;
  call.attributes["is_output_kv"] = n.output_kv;
  return call;
}

}  // namespace davsim::test
