// MoeFinalizeRouting: each token's row is the sum of up to two rows of its own and of the rows that
// its experts made for it, which lie scattered: (row + bias of the expert) x scale. As the vendor's
// kernel by its published structure: many tokens at a time, of which the scattered rows come one by
// one into two slots; the scalar unit reads where they lie when a slot has been worked on.
#include <memory>
#include <random>
#include <vector>

#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

struct Routing {
  std::uint32_t tokens, width, k, expanded, experts, skips;
  /// As the operator names it: from 2 on the places of a token's choices lie together, and those of
  /// one choice otherwise; odd ones have choices without a row.
  std::uint32_t drop_pad;
  bool scaled;  ///< whether each choice has a scale

  static Routing of(const Params& p) {
    return {p.size("tokens"),       p.size("width"),           p.size("k"),
            p.size("expanded"),     p.size("experts"),         p.up_to("skips", 2, 2),
            p.up_to("drop_pad", 3), p.number("scaled", 1) != 0};
  }
  bool choices_apart() const { return drop_pad < 2; }
};

/// Rows and experts of all choices, drawn at random as the measured tensors were: no values are
/// simulated.
struct Choices {
  std::vector<std::uint32_t> rows, experts;

  static std::shared_ptr<const Choices> of(const Routing& job) {
    std::mt19937 random(1);
    const auto drawn = [&](std::uint32_t below) {
      std::vector<std::uint32_t> numbers(std::size_t{job.tokens} * job.k);
      for (std::uint32_t& number : numbers) number = random() % std::max(1u, below);
      return numbers;
    };
    return std::make_shared<Choices>(Choices{drawn(job.expanded), drawn(job.experts)});
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

/// How many tokens are worked on at a time, and how many of their columns.
struct Pieces {
  std::uint32_t tokens, width;

  template <class T>
  static Pieces of(const Routing& job, std::uint32_t core_tokens) {
    constexpr std::uint32_t kRoom = 191 * 1024, kMostColumns = 4096;
    constexpr bool kWidened = !std::is_same_v<T, SumOf<T>>;
    const std::uint32_t width = round_up(job.width, 32 / sizeof(T));
    const auto row = static_cast<std::uint32_t>(width * sizeof(T));
    const std::uint32_t second = job.skips > 1 ? 1 : 0;
    const std::uint32_t once = row * (kWidened ? 12 : 5) + round_up(core_tokens, 8) * job.k * 4;
    const auto of_token = static_cast<std::uint32_t>(
        row * (kWidened ? 4 + 3 * second : 2 + second) + round_up(job.k, 8) * 4 +
        round_up(job.k, 32 / sizeof(T)) * sizeof(T));
    if (once + of_token > kRoom) return {1, kMostColumns};
    return {std::min(std::max(1u, core_tokens), (kRoom - once) / of_token), width};
  }
};

template <class T>
class RoutingCore {
 public:
  RoutingCore(const Routing& job, const Matrices<T>& gm, const Choices& choices,
              std::uint64_t begin, std::uint32_t tokens)
      : job_(job), gm_(gm), choices_(choices), begin_(begin), tokens_(tokens) {
    const Pieces pieces = Pieces::of<T>(job, tokens);
    most_tokens_ = pieces.tokens, piece_ = pieces.width;
    const std::uint32_t elements = most_tokens_ * piece_;
    for (std::uint32_t i = 0; i < std::max(1u, job.skips); ++i) {
      pipe_.InitBuffer(skip_[i], 1, elements * sizeof(T));
    }
    if (job.scaled) {
      pipe_.InitBuffer(scales_, 1, most_tokens_ * round_up(job.k, kBlock) * sizeof(T));
    }
    pipe_.InitBuffer(bias_slots_, 2 * piece_ * sizeof(T));
    pipe_.InitBuffer(experts_, 1, most_tokens_ * round_up(job.k, 8) * 4);
    pipe_.InitBuffer(out_, 1, elements * sizeof(T));
    pipe_.InitBuffer(row_slots_, 2 * piece_ * sizeof(T));
    pipe_.InitBuffer(places_, job.k * round_up(tokens, 8) * 4);
    if constexpr (kWidened) {
      pipe_.InitBuffer(work_, (sums() * elements + 4 * piece_) * sizeof(Sum));
    } else {
      pipe_.InitBuffer(work_, piece_ * sizeof(Sum));
    }
  }

  void run() {
    load_places();
    for (std::uint32_t at = 0; at < tokens_; at += most_tokens_) {
      const std::uint32_t tokens = std::min(most_tokens_, tokens_ - at);
      for (std::uint32_t col = 0; col < job_.width; col += piece_) {
        load(at, tokens, col);
        compute(at, tokens, col);
        leave(at, tokens, col);
      }
    }
  }

 private:
  using Sum = SumOf<T>;
  static constexpr bool kWidened = !std::is_same_v<T, Sum>;
  static constexpr std::uint32_t kBlock = 32 / sizeof(T);
  /// That a slot's rows may be loaded, and that its scale may be.
  static constexpr event_t kRowFree[2] = {EVENT_ID4, EVENT_ID5};
  static constexpr event_t kScaleFree[2] = {EVENT_ID6, EVENT_ID7};
  /// Sums in float have copies of the rows, so a slot is free when the copies were started.
  static constexpr HardEvent kFree = kWidened ? HardEvent::MTE2_S : HardEvent::V_S;

  /// The places of all tokens of the core.
  void load_places() {
    places_here_ = places_.template Get<std::int32_t>();
    const std::uint32_t rows = job_.choices_apart() ? job_.k : 1;
    const std::uint32_t count = job_.choices_apart() ? tokens_ : tokens_ * job_.k;
    const std::uint32_t apart = job_.choices_apart() ? job_.tokens - tokens_ : 0;
    const std::uint64_t from = job_.choices_apart() ? begin_ : begin_ * job_.k;
    DataCopyPad(places_here_, global(gm_.places, std::uint64_t{job_.tokens} * job_.k)[from],
                DataCopyExtParams(static_cast<std::uint16_t>(rows), count * 4, apart * 4, 0, 0),
                filled<std::int32_t>(count * 4));
  }

  /// k numbers of each token, each token's on DataBlocks of its own.
  template <class U>
  void numbers(TQue<TPosition::VECIN, 1>& queue, U* from, std::uint64_t token,
               std::uint32_t tokens) {
    auto part = queue.template AllocTensor<U>();
    const auto bytes = static_cast<std::uint32_t>(job_.k * sizeof(U));
    DataCopyPad(part, global(from, std::uint64_t{job_.tokens} * job_.k)[token * job_.k],
                DataCopyExtParams(static_cast<std::uint16_t>(tokens), bytes, 0, 0, 0),
                filled<U>(bytes));
    queue.EnQue(part);
  }

  void load(std::uint32_t at, std::uint32_t tokens, std::uint32_t col) {
    for (std::uint32_t i = 0; i < job_.skips; ++i) {
      auto skip = skip_[i].template AllocTensor<T>();
      load_rows(skip, gm_.skip[i], begin_ + at, tokens, col);
      skip_[i].EnQue(skip);
    }
    if (job_.scaled) numbers(scales_, gm_.scales, begin_ + at, tokens);
    numbers(experts_, gm_.experts, begin_ + at, tokens);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID3);
  }

  /// Columns [col, col + piece) of some tokens.
  void compute(std::uint32_t at, std::uint32_t tokens, std::uint32_t col) {
    out_here_ = out_.template AllocTensor<T>();
    if (job_.scaled) scales_here_ = scales_.template DeQue<T>();
    add_skips(tokens);
    experts_here_ = experts_.template DeQue<std::int32_t>();
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID3);
    for (std::uint32_t s = 0; s < 2; ++s) {
      SetFlag<kFree>(kRowFree[s]);
      SetFlag<HardEvent::V_S>(kScaleFree[s]);
    }
    for (std::uint32_t i = 0; i < tokens; ++i) {
      begun_ = job_.skips > 0;
      for (std::uint32_t j = 0; j + 1 < job_.k; j += 2) {
        const float first = gather<0>(at, i, j, col), second = gather<1>(at, i, j + 1, col);
        accumulate<0>(i, first);
        accumulate<1>(i, second);
      }
      if (job_.k % 2 != 0) accumulate<0>(i, gather<0>(at, i, job_.k - 1, col));
    }
    for (std::uint32_t s = 0; s < 2; ++s) {
      WaitFlag<kFree>(kRowFree[s]);
      WaitFlag<HardEvent::V_S>(kScaleFree[s]);
    }
    if constexpr (kWidened) {
      Cast(out_here_, sum_, RoundMode::CAST_RINT, tokens * piece_);
    }
    out_.EnQue(out_here_);
    experts_.FreeTensor(experts_here_);
    if (job_.scaled) scales_.FreeTensor(scales_here_);
    for (std::uint32_t i = 0; i < std::max(1u, job_.skips); ++i) {
      skip_[i].FreeTensor(skip_here_[i]);
    }
  }

  /// Of a token's second own row there is a widened copy beside the sum.
  std::uint32_t sums() const { return job_.skips > 1 ? 2 : 1; }

  /// The sums begin with a token's own rows. Where a buffer is not needed for those, it is still
  /// the place of what is in between.
  void add_skips(std::uint32_t tokens) {
    const auto count = static_cast<std::int32_t>(tokens * piece_);
    if (job_.skips == 0) skip_here_[0] = skip_[0].template AllocTensor<T>();
    for (std::uint32_t i = 0; i < job_.skips; ++i) skip_here_[i] = skip_[i].template DeQue<T>();
    if constexpr (kWidened) {
      const LocalTensor<Sum> work = work_.template Get<Sum>();
      sum_ = work;
      LocalTensor<Sum> second = work[most_tokens_ * piece_];
      for (std::uint32_t s = 0; s < 2; ++s) {
        wide_row_[s] = work[sums() * most_tokens_ * piece_ + 2 * s * piece_];
        wide_bias_[s] = wide_row_[s][piece_];
      }
      if (job_.skips > 0) Cast(sum_, skip_here_[0], RoundMode::CAST_NONE, tokens * piece_);
      if (job_.skips > 1) Cast(second, skip_here_[1], RoundMode::CAST_NONE, tokens * piece_);
      PipeBarrier<PIPE_V>();
      if (job_.skips > 1) {
        Add(sum_, sum_, second, count);
      } else if (job_.skips > 0) {
        Adds(sum_, sum_, Sum(0), count);
      }
    } else {
      sum_ = out_here_;
      wide_row_[0] = skip_here_[0];
      wide_row_[1] = work_.template Get<Sum>();
      if (job_.skips > 1) {
        Add(sum_, skip_here_[0], skip_here_[1], count);
      } else if (job_.skips > 0) {
        Adds(sum_, skip_here_[0], Sum(0), count);
      }
    }
  }

  template <std::uint32_t s>
  LocalTensor<T> row_slot() {
    return row_slots_.template Get<T>()[s * piece_];
  }
  template <std::uint32_t s>
  LocalTensor<T> bias_slot() {
    return bias_slots_.template Get<T>()[s * piece_];
  }

  /// The row and the bias of a token's choice, once their slot is free; the scale.
  template <std::uint32_t s>
  float gather(std::uint32_t at, std::uint32_t i, std::uint32_t choice, std::uint32_t col) {
    WaitFlag<kFree>(kRowFree[s]);
    const std::uint32_t here =
        job_.choices_apart() ? at + i + choice * round_up(tokens_, 8) : (at + i) * job_.k + choice;
    const std::int32_t place = places_here_.GetValue(here);
    SetFlag<HardEvent::S_MTE2>(kRowFree[s]);
    WaitFlag<HardEvent::V_S>(kScaleFree[s]);
    experts_here_.GetValue(i * round_up(job_.k, 8) + choice);
    float scale = 1;
    if (job_.scaled) {
      scales_here_.GetValue(i * round_up(job_.k, kBlock) + choice);
      scale = 0.5f;
    }
    SetFlag<HardEvent::S_MTE2>(kScaleFree[s]);
    WaitFlag<HardEvent::S_MTE2>(kRowFree[s]);
    WaitFlag<HardEvent::S_MTE2>(kScaleFree[s]);
    const std::uint64_t drawn = (begin_ + at + i) * job_.k + choice;
    if (place != kNoRow) {
      load_rows(row_slot<s>(), gm_.expanded, choices_.rows[drawn], 1, col);
    }
    load_rows(bias_slot<s>(), gm_.bias, choices_.experts[drawn], 1, col);
    SetFlag<HardEvent::MTE2_V>(kRowFree[s]);
    if constexpr (kWidened) SetFlag<HardEvent::MTE2_S>(kRowFree[s]);
    return scale;
  }

  template <std::uint32_t s>
  void accumulate(std::uint32_t i, float scale) {
    const auto count = static_cast<std::int32_t>(std::min(piece_, job_.width));
    const LocalTensor<Sum>& row = wide_row_[s];
    WaitFlag<HardEvent::MTE2_V>(kRowFree[s]);
    if constexpr (kWidened) {
      Cast(row, row_slot<s>(), RoundMode::CAST_NONE, count);
      Cast(wide_bias_[s], bias_slot<s>(), RoundMode::CAST_NONE, count);
      PipeBarrier<PIPE_V>();
      Add(row, row, wide_bias_[s], count);
    } else {
      Add(row, row_slot<s>(), bias_slot<s>(), count);
      SetFlag<HardEvent::V_S>(kRowFree[s]);
    }
    PipeBarrier<PIPE_V>();
    if (!begun_) {
      Muls(sum_[i * piece_], row, Sum(scale), count);
      SetFlag<HardEvent::V_S>(kScaleFree[s]);
      begun_ = true;
      return;
    }
    Muls(row, row, Sum(scale), count);
    SetFlag<HardEvent::V_S>(kScaleFree[s]);
    PipeBarrier<PIPE_V>();
    Add(sum_[i * piece_], sum_[i * piece_], row, count);
  }

  void leave(std::uint32_t at, std::uint32_t tokens, std::uint32_t col) {
    auto out = out_.template DeQue<T>();
    const auto [count, bytes, in_gm, in_ub] = rows_of(tokens, col);
    DataCopyPad(global(gm_.out, ~std::uint32_t{0})[(begin_ + at) * job_.width + col], out,
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
  void load_rows(const LocalTensor<T>& to, T* from, std::uint64_t row, std::uint32_t rows,
                 std::uint32_t col) {
    const auto [count, bytes, in_gm, in_ub] = rows_of(rows, col);
    DataCopyPad(to, global(from, ~std::uint32_t{0})[row * job_.width + col],
                DataCopyExtParams(count, bytes, in_gm, in_ub, 0), filled<T>(bytes));
  }
  /// Rows that are no whole DataBlocks are filled up with zeros, as the vendor's kernel does.
  template <class U>
  static DataCopyPadExtParams<U> filled(std::uint32_t bytes) {
    const std::uint32_t missing = round_up(bytes, 32) - bytes;
    return {missing > 0, 0, static_cast<std::uint8_t>(missing / sizeof(U)), U(0)};
  }

  static constexpr std::int32_t kNoRow = -1;

  Routing job_;
  Matrices<T> gm_;
  const Choices& choices_;
  std::uint64_t begin_;
  std::uint32_t tokens_, piece_, most_tokens_;
  bool begun_ = false;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> skip_[2], experts_, scales_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> places_, row_slots_, bias_slots_, work_;
  LocalTensor<Sum> sum_, wide_row_[2], wide_bias_[2];
  LocalTensor<std::int32_t> places_here_, experts_here_;
  LocalTensor<T> scales_here_, skip_here_[2], out_here_;
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
  const std::shared_ptr<const Choices> choices = Choices::of(job);
  const std::uint32_t cores = busy_cores(job.tokens, vector_cores(device, params));
  return vector_launch(device, params, "moe_finalize", {.tiling = 192}, cores, [=] {
    const std::uint64_t each = ceil_div(job.tokens, cores), begin = GetBlockIdx() * each;
    const auto tokens =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(each, job.tokens - begin));
    RoutingCore<T>(job, gm, *choices, begin, tokens).run();
  });
}

const KernelRegistrar g_moe_finalize(typed_kernel(
    "moe_finalize",
    "tokens' rows as sums of experts' rows: tokens width k expanded experts [skips drop_pad scaled "
    "type cores tiling]",
    []<class T>(sim::Device& device, const Params& params) {
      return prepare_as<T>(device, params);
    }));

}  // namespace
}  // namespace davsim::silicon
