// GroupNormSilu: channels in groups, each group normalised by its mean and variance, then scaled
// and shifted by channel, then, if asked for, x / (1 + exp(-x)): the vendor's GroupNorm runs the
// same kernel without that. As the vendor's kernel by its published structure: a core takes whole
// groups; what it sums up it reads again to normalise it, channels that are small and fill
// DataBlocks several at a time, channels of one pixel as vectors.
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

struct Groups {
  std::uint32_t groups;    ///< of all samples
  std::uint32_t channels;  ///< of a group
  std::uint32_t pixels;    ///< of a channel
  bool means;              ///< of the groups are all that is wanted
  bool silu;

  static Groups of(const Params& p) {
    const std::uint32_t groups = p.divisor("groups", "channels");
    return {p.size("samples") * groups, p.size("channels") / groups, p.size("pixels"),
            p.number("means", 0) != 0, p.number("silu", 0) != 0};
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
    const std::uint32_t parameters = round_up(std::min(job.channels, kChunk), 64);
    pipe_.InitBuffer(in_, 2, kChunk * sizeof(T));
    pipe_.InitBuffer(out_, 2, kChunk * sizeof(T));
    pipe_.InitBuffer(gamma_, 1, parameters * sizeof(T));
    pipe_.InitBuffer(beta_, 1, parameters * sizeof(T));
    pipe_.InitBuffer(work_, (3 * kChunk + kHalfTurn) * 4);
    pipe_.InitBuffer(scalar_, 4096);
    // What one instruction reads lies half a turn of UB's bank groups apart.
    x_ = work_.template Get<float>();
    sum_ = x_[kChunk + kHalfTurn];
    squares_ = x_[2 * kChunk + kHalfTurn];
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const std::uint64_t each = ceil_div(job_.groups, cores);
    const std::uint64_t end = std::min<std::uint64_t>(job_.groups, (core + 1) * each);
    for (std::uint64_t group = core * each; group < end; ++group) {
      if (job_.means) {
        sums(group);
        global(gm_.out, job_.groups).SetValue(group, T(0));
      } else if (job_.pixels == 1 && job_.channels == 1) {
        shifts(group, end);
        break;
      } else if (job_.pixels == 1) {
        normalise_pixels(group);
      } else {
        normalise(group);
      }
    }
  }

 private:
  static constexpr std::uint32_t kHalfTurn = 64, kMostSmall = 4096, kMostChunk = 8192;
  /// Elements at a time: two buffers each of input and result, three of fp32.
  static constexpr std::uint32_t kChunk =
      std::min<std::uint32_t>(kMostChunk, 176 * 1024 / (4 * sizeof(T) + 12) / 64 * 64);

  LocalTensor<T> channel_numbers(TQue<TPosition::VECIN, 1>& queue, T* from, std::uint32_t first,
                                 std::uint32_t count) {
    auto part = queue.template AllocTensor<T>();
    DataCopyPad(part, global(from, first + count)[first],
                DataCopyExtParams(1, static_cast<std::uint32_t>(count * sizeof(T)), 0, 0, 0),
                DataCopyPadExtParams<T>{});
    queue.EnQue(part);
    return queue.template DeQue<T>();
  }

  /// to = elements [at, at + count) of the tensor.
  void load(const LocalTensor<float>& to, std::uint64_t at, std::uint32_t count) {
    auto in = in_.template AllocTensor<T>();
    DataCopyPad(in, global(gm_.x, job_.groups * job_.elements())[at],
                DataCopyExtParams(1, static_cast<std::uint32_t>(count * sizeof(T)), 0, 0, 0),
                DataCopyPadExtParams<T>{});
    in_.EnQue(in);
    in = in_.template DeQue<T>();
    if constexpr (sizeof(T) == 4) {
      Muls(to, in, 1.0f, static_cast<std::int32_t>(count));
    } else {
      Cast(to, in, RoundMode::CAST_NONE, count);
    }
    in_.FreeTensor(in);
  }

  /// Sum and sum of squares of a group: chunk upon chunk, then along what is left.
  void sums(std::uint64_t group) {
    const std::uint64_t first = group * job_.elements();
    const auto width = static_cast<std::int32_t>(std::min<std::uint64_t>(kChunk, job_.elements()));
    load(sum_, first, static_cast<std::uint32_t>(width));
    if (!job_.means) Mul(squares_, sum_, sum_, width);
    for (std::uint64_t at = kChunk; at < job_.elements(); at += kChunk) {
      const auto n =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kChunk, job_.elements() - at));
      const auto count = static_cast<std::int32_t>(n);
      load(x_, first + at, n);
      Add(sum_, sum_, x_, count);
      if (job_.means) continue;
      Mul(x_, x_, x_, count);
      Add(squares_, squares_, x_, count);
    }
    const auto scalars = scalar_.template Get<float>();
    ReduceSum(scalars, sum_, x_, width);
    if (!job_.means) ReduceSum(scalars[8], squares_, x_, width);
    SetFlag<HardEvent::V_S>(EVENT_ID4);
    WaitFlag<HardEvent::V_S>(EVENT_ID4);
    scalars.GetValue(0);
    scalars.GetValue(8);
  }

  void normalise(std::uint64_t group) {
    gamma_here_ = channel_numbers(gamma_, gm_.gamma, 0, job_.channels);
    beta_here_ = channel_numbers(beta_, gm_.beta, 0, job_.channels);
    sums(group);
    const bool small = job_.pixels <= kMostSmall && job_.pixels * sizeof(T) % 32 == 0;
    const std::uint32_t at_a_time = small ? kChunk / job_.pixels : 1;
    for (std::uint32_t channel = 0; channel < job_.channels; channel += at_a_time) {
      const std::uint32_t channels = std::min(at_a_time, job_.channels - channel);
      const std::uint64_t first = group * job_.elements() + std::uint64_t{channel} * job_.pixels;
      for (std::uint32_t at = 0; at < job_.pixels; at += kChunk) {
        piece(channel, channels, first + at, std::min(kChunk, job_.pixels - at));
      }
    }
    gamma_.FreeTensor(gamma_here_);
    beta_.FreeTensor(beta_here_);
  }

  /// A group of channels of one pixel: their numbers are vectors like the pixels themselves. The
  /// vendor's kernel waits for all pipes after each step.
  void normalise_pixels(std::uint64_t group) {
    sums(group);
    for (std::uint32_t at = 0; at < job_.channels; at += kChunk) {
      const std::uint32_t n = std::min(kChunk, job_.channels - at);
      const auto count = static_cast<std::int32_t>(n);
      const std::uint64_t first = group * job_.channels + at;
      load(x_, first, n);
      Adds(x_, x_, 0.1f, count);  // - mean
      Muls(x_, x_, 0.5f, count);  // / deviation
      PipeBarrier<PIPE_ALL>();
      scale_by(gamma_, gm_.gamma, at, n,
               [&](const LocalTensor<float>& gamma) { Mul(x_, x_, gamma, count); });
      scale_by(beta_, gm_.beta, at, n,
               [&](const LocalTensor<float>& beta) { Add(x_, x_, beta, count); });
      if (job_.silu) silu(count);
      PipeBarrier<PIPE_ALL>();
      leave(first, n);
      PipeBarrier<PIPE_ALL>();
    }
  }

  template <class Apply>
  void scale_by(TQue<TPosition::VECIN, 1>& queue, T* from, std::uint32_t first, std::uint32_t n,
                Apply apply) {
    auto numbers = channel_numbers(queue, from, first, n);
    PipeBarrier<PIPE_ALL>();
    if constexpr (sizeof(T) == 4) {
      apply(numbers);
    } else {
      Cast(squares_, numbers, RoundMode::CAST_NONE, n);
      apply(squares_);
    }
    PipeBarrier<PIPE_ALL>();
    queue.FreeTensor(numbers);
  }

  /// Groups of one pixel have no deviation: the result is the shift of each channel.
  void shifts(std::uint64_t group, std::uint64_t end) {
    for (std::uint64_t at = group; at < end; at += kChunk) {
      const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(kChunk, end - at));
      load(x_, at, n);  // the pixels are their own means
      PipeBarrier<PIPE_ALL>();
      if (job_.silu) silu(static_cast<std::int32_t>(n));
      leave(at, n);
      PipeBarrier<PIPE_ALL>();
    }
  }

  /// `pixels` pixels of each of some channels, which follow each other.
  void piece(std::uint32_t channel, std::uint32_t channels, std::uint64_t first,
             std::uint32_t pixels) {
    const std::uint32_t n = channels * pixels;
    load(x_, first, n);
    for (std::uint32_t i = 0; i < channels; ++i) {
      gamma_here_.GetValue(channel + i);
      beta_here_.GetValue(channel + i);
      const auto x = x_[i * pixels];
      Muls(x, x, 0.5f, static_cast<std::int32_t>(pixels));  // gamma / deviation
      Adds(x, x, 0.1f, static_cast<std::int32_t>(pixels));  // beta - mean gamma / deviation
    }
    if (job_.silu) silu(static_cast<std::int32_t>(n));
    leave(first, n);
  }

  void silu(std::int32_t count) {
    const auto temp = sum_;
    Muls(temp, x_, -1.0f, count);
    Exp(temp, temp, count);
    Adds(temp, temp, 1.0f, count);
    Div(x_, x_, temp, count);
  }

  void leave(std::uint64_t at, std::uint32_t n) {
    auto out = out_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 4) {
      Muls(out, x_, 1.0f, static_cast<std::int32_t>(n));
    } else {
      Cast(out, x_, RoundMode::CAST_RINT, n);
    }
    out_.EnQue(out);
    out = out_.template DeQue<T>();
    DataCopyPad(global(gm_.out, job_.groups * job_.elements())[at], out,
                DataCopyExtParams(1, static_cast<std::uint32_t>(n * sizeof(T)), 0, 0, 0));
    out_.FreeTensor(out);
  }

  Groups job_;
  Tensors<T> gm_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, gamma_, beta_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_, scalar_;
  LocalTensor<float> x_, sum_, squares_;
  LocalTensor<T> gamma_here_, beta_here_;
};

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const Groups job = Groups::of(params);
  const std::uint64_t elements = job.groups * job.elements();
  Tensors<T> gm{};
  gm.x = allocate<T>(device, elements, "x");
  gm.gamma = allocate<T>(device, params.size("channels"), "gamma");
  gm.beta = allocate<T>(device, params.size("channels"), "beta");
  gm.out = allocate<T>(device, elements, "out");
  const std::uint32_t cores = busy_cores(job.groups, vector_cores(device, params));
  return vector_launch(device, params, "group_norm", {.tiling = 128}, cores,
                       [=] { GroupNorm<T>(job, gm).run(GetBlockIdx(), cores); });
}

const KernelRegistrar g_group_norm(typed_kernel(
    "group_norm",
    "groups of channels normalised, then silu if wanted, or their means alone: samples "
    "channels pixels groups [means silu type cores tiling]",
    []<class T>(sim::Device& device, const Params& params) {
      return prepare_as<T>(device, params);
    }));

}  // namespace
}  // namespace davsim::silicon
