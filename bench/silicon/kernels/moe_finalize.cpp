// MoeFinalizeRouting: each token's row is the sum of up to two rows of its own and of the rows that
// its experts made for it, which lie scattered: (row + bias of the expert) x scale. As the vendor's
// kernel by its published structure: many tokens at a time, of which the scattered rows come one by
// one into two slots; the scalar unit reads where they lie when a slot has been worked on.
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

struct Routing {
  std::uint32_t tokens, width, k, expanded, experts, skips;

  static Routing of(const Params& p) {
    return {p.number("tokens"),   p.number("width"),   p.number("k"),
            p.number("expanded"), p.number("experts"), p.number("skips", 2)};
  }
};

template <class T>
struct Matrices {
  T *expanded, *skip[2], *bias, *scales, *out;
  std::int32_t *places, *experts;  ///< a row of `expanded`, an expert: k of each token
};

/// half and float are added up as they are, bfloat16 as float.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, bfloat16_t>, float, T>;

template <class T>
class RoutingCore {
 public:
  RoutingCore(const Routing& job, const Matrices<T>& gm, std::uint32_t tokens)
      : job_(job), gm_(gm) {
    // Rows wider than this are worked on piece by piece.
    piece_ = std::min(round_up(job.width, 32), kMostColumns);
    most_tokens_ = std::clamp(tokens, 1u, std::max(1u, (kRoom - slots()) / bytes_of_token()));
    if (job.width > piece_) most_tokens_ = 1;
    const std::uint32_t elements = most_tokens_ * piece_;
    if (job.skips > 0) pipe_.InitBuffer(skip_, 1, job.skips * elements * sizeof(T));
    pipe_.InitBuffer(out_, 1, elements * sizeof(T));
    pipe_.InitBuffer(places_, 1, job.k * round_up(most_tokens_, 8) * 4);
    pipe_.InitBuffer(experts_, 1, most_tokens_ * round_up(job.k, 8) * 4);
    pipe_.InitBuffer(scales_, 1, most_tokens_ * round_up(job.k, 16) * sizeof(T));
    pipe_.InitBuffer(slots_, 4 * piece_ * sizeof(T));
    pipe_.InitBuffer(work_, (2 * elements + 2 * piece_) * sizeof(Sum));
    sum_ = work_.template Get<Sum>();
    second_ = sum_[elements];
    row_ = second_[elements];
  }

  void run(const Share& mine) {
    for (std::uint64_t token = mine.begin; token < mine.end; token += most_tokens_) {
      const auto tokens =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(most_tokens_, mine.end - token));
      load_numbers(token, tokens);
      load_skips(token, tokens, 0);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID4);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID4);
      for (std::uint32_t col = 0; col < job_.width; col += piece_) {
        if (col > 0) load_skips(token, tokens, col);
        some(token, tokens, col);
      }
      free_numbers();
    }
  }

 private:
  using Sum = SumOf<T>;
  static constexpr std::uint32_t kMostColumns = 4096, kRoom = 176 * 1024;
  static constexpr event_t kSlots[2] = {EVENT_ID4, EVENT_ID5};

  std::uint32_t slots() const {
    return static_cast<std::uint32_t>(piece_ * (4 * sizeof(T) + 2 * sizeof(Sum)));
  }
  std::uint32_t bytes_of_token() const {
    return static_cast<std::uint32_t>(piece_ * ((job_.skips + 1) * sizeof(T) + 2 * sizeof(Sum)) +
                                      round_up(job_.k, 16) * (8 + sizeof(T)));
  }

  /// `rows` rows of `count` numbers, each on DataBlocks of its own.
  template <class U>
  LocalTensor<U> numbers(TQue<TPosition::VECIN, 1>& queue, U* from, std::uint64_t at,
                         std::uint32_t rows, std::uint32_t count, std::uint32_t apart) {
    auto part = queue.template AllocTensor<U>();
    const auto bytes = static_cast<std::uint32_t>(count * sizeof(U));
    const auto gap = static_cast<std::uint32_t>((apart - count) * sizeof(U));
    DataCopyPad(part, global(from, std::uint64_t{job_.tokens} * job_.k)[at],
                DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, gap, 0, 0),
                DataCopyPadExtParams<U>{});
    queue.EnQue(part);
    return queue.template DeQue<U>();
  }

  void load_numbers(std::uint64_t token, std::uint32_t tokens) {
    // The places of the first choice of all tokens lie before those of the second.
    places_here_ = numbers(places_, gm_.places, token, job_.k, tokens, job_.tokens);
    experts_here_ = numbers(experts_, gm_.experts, token * job_.k, tokens, job_.k, job_.k);
    scales_here_ = numbers(scales_, gm_.scales, token * job_.k, tokens, job_.k, job_.k);
  }
  void free_numbers() {
    places_.FreeTensor(places_here_);
    experts_.FreeTensor(experts_here_);
    scales_.FreeTensor(scales_here_);
  }

  /// Columns [col, col + piece) of some tokens.
  void some(std::uint64_t token, std::uint32_t tokens, std::uint32_t col) {
    add_skips(tokens);
    for (const event_t slot : kSlots) SetFlag<HardEvent::V_S>(slot);
    for (std::uint32_t i = 0; i < tokens; ++i) {
      for (std::uint32_t j = 0; j < job_.k; j += 2) {
        const std::uint32_t pair = std::min(2u, job_.k - j);
        for (std::uint32_t s = 0; s < pair; ++s) gather(token, i, tokens, j + s, s, col);
        for (std::uint32_t s = 0; s < pair; ++s) accumulate(i, s);
      }
    }
    for (const event_t slot : kSlots) WaitFlag<HardEvent::V_S>(slot);
    leave(token, tokens, col);
  }

  void load_skips(std::uint64_t token, std::uint32_t tokens, std::uint32_t col) {
    if (job_.skips == 0) return;
    auto skip = skip_.template AllocTensor<T>();
    for (std::uint32_t i = 0; i < job_.skips; ++i) {
      load(skip[i * tokens * piece_], gm_.skip[i], token, tokens, col);
    }
    skip_.EnQue(skip);
  }

  void add_skips(std::uint32_t tokens) {
    const std::uint32_t elements = tokens * piece_;
    if (job_.skips == 0) {
      Duplicate(sum_, Sum(0), static_cast<std::int32_t>(elements));
      return;
    }
    auto skip = skip_.template DeQue<T>();
    as_sum(sum_, skip, elements);
    if (job_.skips > 1) {
      as_sum(second_, skip[elements], elements);
      Add(sum_, sum_, second_, static_cast<std::int32_t>(elements));
    }
    skip_.FreeTensor(skip);
  }

  LocalTensor<T> slot(std::uint32_t s) { return slots_.template Get<T>()[2 * s * piece_]; }

  /// The row and the bias of a token's choice, once their slot is free.
  void gather(std::uint64_t token, std::uint32_t i, std::uint32_t tokens, std::uint32_t choice,
              std::uint32_t s, std::uint32_t col) {
    WaitFlag<HardEvent::V_S>(kSlots[s]);
    // No values are simulated: places are spread as a router would.
    const auto place =
        static_cast<std::uint32_t>(places_here_.GetValue(choice * round_up(tokens, 8) + i));
    const std::uint64_t row = (token + i + choice * job_.tokens + place) % job_.expanded;
    const auto number =
        static_cast<std::uint32_t>(experts_here_.GetValue(i * round_up(job_.k, 8) + choice));
    const std::uint64_t expert = (row + number) % std::max(1u, job_.experts);
    scales_here_.GetValue(i * round_up(job_.k, 16) + choice);
    SetFlag<HardEvent::S_MTE2>(kSlots[s]);
    WaitFlag<HardEvent::S_MTE2>(kSlots[s]);
    load(slot(s), gm_.expanded, row, 1, col);
    load(slot(s)[piece_], gm_.bias, expert, 1, col);
    SetFlag<HardEvent::MTE2_V>(kSlots[s]);
  }

  void accumulate(std::uint32_t i, std::uint32_t s) {
    const auto count = static_cast<std::int32_t>(piece_);
    WaitFlag<HardEvent::MTE2_V>(kSlots[s]);
    if constexpr (std::is_same_v<Sum, T>) {
      Add(row_, slot(s), slot(s)[piece_], count);
    } else {
      as_sum(row_, slot(s), piece_);
      as_sum(row_[piece_], slot(s)[piece_], piece_);
      Add(row_, row_, row_[piece_], count);
    }
    SetFlag<HardEvent::V_S>(kSlots[s]);
    PipeBarrier<PIPE_V>();
    Muls(row_, row_, Sum(0.5f), count);
    PipeBarrier<PIPE_V>();
    Add(sum_[i * piece_], sum_[i * piece_], row_, count);
  }

  void leave(std::uint64_t token, std::uint32_t tokens, std::uint32_t col) {
    const std::uint32_t elements = tokens * piece_;
    auto out = out_.template AllocTensor<T>();
    if constexpr (std::is_same_v<Sum, T>) {
      Adds(out, sum_, Sum(0), static_cast<std::int32_t>(elements));
    } else {
      Cast(out, sum_, RoundMode::CAST_RINT, elements);
    }
    out_.EnQue(out);
    out = out_.template DeQue<T>();
    const auto [count, bytes, in_gm, in_ub] = rows_of(tokens, col);
    DataCopyPad(global(gm_.out, ~std::uint32_t{0})[token * job_.width + col], out,
                DataCopyExtParams(count, bytes, in_ub, in_gm, 0));
    out_.FreeTensor(out);
  }

  /// Rows as a copy moves them: how many, bytes of each, and between them in global memory, in UB.
  struct RowCopy {
    std::uint16_t count;
    std::uint32_t bytes, in_gm, in_ub;
  };
  RowCopy rows_of(std::uint32_t rows, std::uint32_t col) const {
    const auto bytes = static_cast<std::uint32_t>(std::min(piece_, job_.width - col) * sizeof(T));
    return {static_cast<std::uint16_t>(rows), bytes,
            static_cast<std::uint32_t>(job_.width * sizeof(T)) - bytes,
            static_cast<std::uint32_t>(piece_ * sizeof(T)) / 32 - round_up(bytes, 32) / 32};
  }
  void load(const LocalTensor<T>& to, T* from, std::uint64_t row, std::uint32_t rows,
            std::uint32_t col) {
    const auto [count, bytes, in_gm, in_ub] = rows_of(rows, col);
    DataCopyPad(to, global(from, ~std::uint32_t{0})[row * job_.width + col],
                DataCopyExtParams(count, bytes, in_gm, in_ub, 0), DataCopyPadExtParams<T>{});
  }

  void as_sum(const LocalTensor<Sum>& to, const LocalTensor<T>& from, std::uint32_t count) {
    if constexpr (std::is_same_v<Sum, T>) {
      Adds(to, from, Sum(0), static_cast<std::int32_t>(count));
    } else {
      Cast(to, from, RoundMode::CAST_NONE, count);
    }
  }

  Routing job_;
  Matrices<T> gm_;
  std::uint32_t piece_, most_tokens_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> skip_, places_, experts_, scales_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> slots_, work_;
  LocalTensor<Sum> sum_, second_, row_;
  LocalTensor<std::int32_t> places_here_, experts_here_;
  LocalTensor<T> scales_here_;
};

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const Routing job = Routing::of(params);
  const std::uint64_t own = std::uint64_t{job.tokens} * job.width,
                      chosen = std::uint64_t{job.tokens} * job.k;
  Matrices<T> gm{};
  gm.expanded = allocate<T>(device, std::uint64_t{job.expanded} * job.width, "expanded");
  for (std::uint32_t i = 0; i < job.skips; ++i) gm.skip[i] = allocate<T>(device, own, "skip");
  gm.bias = allocate<T>(device, std::uint64_t{job.experts} * job.width, "bias");
  gm.scales = allocate<T>(device, chosen, "scales");
  gm.places = allocate<std::int32_t>(device, chosen, "places");
  gm.experts = allocate<std::int32_t>(device, chosen, "experts");
  gm.out = allocate<T>(device, own, "out");
  const std::uint32_t cores = busy_cores(job.tokens, vector_cores(device, params));
  return vector_launch(device, params, "moe_finalize", {.tiling = 192}, cores, [=] {
    const std::uint64_t each = ceil_div(job.tokens, cores), begin = GetBlockIdx() * each;
    RoutingCore<T>(job, gm, static_cast<std::uint32_t>(each))
        .run({begin, std::min<std::uint64_t>(job.tokens, begin + each)});
  });
}

const KernelRegistrar g_moe_finalize(typed_kernel(
    "moe_finalize",
    "tokens' rows as sums of experts' rows: tokens width k expanded experts [skips type cores "
    "tiling]",
    []<class T>(sim::Device& device, const Params& params) {
      return prepare_as<T>(device, params);
    }));

}  // namespace
}  // namespace davsim::silicon
