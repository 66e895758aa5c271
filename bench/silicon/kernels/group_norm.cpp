// GroupNormSilu: channels in groups, each group normalised by its mean and variance, then scaled
// and shifted by channel, then x / (1 + exp(-x)). A core takes whole groups; what it sums up it
// reads again to normalise it.
#include "bench/silicon/kernels/gm.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

struct Groups {
  std::uint32_t groups;    ///< of all samples
  std::uint32_t channels;  ///< of a group
  std::uint32_t pixels;    ///< of a channel
  bool means;              ///< of the groups are all that is wanted

  static Groups of(const Params& p) {
    const std::uint32_t groups = p.number("groups");
    return {p.number("samples") * groups, p.number("channels") / groups, p.number("pixels"),
            p.number("means", 0) != 0};
  }
  std::uint64_t elements() const { return std::uint64_t{channels} * pixels; }
};

template <class T>
struct Tensors {
  T *x, *gamma, *beta, *out;
};

template <class T>
class GroupNorm {
 public:
  GroupNorm(const Groups& job, const Tensors<T>& gm) : job_(job), gm_(gm) {
    const std::uint32_t parameters = round_up(job.channels, 64);
    pipe_.InitBuffer(in_, 2, kChunk * sizeof(T));
    pipe_.InitBuffer(out_, 2, kChunk * sizeof(T));
    pipe_.InitBuffer(gamma_, 1, parameters * sizeof(T));
    pipe_.InitBuffer(beta_, 1, parameters * sizeof(T));
    pipe_.InitBuffer(work_, (4 * kChunk + 2 * kHalfTurn) * 4);
    pipe_.InitBuffer(scalar_, 4096);
    // What one instruction reads lies half a turn of UB's bank groups apart.
    x_ = work_.template Get<float>();
    temp_ = x_[kChunk + kHalfTurn];
    sum_ = x_[2 * kChunk + kHalfTurn];
    squares_ = x_[3 * kChunk + 2 * kHalfTurn];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const Share mine = share_of(job_.groups, core, cores);
    for (std::uint64_t group = mine.begin; group < mine.end; ++group) {
      if (job_.means) {
        sums(group);
        global(gm_.out, job_.groups).SetValue(group, T(0));
        continue;
      }
      auto gamma = channel_numbers(gamma_, gm_.gamma);
      auto beta = channel_numbers(beta_, gm_.beta);
      sums(group);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID4);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID4);
      for (std::uint32_t channel = 0; channel < job_.channels; ++channel) {
        gamma.GetValue(channel);
        beta.GetValue(channel);
        normalise(group, channel);
      }
      gamma_.FreeTensor(gamma);
      beta_.FreeTensor(beta);
    }
  }

 private:
  static constexpr std::uint32_t kChunk = 4096, kHalfTurn = 64;

  LocalTensor<T> channel_numbers(TQue<TPosition::VECIN, 1>& queue, T* from) {
    auto part = queue.template AllocTensor<T>();
    DataCopyPad(
        part, global(from, job_.channels),
        DataCopyExtParams(1, static_cast<std::uint32_t>(job_.channels * sizeof(T)), 0, 0, 0),
        DataCopyPadExtParams<T>{});
    queue.EnQue(part);
    return queue.template DeQue<T>();
  }

  /// x = elements [at, at + count) of the tensor.
  void load(std::uint64_t at, std::uint32_t count) {
    auto in = in_.template AllocTensor<T>();
    DataCopyPad(in, global(gm_.x, job_.groups * job_.elements())[at],
                DataCopyExtParams(1, static_cast<std::uint32_t>(count * sizeof(T)), 0, 0, 0),
                DataCopyPadExtParams<T>{});
    in_.EnQue(in);
    in = in_.template DeQue<T>();
    if constexpr (sizeof(T) == 4) {
      Muls(x_, in, 1.0f, static_cast<std::int32_t>(count));
    } else {
      Cast(x_, in, RoundMode::CAST_NONE, count);
    }
    in_.FreeTensor(in);
  }

  /// Sum and sum of squares of a group: chunk upon chunk, then along what is left.
  void sums(std::uint64_t group) {
    const std::uint64_t first = group * job_.elements();
    Duplicate(sum_, 0.0f, static_cast<std::int32_t>(kChunk));
    Duplicate(squares_, 0.0f, static_cast<std::int32_t>(kChunk));
    for (std::uint64_t at = 0; at < job_.elements(); at += kChunk) {
      const auto n =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kChunk, job_.elements() - at));
      const auto count = static_cast<std::int32_t>(n);
      load(first + at, n);
      Add(sum_, sum_, x_, count);
      if (job_.means) continue;
      Mul(temp_, x_, x_, count);
      Add(squares_, squares_, temp_, count);
    }
    const auto scalars = scalar_.template Get<float>();
    ReduceSum(scalars, sum_, temp_, static_cast<std::int32_t>(kChunk));
    ReduceSum(scalars[8], squares_, temp_, static_cast<std::int32_t>(kChunk));
    SetFlag<HardEvent::V_S>(EVENT_ID4);
    WaitFlag<HardEvent::V_S>(EVENT_ID4);
    scalars.GetValue(0);
    scalars.GetValue(8);
  }

  void normalise(std::uint64_t group, std::uint32_t channel) {
    const std::uint64_t first = (group * job_.channels + channel) * job_.pixels;
    for (std::uint32_t at = 0; at < job_.pixels; at += kChunk) {
      const std::uint32_t n = std::min(kChunk, job_.pixels - at);
      const auto count = static_cast<std::int32_t>(n);
      load(first + at, n);
      Muls(x_, x_, 0.5f, count);  // gamma / deviation
      Adds(x_, x_, 0.1f, count);  // beta - mean gamma / deviation
      Muls(temp_, x_, -1.0f, count);
      Exp(temp_, temp_, count);
      Adds(temp_, temp_, 1.0f, count);
      Div(x_, x_, temp_, count);
      auto out = out_.template AllocTensor<T>();
      if constexpr (sizeof(T) == 4) {
        Muls(out, x_, 1.0f, count);
      } else {
        Cast(out, x_, RoundMode::CAST_RINT, n);
      }
      out_.EnQue(out);
      out = out_.template DeQue<T>();
      DataCopyPad(global(gm_.out, job_.groups * job_.elements())[first + at], out,
                  DataCopyExtParams(1, static_cast<std::uint32_t>(n * sizeof(T)), 0, 0, 0));
      out_.FreeTensor(out);
    }
  }

  Groups job_;
  Tensors<T> gm_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, gamma_, beta_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_, scalar_;
  LocalTensor<float> x_, temp_, sum_, squares_;
};

template <class T>
std::function<traces::LaunchReport()> prepare_as(sim::Device& device, const Params& params) {
  const Groups job = Groups::of(params);
  const std::uint64_t elements = job.groups * job.elements();
  Tensors<T> gm{};
  gm.x = allocate<T>(device, elements, "x");
  gm.gamma = allocate<T>(device, params.number("channels"), "gamma");
  gm.beta = allocate<T>(device, params.number("channels"), "beta");
  gm.out = allocate<T>(device, elements, "out");
  const std::uint32_t cores = std::min(vector_cores(device, params), job.groups);
  return [=, &device] {
    const isa::KernelEntry entry{"group_norm", isa::KernelType::kAivOnly, nullptr, nullptr};
    return device.launch(entry, cores, {},
                         [=] { GroupNorm<T>(job, gm).run(GetBlockIdx(), cores); });
  };
}

std::function<traces::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const std::string type = params.text("type", "half");
  if (type == "float") return prepare_as<float>(device, params);
  if (type == "bfloat16") return prepare_as<bfloat16_t>(device, params);
  return prepare_as<half>(device, params);
}

const KernelRegistrar g_group_norm(
    {"group_norm",
     "groups of channels normalised, then silu, or their means alone: samples channels "
     "pixels groups [means type cores]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
