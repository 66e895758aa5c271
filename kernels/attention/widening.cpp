#include "kernels/attention/widening.hpp"

#include <algorithm>

#include "kernels/attention/tiling.hpp"

namespace davsim::operators::attention {
namespace {

/// The elements of an entry. An element takes nine bytes in UB, besides the parameters.
constexpr std::int64_t kEntryElements = 8192;
constexpr std::uint64_t kWideBytes = 2;
/// The elements of an entry of a page. An element takes three bytes in each of two buffers.
constexpr std::int64_t kPageElements = 16384;
constexpr std::int64_t kNarrowC0 = 32;

bool is_narrow(isa::DType type) {
  return type == isa::DType::kI8 || type == isa::DType::kI4;
}

std::uint64_t address(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data);
}

class Widener {
 public:
  Widener(const Problem& problem, memory::GlobalMemory& memory) : p_(problem), memory_(memory) {
    result_.problem = problem;
    // The rows are a power of two, so that an entry does not cross pages, whose rows are multiples
    // of 16.
    std::int64_t rows = 64;
    while (rows * std::max(p_.key_width, p_.value_width) > kEntryElements) rows /= 2;
    while (p_.pages.page_rows % rows != 0) rows /= 2;
    result_.rows = static_cast<std::uint32_t>(rows);
  }

  Widening widened() {
    Problem& wide = result_.problem;
    if (is_narrow(p_.query.type)) widen_query();
    // Key and value are the same bytes in MLA: they are widened once.
    const bool shared = p_.key.data == p_.value.data && p_.key_quant.scale == nullptr;
    if (is_narrow(p_.key.type)) {
      wide.key = widen_kv(p_.key, p_.key_quant, p_.key_width, kAttentionWidenKey, "key");
    }
    if (is_narrow(p_.value.type)) {
      wide.value = shared ? wide.key
                          : widen_kv(p_.value, p_.value_quant, p_.value_width, kAttentionWidenValue,
                                     "value");
    }
    if (!result_.row_entries.empty() || !result_.page_entries.empty()) {
      for (Batch& batch : wide.batches) batch.first_kv_row = 0;
    }
    return std::move(result_);
  }

 private:
  isa::DType wide_type() const {
    if (!is_narrow(p_.query.type)) return p_.query.type;
    if (p_.rope_width == 0) return p_.out.type;
    // half holds an int8 exactly and needs no further conversion. Biases have the type of the rope
    // part.
    return p_.bias.data == nullptr ? isa::DType::kF16 : p_.query_rope.type;
  }
  std::uint64_t allocate(std::int64_t elements, const char* name) {
    result_.memory.emplace_back(memory_, static_cast<std::uint64_t>(elements) * kWideBytes,
                                std::string("wide ") + name);
    return result_.memory.back().address();
  }

  /// Adds entries for the rows [0, rows) of a head.
  void add_entries(AttentionWiden entry, std::int64_t rows, std::int64_t width) {
    const std::uint64_t to = entry.to;
    for (std::int64_t first = 0; first < rows; first += result_.rows) {
      entry.to = to + static_cast<std::uint64_t>(first * width) * kWideBytes;
      entry.first = static_cast<std::uint32_t>(first);
      entry.rows = static_cast<std::uint32_t>(std::min<std::int64_t>(result_.rows, rows - first));
      result_.row_entries.push_back(entry);
    }
  }

  /// The heads of the rows of a batch are contiguous, in the narrow and in the wide tensor.
  void widen_query() {
    QueryTensor& wide = result_.problem.query;
    AttentionWidenTensor& tensor = result_.tensors[kAttentionWidenQuery];
    tensor.bits = 8;
    tensor.access.width = tensor.access.row_elements = static_cast<std::uint32_t>(p_.key_width);
    std::int64_t end = 0;
    const auto start_of = [&](std::size_t b) {
      return static_cast<std::int64_t>(b) * p_.query.strides.batch +
             p_.batches[b].first_query_row * p_.query.strides.row;
    };
    for (std::size_t b = 0; b < p_.batches.size(); ++b) {
      end = std::max(end, start_of(b) + p_.batches[b].query_rows * p_.query.strides.row);
    }
    const std::uint64_t to = allocate(end, "query");
    for (std::size_t b = 0; b < p_.batches.size(); ++b) {
      AttentionWiden entry{};
      entry.tensor = kAttentionWidenQuery;
      entry.from = address(p_.query.data + start_of(b));
      entry.to = to + static_cast<std::uint64_t>(start_of(b)) * kWideBytes;
      add_entries(entry, p_.batches[b].query_rows * p_.query_heads, p_.key_width);
    }
    wide.data = reinterpret_cast<std::uint8_t*>(to);
    wide.type = wide_type();
  }

  AttentionWidenTensor describe(const KvTensor& tensor, const Antiquant& quant,
                                std::int64_t width) const {
    AttentionWidenTensor described{};
    described.access = access_of(p_, tensor, width);
    described.bits = static_cast<std::uint32_t>(isa::dtype_bits(tensor.type));
    described.type = number_of(quant.type);
    described.offset_type =
        quant.offset_type == isa::DType::kNone ? described.type : number_of(quant.offset_type);
    described.per_channel = quant.channel != 0 ? 1 : 0;
    described.per_row = quant.token != 0 ? 1 : 0;
    described.page_parameters = quant.paged ? static_cast<std::uint64_t>(quant.batch) : 0;
    return described;
  }

  /// Widens the used rows of every batch and head to a dense tensor: [batch][head][row][width].
  KvTensor widen_kv(const KvTensor& tensor, const Antiquant& quant, std::int64_t width,
                    std::uint32_t which, const char* name) {
    result_.tensors[which] = describe(tensor, quant, width);
    if (fractals_stay(tensor, quant)) return widen_pages(tensor, width, which, name);
    KvTensor wide;
    wide.type = wide_type();
    wide.strides.row = width;
    std::int64_t rows = 0;
    for (const Batch& batch : p_.batches) rows += batch.kv_rows;
    std::uint64_t to = allocate(rows * p_.kv_heads * width, name);
    for (std::size_t b = 0; b < p_.batches.size(); ++b) {
      wide.data.push_back(reinterpret_cast<std::uint8_t*>(to));
      wide.head_strides.push_back(p_.batches[b].kv_rows * width);
      for (std::int64_t head = 0; head < p_.kv_heads; ++head) {
        AttentionWiden entry = entry_of(tensor, quant, b, head);
        entry.tensor = which;
        entry.to = to;
        add_entries(entry, p_.batches[b].kv_rows, width);
        to += static_cast<std::uint64_t>(p_.batches[b].kv_rows * width) * kWideBytes;
      }
    }
    return wide;
  }

  /// Whether one conversion gives 16 bits, and a column of a page fits in UB.
  bool fractals_stay(const KvTensor& tensor, const Antiquant& quant) const {
    return tensor.storage == Storage::kPagedNz && quant.scale == nullptr &&
           wide_type() == isa::DType::kF16 && p_.pages.page_rows * kNarrowC0 <= kPageElements;
  }

  /// Widens the pages of every batch to contiguous pages. Fractals stay fractals:
  /// [batch][page][head] [width / 16][page_rows][16].
  KvTensor widen_pages(const KvTensor& tensor, std::int64_t width, std::uint32_t which,
                       const char* name) {
    constexpr std::int64_t kWideC0 = 16;
    const std::int64_t page_rows = p_.pages.page_rows;
    KvTensor wide;
    wide.type = wide_type();
    wide.storage = Storage::kDenseNz;
    wide.strides = {p_.kv_heads * page_rows * width, page_rows * width, kWideC0};
    const auto pages_of = [&](const Batch& batch) {
      return (batch.kv_rows + page_rows - 1) / page_rows;
    };
    std::int64_t pages = 0;
    for (const Batch& batch : p_.batches) pages += pages_of(batch);
    std::uint64_t to = allocate(pages * wide.strides.batch, name);
    for (std::size_t b = 0; b < p_.batches.size(); ++b) {
      wide.data.push_back(reinterpret_cast<std::uint8_t*>(to));
      for (std::int64_t page = 0; page < pages_of(p_.batches[b]); ++page) {
        for (std::int64_t head = 0; head < p_.kv_heads; ++head) {
          AttentionWiden entry = entry_of(tensor, {}, b, head);
          entry.tensor = which;
          entry.to = to;
          entry.first = static_cast<std::uint32_t>(page * page_rows);
          add_page(entry, width);
          to += static_cast<std::uint64_t>(wide.strides.head) * kWideBytes;
        }
      }
    }
    return wide;
  }

  /// Adds entries for a page of a head, each of a few columns.
  void add_page(AttentionWiden entry, std::int64_t width) {
    const std::int64_t column = p_.pages.page_rows * kNarrowC0, columns = width / kNarrowC0;
    const std::int64_t most = std::max<std::int64_t>(1, kPageElements / column);
    result_.page_elements = std::max(result_.page_elements,
                                     static_cast<std::uint32_t>(std::min(most, columns) * column));
    const std::uint64_t to = entry.to;
    for (std::int64_t first = 0; first < columns; first += most) {
      entry.to = to + static_cast<std::uint64_t>(first * column) * kWideBytes;
      entry.column = static_cast<std::uint32_t>(first);
      entry.columns = static_cast<std::uint32_t>(std::min(most, columns - first));
      result_.page_entries.push_back(entry);
    }
  }

  AttentionWiden entry_of(const KvTensor& tensor, const Antiquant& quant, std::size_t b,
                          std::int64_t head) const {
    const auto batch = static_cast<std::int64_t>(b);
    const bool listed = tensor.data.size() > 1;
    std::int64_t start =
        head * (tensor.head_strides.empty() ? tensor.strides.head : tensor.head_strides[b]);
    if (tensor.storage == Storage::kContiguous) {
      start += p_.batches[b].first_kv_row * tensor.strides.row;
      if (!listed) start += batch * tensor.strides.batch;
    }
    AttentionWiden entry{};
    const auto bits = static_cast<std::int64_t>(isa::dtype_bits(tensor.type));
    entry.from = address(tensor.data[listed ? b : 0] + start * bits / 8);
    if (p_.pages.table != nullptr) entry.table = address(p_.pages.table + batch * p_.pages.columns);
    const std::int64_t of_batch = quant.batches == 0 ? batch : batch % quant.batches;
    const std::int64_t parameter = (quant.paged ? 0 : of_batch * quant.batch) + head * quant.head;
    const auto at = [&](const std::uint8_t* data, isa::DType type) -> std::uint64_t {
      if (data == nullptr) return 0;
      return address(data + parameter * static_cast<std::int64_t>(isa::dtype_bytes(type)));
    };
    entry.scale = at(quant.scale, quant.type);
    entry.offset =
        at(quant.offset, quant.offset_type == isa::DType::kNone ? quant.type : quant.offset_type);
    return entry;
  }

  const Problem& p_;
  memory::GlobalMemory& memory_;
  Widening result_;
};

}  // namespace

std::vector<AttentionWiden> Widening::entries() const {
  std::vector<AttentionWiden> all = row_entries;
  all.insert(all.end(), page_entries.begin(), page_entries.end());
  return all;
}

Widening widen(const Problem& problem, memory::GlobalMemory& memory) {
  return Widener(problem, memory).widened();
}

}  // namespace davsim::operators::attention
