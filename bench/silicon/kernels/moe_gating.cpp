// MoeGatingTopKSoftmax: the softmax of each row over its experts, of which the k largest leave with
// the experts' and the row's numbers. Several rows at a time.
#include <bit>

#include "bench/silicon/kernels/gm.hpp"
#include "kernels/common/row_reduce.h"

namespace davsim::silicon {
namespace {

using namespace AscendC;

struct Gating {
  std::uint32_t rows, experts, k;
  bool finished;  ///< a flag for each row is read too

  static Gating of(const Params& p) {
    return {p.number("rows"), p.number("experts"), p.number("k"), p.number("finished", 0) != 0};
  }
};

template <class T>
struct Matrices {
  T *scores, *out;
  std::uint8_t* finished;
  std::int32_t *experts, *rows;
};

template <class T>
class GatingCore {
 public:
  GatingCore(const Gating& job, const Matrices<T>& gm) : job_(job), gm_(gm) {
    // Folds and sorts take powers of two.
    width_ = std::bit_ceil(std::max(32u, job.experts));
    kept_ = round_up(job.k, 32);
    chunk_rows_ = std::clamp(4096 / width_, 1u, 64u);
    const std::uint32_t floats = chunk_rows_ * width_, results = chunk_rows_ * kept_;
    pipe_.InitBuffer(in_, 2, floats * sizeof(T) + chunk_rows_ * 32);
    pipe_.InitBuffer(out_, 1, results * sizeof(T));
    pipe_.InitBuffer(experts_, 1, results * 4);
    pipe_.InitBuffer(rows_, 1, results * 4);
    pipe_.InitBuffer(work_, (floats + floats / 7 + 64 + 9 * round_up(chunk_rows_, 8)) * 4);
    pipe_.InitBuffer(sorting_, (5 * floats + 2 * results) * 4);
    x_ = work_.template Get<float>();
    folds_ = x_[floats];
    numbers_ = folds_[round_up(floats / 7 + 8, 8)];
    blocks_ = numbers_[round_up(chunk_rows_, 8)];
    positions_ = sorting_.template Get<float>().template ReinterpretCast<std::uint32_t>();
    runs_[0] = sorting_.template Get<float>()[floats];
    runs_[1] = runs_[0][2 * floats];
    values_ = runs_[1][2 * floats];
    row_numbers_ = values_[results].template ReinterpretCast<std::int32_t>();
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const auto positions = positions_.ReinterpretCast<std::int32_t>();
    CreateVecIndex(positions, 0, width_);
    Duplicate(row_numbers_, 0, static_cast<std::int32_t>(kept_));
    // Each step does as many rows as there are already.
    for (std::uint32_t rows = 1; rows < chunk_rows_; rows *= 2) {
      const std::uint32_t more = std::min(rows, chunk_rows_ - rows);
      Adds(positions[rows * width_], positions, 0, static_cast<std::int32_t>(more * width_));
      Adds(row_numbers_[rows * kept_], row_numbers_, static_cast<std::int32_t>(rows),
           static_cast<std::int32_t>(more * kept_));
    }
    const Share mine = share_of(job_.rows, core, cores);
    for (std::uint64_t row = mine.begin; row < mine.end; row += chunk_rows_) {
      const auto rows =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_rows_, mine.end - row));
      load(row, rows);
      softmax(rows);
      select(row, rows);
      leave(out_, gm_.out, row, rows);
      leave(experts_, gm_.experts, row, rows);
      leave(rows_, gm_.rows, row, rows);
    }
  }

 private:
  void load(std::uint64_t row, std::uint32_t rows) {
    const auto bytes = static_cast<std::uint32_t>(job_.experts * sizeof(T));
    const auto gap = static_cast<std::uint32_t>(width_ * sizeof(T)) / 32 - round_up(bytes, 32) / 32;
    auto in = in_.template AllocTensor<T>();
    DataCopyPad(in, global(gm_.scores, std::uint64_t{job_.rows} * job_.experts)[row * job_.experts],
                DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, 0, gap, 0),
                DataCopyPadExtParams<T>{});
    if (job_.finished) {
      const auto flags = in[chunk_rows_ * width_].template ReinterpretCast<std::uint8_t>();
      DataCopyPad(flags, global(gm_.finished, job_.rows)[row], DataCopyExtParams(1, rows, 0, 0, 0),
                  DataCopyPadExtParams<std::uint8_t>{});
    }
    in_.EnQue(in);
    in = in_.template DeQue<T>();
    if constexpr (sizeof(T) == 4) {
      Muls(x_, in, 1.0f, static_cast<std::int32_t>(rows * width_));
    } else {
      Cast(x_, in, RoundMode::CAST_NONE, rows * width_);
    }
    in_.FreeTensor(in);
    hide_padding(rows);
  }

  /// Columns behind the last expert come last in the order and count nothing.
  void hide_padding(std::uint32_t rows) {
    constexpr std::uint32_t kLanes = 64;
    if (job_.experts == width_) return;
    const std::uint32_t lanes = std::min(kLanes, width_);
    for (std::uint32_t col = job_.experts / lanes * lanes; col < width_; col += lanes) {
      const std::uint32_t kept = job_.experts > col ? job_.experts - col : 0;
      const std::uint64_t all = lanes == kLanes ? ~std::uint64_t{0} : (1ull << lanes) - 1;
      const std::uint64_t mask[2] = {all & (~std::uint64_t{0} << kept), 0};
      Duplicate(x_[col], -1e30f, mask, static_cast<std::uint8_t>(rows), 1,
                static_cast<std::uint8_t>(width_ / 8));
    }
  }

  void softmax(std::uint32_t rows) {
    using namespace kernel_common;
    RowMaxima(numbers_, x_, folds_, rows, width_);
    SpreadNumbers(blocks_, numbers_, rows);
    WithNumbers<SubOp>(x_, x_, blocks_, rows, width_);
    PipeBarrier<PIPE_V>();
    Exp(x_, x_, static_cast<std::int32_t>(rows * width_));
    PipeBarrier<PIPE_V>();
    RowSums(numbers_, x_, folds_, rows, width_);
    SpreadNumbers(blocks_, numbers_, rows);
    WithNumbers<DivOp>(x_, x_, blocks_, rows, width_);
    PipeBarrier<PIPE_V>();
  }

  /// Runs of 32 pairs, then four into one, or two, until a row is one run.
  LocalTensor<float> sort(std::uint32_t rows) {
    constexpr std::uint32_t kRun = 32, kMostRepeats = 255;
    const std::uint32_t runs = rows * width_ / kRun;
    for (std::uint32_t done = 0; done < runs; done += kMostRepeats) {
      Sort32(runs_[0][done * kRun * 2], x_[done * kRun], positions_[done * kRun],
             static_cast<std::int32_t>(std::min(kMostRepeats, runs - done)));
    }
    PipeBarrier<PIPE_V>();
    std::uint32_t turn = 0;
    for (std::uint32_t run = kRun; run < width_;) {
      const std::uint32_t queues = std::min(4u, width_ / run);
      merge(runs_[1 - turn], runs_[turn], rows * width_, run, queues);
      PipeBarrier<PIPE_V>();
      turn = 1 - turn;
      run *= queues;
    }
    return runs_[turn];
  }

  /// Only merges of four queues can be repeated.
  void merge(const LocalTensor<float>& to, const LocalTensor<float>& from, std::uint32_t pairs,
             std::uint32_t run, std::uint32_t queues) {
    const std::uint32_t merged = queues * run, most = queues == 4 ? 255 : 1;
    const auto length = static_cast<std::uint16_t>(run);
    const std::uint16_t lengths[4] = {length, length, length, length};
    for (std::uint32_t done = 0; done < pairs; done += most * merged) {
      const auto repeats = static_cast<std::uint16_t>(std::min(most, (pairs - done) / merged));
      const auto queue = [&](std::uint32_t i) { return from[2 * (done + i % queues * run)]; };
      MrgSort(
          to[2 * done], {queue(0), queue(1), queue(2), queue(3)},
          MrgSort4Info(lengths, false, static_cast<std::uint16_t>((1u << queues) - 1), repeats));
    }
  }

  void select(std::uint64_t row, std::uint32_t rows) {
    auto experts = experts_.template AllocTensor<std::int32_t>();
    auto numbers = rows_.template AllocTensor<std::int32_t>();
    const LocalTensor<float> sorted = sort(rows);
    // The first pairs of each row: scores, then experts.
    std::uint64_t kept = 0;
    const GatherMaskParams each_row(1, static_cast<std::uint16_t>(rows),
                                    static_cast<std::uint16_t>(width_ * 8 / 32), 0);
    GatherMask(values_, sorted, 1, true, 2 * kept_, each_row, kept);
    GatherMask(experts, sorted.ReinterpretCast<std::int32_t>(), 2, true, 2 * kept_, each_row, kept);
    Adds(numbers, row_numbers_, static_cast<std::int32_t>(row),
         static_cast<std::int32_t>(rows * kept_));
    experts_.EnQue(experts);
    rows_.EnQue(numbers);
    auto out = out_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 4) {
      Muls(out, values_, 1.0f, static_cast<std::int32_t>(rows * kept_));
    } else {
      Cast(out, values_, RoundMode::CAST_RINT, rows * kept_);
    }
    out_.EnQue(out);
  }

  template <class U>
  void leave(TQue<TPosition::VECOUT, 1>& queue, U* matrix, std::uint64_t row, std::uint32_t rows) {
    auto part = queue.template DeQue<U>();
    const auto bytes = static_cast<std::uint32_t>(job_.k * sizeof(U));
    const auto gap = static_cast<std::uint32_t>(kept_ * sizeof(U)) / 32 - round_up(bytes, 32) / 32;
    DataCopyPad(global(matrix, std::uint64_t{job_.rows} * job_.k)[row * job_.k], part,
                DataCopyExtParams(static_cast<std::uint16_t>(rows), bytes, gap, 0, 0));
    queue.FreeTensor(part);
  }

  Gating job_;
  Matrices<T> gm_;
  std::uint32_t width_, kept_, chunk_rows_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_, experts_, rows_;
  TBuf<TPosition::VECCALC> work_, sorting_;
  LocalTensor<float> x_, folds_, numbers_, blocks_, runs_[2], values_;
  LocalTensor<std::uint32_t> positions_;
  LocalTensor<std::int32_t> row_numbers_;
};

template <class T>
std::function<traces::LaunchReport()> prepare_as(sim::Device& device, const Params& params) {
  const Gating job = Gating::of(params);
  const std::uint64_t chosen = std::uint64_t{job.rows} * job.k;
  Matrices<T> gm{};
  gm.scores = allocate<T>(device, std::uint64_t{job.rows} * job.experts, "scores");
  gm.finished = allocate<std::uint8_t>(device, job.rows, "finished");
  gm.out = allocate<T>(device, chosen, "out");
  gm.experts = allocate<std::int32_t>(device, chosen, "experts");
  gm.rows = allocate<std::int32_t>(device, chosen, "rows");
  const std::uint32_t cores = vector_cores(device, params);
  return [=, &device] {
    const isa::KernelEntry entry{"moe_gating", isa::KernelType::kAivOnly, nullptr, nullptr};
    return device.launch(entry, cores, {},
                         [=] { GatingCore<T>(job, gm).run(GetBlockIdx(), cores); });
  };
}

std::function<traces::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const std::string type = params.text("type", "half");
  if (type == "float") return prepare_as<float>(device, params);
  if (type == "bfloat16") return prepare_as<bfloat16_t>(device, params);
  return prepare_as<half>(device, params);
}

const KernelRegistrar g_moe_gating(
    {"moe_gating", "the k largest of each row's softmax: rows experts k [type finished cores]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
