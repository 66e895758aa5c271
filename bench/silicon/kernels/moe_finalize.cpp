// MoeFinalizeRouting: each token's row is the sum of up to two rows of its own and of the rows that
// its experts made for it, which lie scattered: (row + bias of the expert) x scale.
#include "bench/silicon/kernels/gm.hpp"

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

template <class T>
class RoutingCore {
 public:
  RoutingCore(const Routing& job, const Matrices<T>& gm) : job_(job), gm_(gm) {
    // Rows wider than this are worked on piece by piece.
    piece_ = std::min(round_up(job.width, 64), kMostColumns);
    chunk_tokens_ = std::clamp(256 / job.k, 1u, 64u);
    const std::uint32_t numbers = round_up(chunk_tokens_ * job.k, 64);
    pipe_.InitBuffer(in_, 2, 2 * piece_ * sizeof(T));
    pipe_.InitBuffer(skip_, 2, 2 * piece_ * sizeof(T));
    pipe_.InitBuffer(out_, 2, piece_ * sizeof(T));
    pipe_.InitBuffer(places_, 1, numbers * 4);
    pipe_.InitBuffer(experts_, 1, numbers * 4);
    pipe_.InitBuffer(scales_, 1, numbers * 4);
    pipe_.InitBuffer(work_, 3 * piece_ * 4);
    sum_ = work_.template Get<float>();
    row_ = sum_[piece_];
    temp_ = sum_[2 * piece_];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.tokens, core, cores);
    for (std::uint64_t token = mine.begin; token < mine.end; token += chunk_tokens_) {
      const auto tokens =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_tokens_, mine.end - token));
      auto places = numbers<std::int32_t>(places_, gm_.places, token, tokens);
      auto experts = numbers<std::int32_t>(experts_, gm_.experts, token, tokens);
      auto scales = numbers<T>(scales_, gm_.scales, token, tokens);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID4);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID4);
      for (std::uint32_t i = 0; i < tokens; ++i) {
        for (std::uint32_t col = 0; col < job_.width; col += piece_) {
          one(token + i, col, places[i * job_.k], experts[i * job_.k], scales[i * job_.k]);
        }
      }
      places_.FreeTensor(places);
      experts_.FreeTensor(experts);
      scales_.FreeTensor(scales);
    }
  }

 private:
  static constexpr std::uint32_t kMostColumns = 4096;

  /// k numbers of each of these tokens.
  template <class U>
  LocalTensor<U> numbers(TQue<TPosition::VECIN, 1>& queue, U* from, std::uint64_t token,
                         std::uint32_t tokens) {
    auto part = queue.template AllocTensor<U>();
    const auto bytes = static_cast<std::uint32_t>(tokens * job_.k * sizeof(U));
    DataCopyPad(part, global(from, std::uint64_t{job_.tokens} * job_.k)[token * job_.k],
                DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<U>{});
    queue.EnQue(part);
    return queue.template DeQue<U>();
  }

  void load(const LocalTensor<T>& to, T* from, std::uint64_t row, std::uint32_t col) {
    const std::uint32_t columns = std::min(piece_, job_.width - col);
    DataCopyPad(to, global(from, ~std::uint32_t{0})[row * job_.width + col],
                DataCopyExtParams(1, static_cast<std::uint32_t>(columns * sizeof(T)), 0, 0, 0),
                DataCopyPadExtParams<T>{});
  }

  void widen(const LocalTensor<float>& to, const LocalTensor<T>& from) {
    if constexpr (sizeof(T) == 4) {
      Muls(to, from, 1.0f, static_cast<std::int32_t>(piece_));
    } else {
      Cast(to, from, RoundMode::CAST_NONE, piece_);
    }
  }

  /// Columns [col, col + piece) of a token, whose numbers begin at these.
  void one(std::uint64_t token, std::uint32_t col, const LocalTensor<std::int32_t>& places,
           const LocalTensor<std::int32_t>& experts, const LocalTensor<T>& scales) {
    const auto count = static_cast<std::int32_t>(piece_);
    if (job_.skips > 0) {
      auto skip = skip_.template AllocTensor<T>();
      for (std::uint32_t i = 0; i < job_.skips; ++i)
        load(skip[i * piece_], gm_.skip[i], token, col);
      skip_.EnQue(skip);
      skip = skip_.template DeQue<T>();
      widen(sum_, skip);
      if (job_.skips > 1) widen(temp_, skip[piece_]);
      if (job_.skips > 1) Add(sum_, sum_, temp_, count);
      skip_.FreeTensor(skip);
    } else {
      Duplicate(sum_, 0.0f, count);
    }
    for (std::uint32_t j = 0; j < job_.k; ++j) {
      // No values are simulated: places are spread as a router would.
      const std::uint64_t read = static_cast<std::uint32_t>(places.GetValue(j));
      const std::uint64_t row = (token + j * job_.tokens + read) % job_.expanded;
      const std::uint64_t expert =
          (row + static_cast<std::uint32_t>(experts.GetValue(j))) % std::max(1u, job_.experts);
      scales.GetValue(j);
      auto in = in_.template AllocTensor<T>();
      load(in, gm_.expanded, row, col);
      load(in[piece_], gm_.bias, expert, col);
      in_.EnQue(in);
      in = in_.template DeQue<T>();
      widen(row_, in);
      widen(temp_, in[piece_]);
      Add(row_, row_, temp_, count);
      Axpy(sum_, row_, 0.5f, count);
      in_.FreeTensor(in);
    }
    leave(token, col);
  }

  void leave(std::uint64_t token, std::uint32_t col) {
    auto out = out_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 4) {
      Muls(out, sum_, 1.0f, static_cast<std::int32_t>(piece_));
    } else {
      Cast(out, sum_, RoundMode::CAST_RINT, piece_);
    }
    out_.EnQue(out);
    out = out_.template DeQue<T>();
    const std::uint32_t columns = std::min(piece_, job_.width - col);
    DataCopyPad(global(gm_.out, ~std::uint32_t{0})[token * job_.width + col], out,
                DataCopyExtParams(1, static_cast<std::uint32_t>(columns * sizeof(T)), 0, 0, 0));
    out_.FreeTensor(out);
  }

  Routing job_;
  Matrices<T> gm_;
  std::uint32_t piece_, chunk_tokens_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, skip_, places_, experts_, scales_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
  LocalTensor<float> sum_, row_, temp_;
};

template <class T>
std::function<traces::LaunchReport()> prepare_as(sim::Device& device, const Params& params) {
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
  const std::uint32_t cores = vector_cores(device, params);
  return [=, &device] {
    const isa::KernelEntry entry{"moe_finalize", isa::KernelType::kAivOnly, nullptr, nullptr};
    return device.launch(entry, cores, {},
                         [=] { RoutingCore<T>(job, gm).run(GetBlockIdx(), cores); });
  };
}

std::function<traces::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const std::string type = params.text("type", "half");
  if (type == "float") return prepare_as<float>(device, params);
  if (type == "bfloat16") return prepare_as<bfloat16_t>(device, params);
  return prepare_as<half>(device, params);
}

const KernelRegistrar g_moe_finalize(
    {"moe_finalize",
     "tokens' rows as sums of experts' rows: tokens width k expanded experts [skips type cores]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
