// The documented examples of the operator: sizes in a table, data seeded by the row.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/common/case_table.hpp"
#include "kernels/kv_rmsnorm_rope_cache/problem.hpp"

namespace davsim::operators::kv_rmsnorm_rope_cache {
namespace {

using isa::DType;

struct Sizes {
  std::int64_t batch, seq_len;
  std::int64_t pages, page_rows;  ///< Norm: B and Smax
  const char* mode;
  DType dtype = DType::kBF16;
  bool quantised = false;
  bool output_kv = false;
};

/// The values 0 .. count-1 in random order.
std::vector<std::int64_t> shuffled(SeededData& data, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
  for (std::int64_t i = count - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(data.integer(0, i))]);
  }
  return order;
}

/// Every batch owns pages of its own, scattered over the cache, and its tokens follow one another
/// from a random position on: as serving leaves a paged cache behind.
std::vector<std::int64_t> rows_of_batches(SeededData& data, const Sizes& s) {
  const std::vector<std::int64_t> page = shuffled(data, s.pages);
  const std::int64_t owned = s.pages / s.batch;
  std::vector<std::int64_t> rows;
  for (std::int64_t b = 0; b < s.batch; ++b) {
    const std::int64_t first = data.integer(0, owned * s.page_rows - s.seq_len);
    for (std::int64_t i = first; i < first + s.seq_len; ++i) {
      const auto mine = static_cast<std::size_t>(b * owned + i / s.page_rows);
      rows.push_back(page[mine] * s.page_rows + i % s.page_rows);
    }
  }
  return rows;
}

/// A page of its own for every block of tokens.
std::vector<std::int64_t> pages_of_blocks(SeededData& data, const Sizes& s) {
  const std::vector<std::int64_t> page = shuffled(data, s.pages);
  const std::int64_t blocks = s.batch * ceil_div(s.seq_len, s.page_rows);
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < blocks; ++i) {
    rows.push_back(page[static_cast<std::size_t>(i)] * s.page_rows);
  }
  return rows;
}

/// Norm: a run of rows somewhere in each batch's part.
std::vector<std::int64_t> rows_in_batches(SeededData& data, const Sizes& s) {
  std::vector<std::int64_t> rows;
  for (std::int64_t b = 0; b < s.batch; ++b) {
    const std::int64_t first = data.integer(0, s.page_rows - s.seq_len);
    for (std::int64_t i = 0; i < s.seq_len; ++i) rows.push_back(first + i);
  }
  return rows;
}

Tensor index_tensor(SeededData& data, const Sizes& s) {
  const CacheMode mode = *cache_mode_named(s.mode);
  const std::vector<std::int64_t> rows =
      mode.indexing == Indexing::kRowOfBatch ? rows_in_batches(data, s)
      : mode.indexing == Indexing::kPage     ? pages_of_blocks(data, s)
                                             : rows_of_batches(data, s);
  const auto count = static_cast<std::int64_t>(rows.size());
  Tensor index =
      data.zeros(DType::kI64, mode.paged() ? Shape{count} : Shape{s.batch, s.seq_len}, "index");
  std::copy(rows.begin(), rows.end(), index.as<std::int64_t>());
  return index;
}

/// Random bytes in the pages that the call writes to, zeros elsewhere: the caches are large.
Tensor cache_tensor(SeededData& data, const Sizes& s, const Tensor& index, std::int64_t width,
                    const char* name) {
  const CacheMode mode = *cache_mode_named(s.mode);
  const Shape shape =
      mode.paged() ? Shape{s.pages, s.page_rows, 1, width} : Shape{s.pages, 1, s.page_rows, width};
  Tensor cache = data.zeros(s.quantised ? DType::kI8 : s.dtype, shape, name);
  const std::uint64_t page_bytes = cache.bytes() / static_cast<std::uint64_t>(s.pages);
  std::vector<bool> filled(static_cast<std::size_t>(s.pages));
  for (std::int64_t i = 0; i < index.elements(); ++i) {
    const std::int64_t page =
        mode.paged() ? index.as<std::int64_t>()[i] / s.page_rows : i / s.seq_len;
    if (filled[static_cast<std::size_t>(page)]) continue;
    filled[static_cast<std::size_t>(page)] = true;
    auto* bytes = cache.as<std::int8_t>() + static_cast<std::uint64_t>(page) * page_bytes;
    for (std::uint64_t k = 0; k < page_bytes; ++k) {
      bytes[k] = static_cast<std::int8_t>(data.integer(-128, 127));
    }
  }
  return cache;
}

/// kv and gamma as large as those of the public tests; scales with which some values saturate.
Call plain_call(SeededData& data, const Sizes& s) {
  const Shape table = {s.batch, 1, s.seq_len, kRope};
  Call call;
  const auto add = [&](const char* name, Tensor tensor) {
    call.tensors.emplace(name, std::move(tensor));
  };
  add("kv", data.reals(s.dtype, {s.batch, 1, s.seq_len, kRow}, "kv", -10, -2));
  add("gamma", data.reals(s.dtype, {kLatent}, "gamma", -1000, -10));
  add("cos", data.reals(s.dtype, table, "cos"));
  add("sin", data.reals(s.dtype, table, "sin"));
  const Tensor index = index_tensor(data, s);
  add("k_cache", cache_tensor(data, s, index, kRope, "k_cache"));
  add("ckv_cache", cache_tensor(data, s, index, kLatent, "ckv_cache"));
  add("index", index);
  if (s.quantised) {
    add("k_rope_scale", data.reals(DType::kF32, {kRope}, "k_rope_scale", 1, 15));
    add("c_kv_scale", data.reals(DType::kF32, {kLatent}, "c_kv_scale", 0.02, 0.3));
  }
  call.attributes["cache_mode"] = s.mode;
  call.attributes["is_output_kv"] = s.output_kv;
  return call;
}

using Row = CaseRow<Sizes>;
void set_index(Call& call, std::int64_t entry, std::int64_t value) {
  call.tensors.at("index").as<std::int64_t>()[entry] = value;
}

std::vector<Row> good_rows() {
  const Sizes decode = {
      .batch = 64, .seq_len = 1, .pages = 576, .page_rows = 128, .mode = "PA_BNSD"};
  const auto as = [&](const char* mode, bool quantised) {
    Sizes sizes = decode;
    sizes.mode = mode;
    sizes.quantised = quantised;
    return sizes;
  };
  return {
      {runs("KVR-1", "64 tokens of decode"), decode, {}},
      {runs("KVR-1-INT8", "the same, int8 caches"), as("PA_BNSD", true), {}},
      {runs("KVR-2", "64 tokens of decode, NZ pages"), as("PA_NZ", false), {}},
      {runs("KVR-2-INT8", "the same, int8 caches"), as("PA_NZ", true), {}},
      {runs("KVR-3", "a page for each token"), as("PA_BLK_BNSD", false), {}},
      {runs("KVR-3-NZ", "the same, NZ pages"), as("PA_BLK_NZ", false), {}},
      {runs("KVR-4", "a part of the caches for each of 181 batches"),
       {.batch = 181,
        .seq_len = 1,
        .pages = 181,
        .page_rows = 64,
        .mode = "Norm",
        .dtype = DType::kF16},
       {}},
      {runs("KVR-5", "prefill of 4096 tokens in 32 pages"),
       {.batch = 1, .seq_len = 4096, .pages = 64, .page_rows = 128, .mode = "PA_BLK_NZ"},
       {}},
      {runs("KVR-6", "decode with multi-token prediction, 128 batches of 4, int8"),
       {.batch = 128,
        .seq_len = 4,
        .pages = 2048,
        .page_rows = 128,
        .mode = "PA_NZ",
        .quantised = true},
       {}},
      {runs("KVR-7", "S is not a multiple of bs, one block is not written, both parts as outputs"),
       {.batch = 3,
        .seq_len = 130,
        .pages = 16,
        .page_rows = 128,
        .mode = "PA_BLK_BNSD",
        .output_kv = true},
       [](Call& call, SeededData&) { set_index(call, 3, -1); }},
  };
}

std::vector<Row> refused_rows() {
  using E = ErrorClass;
  const Sizes paged = {.batch = 4, .seq_len = 2, .pages = 8, .page_rows = 32, .mode = "PA"};
  const Sizes quantised = {
      .batch = 4, .seq_len = 2, .pages = 8, .page_rows = 32, .mode = "PA", .quantised = true};
  const Sizes norm = {.batch = 4, .seq_len = 2, .pages = 4, .page_rows = 8, .mode = "Norm"};
  const auto replace = [](const char* name, DType dtype, Shape shape) {
    return [=](Call& call, SeededData& data) {
      call.tensors.insert_or_assign(name, data.zeros(dtype, shape, name));
    };
  };
  return {
      {refuses("KVR-N1", "cache_mode is pa_nz", E::kAttr), paged,
       [](Call& call, SeededData&) { call.attributes["cache_mode"] = "pa_nz"; }},
      {refuses("KVR-N2", "index has one element too few", E::kShape), paged,
       replace("index", DType::kI64, {7})},
      {refuses("KVR-N3", "rows of 512+64+1", E::kShape), paged,
       replace("kv", DType::kBF16, {4, 1, 2, 577})},
      {refuses("KVR-N4", "bs is 24 with int8 caches", E::kShape),
       {.batch = 4, .seq_len = 2, .pages = 8, .page_rows = 24, .mode = "PA", .quantised = true},
       {}},
      {refuses("KVR-N5", "Norm with scales", E::kAttr), norm,
       [](Call& call, SeededData& data) {
         call.tensors.emplace("k_rope_scale", data.reals(DType::kF32, {kRope}, "k_rope_scale"));
         call.tensors.emplace("c_kv_scale", data.reals(DType::kF32, {kLatent}, "c_kv_scale"));
       }},
      {refuses("KVR-N6", "one scale only", E::kAttr), quantised,
       [](Call& call, SeededData&) { call.tensors.erase("k_rope_scale"); }},
      {refuses("KVR-N7", "int8 caches without scales", E::kDtype), quantised,
       [](Call& call, SeededData&) {
         call.tensors.erase("k_rope_scale");
         call.tensors.erase("c_kv_scale");
       }},
      {refuses("KVR-N8", "index[5] is nb*bs", E::kIndex), paged,
       [](Call& call, SeededData&) { set_index(call, 5, 8 * 32); }},
      {refuses("KVR-N9", "index[0] is -2", E::kIndex), paged,
       [](Call& call, SeededData&) { set_index(call, 0, -2); }},
      {refuses("KVR-N10", "nb is below ceil(S, bs)*B", E::kShape), paged,
       [](Call& call, SeededData& data) {
         call.tensors.insert_or_assign("k_cache",
                                       data.zeros(DType::kBF16, {3, 32, 1, kRope}, "k_cache"));
         call.tensors.insert_or_assign("ckv_cache",
                                       data.zeros(DType::kBF16, {3, 32, 1, kLatent}, "ckv_cache"));
       }},
      {refuses("KVR-N11", "kv has three dimensions", E::kRank), paged,
       replace("kv", DType::kBF16, {4, 2, 576})},
      {refuses("KVR-N12", "gamma is float16 beside a bfloat16 kv", E::kDtype), paged,
       replace("gamma", DType::kF16, {kLatent})},
  };
}

const CaseTable<Sizes>& table() {
  static const CaseTable<Sizes> all("kv_rmsnorm_rope_cache", 0x4b565200u, plain_call,
                                    {good_rows(), refused_rows()});
  return all;
}

}  // namespace

std::vector<ExampleCase> cases() {
  return table().examples();
}

Call make_case(std::string_view id, memory::GlobalMemory& memory) {
  return table().make(id, memory);
}

}  // namespace davsim::operators::kv_rmsnorm_rope_cache
