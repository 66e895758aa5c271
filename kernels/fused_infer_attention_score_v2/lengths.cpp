// actual_seq_qlen and actual_seq_kvlen: lengths a batch, or sums of them where batches lie behind
// one another.
#include <algorithm>
#include <string>
#include <vector>

#include "kernels/common/page_table.hpp"
#include "kernels/fused_infer_attention_score_v2/request.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::fused_infer_attention_score {
namespace {

using E = ErrorClass;
using Lengths = std::vector<std::int64_t>;

constexpr std::size_t kMostTndBatches = 4096;

/// A length beyond a page table is as well a table that is too narrow: E_SHAPE.
void validate_bounds(const Request& r, const std::string& name, std::size_t index,
                     std::int64_t length, std::int64_t most) {
  const std::string rule = name + " is in [0, " + std::to_string(most) + "]";
  const std::string found = name + "[" + std::to_string(index) + "] is " + std::to_string(length);
  require(length >= 0, E::kAttr, rule, found);
  const bool in_pages = r.paged() && name == "actual_seq_kvlen";
  require(length <= most, in_pages ? E::kShape : E::kAttr, rule,
          in_pages ? found + ", block_table has " + std::to_string(r.problem.pages.columns) +
                         " columns of " + std::to_string(r.problem.pages.page_rows) + " rows"
                   : found);
}

/// One length a batch; `most[b]` where it is not given. A list of one is for all batches.
Lengths per_batch(const Request& r, const std::string& name, const Lengths& most) {
  if (!has_attribute(r.call, name)) return most;
  const Lengths given = int_list_attribute(r.call, name);
  const std::size_t batches = most.size();
  require(given.size() == 1 || (given.size() >= batches && !given.empty()), E::kShape,
          name + " has one entry or at least B",
          "it has " + std::to_string(given.size()) + ", B is " + std::to_string(batches));
  Lengths lengths;
  for (std::size_t b = 0; b < batches; ++b) {
    lengths.push_back(given[given.size() == 1 ? 0 : b]);
    validate_bounds(r, name, b, lengths.back(), most[b]);
  }
  return lengths;
}

/// Lengths from their sums, which end in `total`.
Lengths from_sums(const std::string& name, const Lengths& sums, std::int64_t total) {
  Lengths lengths;
  std::int64_t before = 0;
  for (std::size_t b = 0; b < sums.size(); ++b) {
    require(sums[b] >= before, E::kAttr, name + " does not decrease and is not negative",
            name + "[" + std::to_string(b) + "] is " + std::to_string(sums[b]));
    lengths.push_back(sums[b] - before);
    before = sums[b];
  }
  require(before == total, E::kAttr, "the last entry of " + name + " is the number of rows",
          "it is " + std::to_string(before) + ", there are " + std::to_string(total) + " rows");
  return lengths;
}

/// The rows of each key entry.
Lengths kv_bounds(const Request& r) {
  Lengths bounds(static_cast<std::size_t>(r.batches), r.kv_rows);
  if (r.keys.size() > 1) {
    for (std::size_t b = 0; b < bounds.size(); ++b) {
      bounds[b] = extents_of(r.layout->query, r.keys[b].shape(), r.problem.kv_heads).rows;
    }
  }
  return bounds;
}

void set_batches(Request& r, const Lengths& query, const Lengths& kv) {
  attention::Batch next;
  for (std::size_t b = 0; b < query.size(); ++b) {
    next.query_rows = query[b];
    next.kv_rows = kv[b];
    r.problem.batches.push_back(next);
    if (!r.behind_one_another()) continue;
    next.first_query_row += query[b];
    if (!r.paged()) next.first_kv_row += kv[b];
  }
}

void read_sums(Request& r) {
  for (const char* name : {"actual_seq_qlen", "actual_seq_kvlen"}) {
    require(has_attribute(r.call, name), E::kNull,
            std::string(name) + " is required with layout " + std::string(r.layout->name),
            "it is missing");
  }
  const Lengths query = int_list_attribute(r.call, "actual_seq_qlen");
  const Lengths kv = int_list_attribute(r.call, "actual_seq_kvlen");
  require(query.size() == kv.size(), E::kShape,
          "actual_seq_qlen and actual_seq_kvlen are of one length",
          "found " + std::to_string(query.size()) + " and " + std::to_string(kv.size()));
  require(r.mla512() || query.size() <= kMostTndBatches, E::kShape,
          "there are at most 4096 batches", "found " + std::to_string(query.size()));
  r.batches = static_cast<std::int64_t>(query.size());
  const Lengths query_lengths = from_sums("actual_seq_qlen", query, r.query.rows);
  if (!r.paged()) {
    set_batches(r, query_lengths, from_sums("actual_seq_kvlen", kv, r.kv_rows));
    return;
  }
  for (std::size_t b = 0; b < kv.size(); ++b) {
    validate_bounds(r, "actual_seq_kvlen", b, kv[b], r.kv_rows);
  }
  const Shape& table = r.tensor("block_table").shape();
  require(table[0] == r.batches, E::kShape, "dimension 0 of block_table is B",
          "its shape is " + to_string(table) + ", actual_seq_qlen has " +
              std::to_string(r.batches) + " entries");
  set_batches(r, query_lengths, kv);
}

void read_per_batch(Request& r) {
  require(!r.paged() || has_attribute(r.call, "actual_seq_kvlen"), E::kNull,
          "actual_seq_kvlen is required where block_table is given", "it is missing");
  require(r.general() || !has_attribute(r.call, "actual_seq_qlen"), E::kAttr,
          "actual_seq_qlen is not given in this scene", "it is given");
  Lengths query(static_cast<std::size_t>(r.batches), r.query.rows);
  // One query row is one query row.
  if (!r.single_row()) query = per_batch(r, "actual_seq_qlen", query);
  set_batches(r, query, per_batch(r, "actual_seq_kvlen", kv_bounds(r)));
  r.problem.padded_query_rows = r.query.rows;
}

void validate_scene_of_lengths(const Request& r) {
  for (std::size_t b = 0; b < r.problem.batches.size(); ++b) {
    const attention::Batch& batch = r.problem.batches[b];
    const std::string found = "batch " + std::to_string(b) + " has " +
                              std::to_string(batch.query_rows) + " query rows and " +
                              std::to_string(batch.kv_rows) + " key rows";
    require(!r.mla512() || batch.query_rows <= kMostDecodeRows, E::kShape,
            "D = 512 with rope parts takes at most 16 query rows a batch", found);
    const bool causal =
        r.behind_one_another() && !r.mla512() && int_attribute(r.call, "sparse_mode") == 3;
    require(!causal || batch.query_rows <= batch.kv_rows, E::kShape,
            "sparse_mode 3 with TND needs as many key rows as query rows in each batch", found);
  }
}

void validate_pages(const Request& r) {
  if (!r.paged()) return;
  std::int64_t needed = 0;
  for (const attention::Batch& batch : r.problem.batches) {
    needed += pages_for(batch.kv_rows, r.problem.pages.page_rows);
  }
  require(needed <= r.pages, E::kShape, "the caches have as many pages as all batches use",
          "nb is " + std::to_string(r.pages) + ", used are " + std::to_string(needed));
}

}  // namespace

void read_lengths(Request& r) {
  r.behind_one_another() ? read_sums(r) : read_per_batch(r);
  validate_scene_of_lengths(r);
  validate_pages(r);
}

}  // namespace davsim::operators::fused_infer_attention_score
