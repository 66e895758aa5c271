// MoeReRouting: tokens that came from several ranks lie by rank, and in each rank by expert. They
// become rows by expert, and in each expert by rank. Cores share the experts; the scalar unit reads
// how many tokens each rank has for an expert, and rows pass through UB as they are.
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

struct Job {
  std::uint32_t tokens, width, ranks, experts;

  static Job of(const Params& p) {
    return {p.size("tokens"), p.size("width"), p.size("ranks"), p.size("experts")};
  }
  /// No values are simulated: every rank has as many tokens for an expert as any other.
  Share segment(std::uint64_t index) const {
    return share_of(tokens, index, std::uint64_t{ranks} * experts);
  }
};

template <class T>
struct Matrices {
  T *x, *y;
  float *x_scales, *y_scales;
  std::int32_t *counts, *places;
};

template <class T>
class ReRoutingCore {
 public:
  ReRoutingCore(const Job& job, const Matrices<T>& gm) : job_(job), gm_(gm) {
    constexpr std::uint32_t kMostRows = 1024;
    const std::uint32_t row = bytes_of_row(job);
    most_rows_ = std::min(kRoom / row, kMostRows);
    pipe_.InitBuffer(rows_, 2, most_rows_ * row);
    pipe_.InitBuffer(scales_, 2, kMostRows * 4);
    pipe_.InitBuffer(places_, 2, kMostRows * 4);
  }

  /// Of each of two buffers of rows.
  static constexpr std::uint32_t kRoom = 80 * 1024;
  static std::uint32_t bytes_of_row(const Job& job) {
    return round_up(job.width * static_cast<std::uint32_t>(sizeof(T)), 32);
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const auto counts = global(gm_.counts, std::uint64_t{job_.ranks} * job_.experts);
    const Share mine = share_of(job_.experts, core, cores);
    std::uint64_t to = job_.tokens * mine.begin / job_.experts;
    for (std::uint64_t expert = mine.begin; expert < mine.end; ++expert) {
      for (std::uint32_t rank = 0; rank < job_.ranks; ++rank) {
        const std::uint64_t index = std::uint64_t{rank} * job_.experts + expert;
        counts.GetValue(index);
        const Share from = job_.segment(index);
        segment(from.begin, to, static_cast<std::uint32_t>(from.end - from.begin));
        to += from.end - from.begin;
      }
    }
  }

 private:
  void segment(std::uint64_t from, std::uint64_t to, std::uint32_t rows) {
    const std::uint64_t all = std::uint64_t{job_.tokens + job_.experts} * job_.width,
                        tokens = job_.tokens + job_.experts;
    for (std::uint32_t done = 0; done < rows; done += most_rows_) {
      const std::uint32_t now = std::min(most_rows_, rows - done);
      move(rows_, global(gm_.x, all)[(from + done) * job_.width],
           global(gm_.y, all)[(to + done) * job_.width], now * job_.width);
      move(scales_, global(gm_.x_scales, tokens)[from + done],
           global(gm_.y_scales, tokens)[to + done], now);
      auto places = places_.AllocTensor<std::int32_t>();
      CreateVecIndex(places, static_cast<std::int32_t>(from + done), round_up(now, 8));
      places_.EnQue(places);
      places = places_.DeQue<std::int32_t>();
      DataCopyPad(global(gm_.places, tokens)[to + done], places,
                  DataCopyExtParams(1, now * 4, 0, 0, 0));
      places_.FreeTensor(places);
    }
  }

  template <class U, class Queue>
  void move(Queue& queue, const GlobalTensor<U>& from, const GlobalTensor<U>& to,
            std::uint32_t count) {
    const DataCopyExtParams all(1, count * static_cast<std::uint32_t>(sizeof(U)), 0, 0, 0);
    auto part = queue.template AllocTensor<U>();
    DataCopyPad(part, from, all, DataCopyPadExtParams<U>{});
    queue.EnQue(part);
    part = queue.template DeQue<U>();
    DataCopyPad(to, part, all);
    queue.FreeTensor(part);
  }

  Job job_;
  Matrices<T> gm_;
  std::uint32_t most_rows_ = 1;
  TPipe pipe_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> rows_, scales_;
  TQue<TPosition::VECOUT, 1> places_;
};

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const Job job = Job::of(params);
  using Core = ReRoutingCore<T>;
  if (Core::bytes_of_row(job) > Core::kRoom) {
    throw std::invalid_argument("moe_re_routing: a row has " +
                                std::to_string(Core::bytes_of_row(job)) +
                                " bytes, allowed are up to " + std::to_string(Core::kRoom));
  }
  const std::uint64_t tokens = job.tokens + job.experts, elements = tokens * job.width;
  Matrices<T> gm{};
  gm.x = allocate<T>(device, elements, "x");
  gm.y = allocate<T>(device, elements, "y");
  gm.x_scales = allocate<float>(device, tokens, "x_scales");
  gm.y_scales = allocate<float>(device, tokens, "y_scales");
  gm.counts = allocate<std::int32_t>(device, std::uint64_t{job.ranks} * job.experts, "counts");
  gm.places = allocate<std::int32_t>(device, tokens, "places");
  const std::uint32_t cores = busy_cores(job.experts, vector_cores(device, params));
  return vector_launch(device, params, "moe_re_routing", {}, cores,
                       [=] { Core(job, gm).run(GetBlockIdx(), cores); });
}

Launch prepare(sim::Device& device, const Params& params) {
  const std::string type = params.text("type", "half");
  if (type == "int8") return prepare_as<std::int8_t>(device, params);
  if (type == "half" || type == "bfloat16") return prepare_as<half>(device, params);
  throw std::invalid_argument("moe_re_routing: type=" + type + "; it is int8, half or bfloat16");
}

const KernelRegistrar g_moe_re_routing(
    {"moe_re_routing",
     "rows by rank become rows by expert: tokens width ranks experts [type cores]", prepare});

}  // namespace
}  // namespace davsim::silicon
