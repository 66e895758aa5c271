// contextLens, qSeqLens and the page numbers that follow from them.
#include <algorithm>
#include <string>

#include "kernels/common/page_table.hpp"
#include "kernels/paged_attention/request.hpp"

namespace davsim::operators::paged_attention {
namespace {

using E = ErrorClass;

std::string entry(const char* name, std::int64_t b, std::int64_t value) {
  return std::string(name) + "[" + std::to_string(b) + "] is " + std::to_string(value);
}

std::int64_t context_of(const Request& r, std::int64_t b) {
  const std::int64_t context = r.tensor("contextLens").as<std::int32_t>()[b];
  const std::int64_t room = r.problem.pages.columns * r.page_rows();
  require(context >= 0 && context <= room, E::kIndex, "entries of contextLens are 0 to maxPages*bs",
          entry("contextLens", b, context) + ", maxPages*bs is " + std::to_string(room));
  return context;
}

std::int64_t query_rows_of(const Request& r, std::int64_t b, std::int64_t context) {
  if (!r.parallel) return context > 0 ? 1 : 0;
  const std::int64_t rows = r.tensor("qSeqLens").as<std::int32_t>()[b];
  require(rows >= 0, E::kIndex, "entries of qSeqLens are not negative", entry("qSeqLens", b, rows));
  if (context == 0) return 0;
  // Rows of the square mask are counted back from the context's end.
  const bool counted_back = r.mask == MaskType::kNorm || r.mask > MaskType::kSpec;
  require(!counted_back || rows <= context, E::kIndex,
          "with maskType NORM, MASK_FREE and NORM_COMPRESS, qSeqLens is at most contextLens",
          entry("qSeqLens", b, rows) + ", " + entry("contextLens", b, context));
  require(r.mask != MaskType::kMaskFree || (context - rows) % 128 == 0, E::kIndex,
          "with maskType MASK_FREE, contextLens - qSeqLens is a multiple of 128",
          entry("qSeqLens", b, rows) + ", " + entry("contextLens", b, context));
  return rows;
}

/// Stopped batches have no rows, so that rows of others may be fewer than tokens only where
/// batches may be stopped.
void validate_rows(const Request& r, std::int64_t rows) {
  const std::int64_t expected = r.tokens * r.sequences_per_token();
  const std::string found =
      "they have " + std::to_string(rows) + " rows, query has " + std::to_string(expected);
  require(rows <= expected, E::kShape, "query has the rows of all batches", found);
  require(r.batch_run || rows == expected, E::kShape,
          "batches have as many rows as query without batchRunStatusEnable", found);
  require(!r.batch_run || expected <= r.batches, E::kShape,
          "numTokens is at most the number of batches with batchRunStatusEnable",
          std::to_string(expected) + " rows, " + std::to_string(r.batches) + " batches");
}

}  // namespace

void read_lengths(Request& r) {
  std::int64_t rows = 0;
  for (std::int64_t b = 0; b < r.batches; ++b) {
    attention::Batch batch;
    batch.kv_rows = context_of(r, b);
    batch.query_rows = query_rows_of(r, b, batch.kv_rows);
    batch.first_query_row = rows;
    rows += batch.query_rows;
    r.most_context = std::max(r.most_context, batch.kv_rows);
    r.problem.batches.push_back(batch);
    require_page_ids(r.tensor("blockTables"), "blockTables", b, batch.kv_rows, r.page_rows(),
                     r.pages);
  }
  validate_rows(r, rows);
}

}  // namespace davsim::operators::paged_attention
