// MoeGatingTopKSoftmax: the softmax of each row over its experts, of which the k largest leave with
// the experts' and the row's numbers. As the vendor's kernel by its published structure: where few
// are chosen of experts that fill DataBlocks, or there are fewer than eight, all rows of a tile are
// sorted together and only the first eight of each 32 are merged; else each row is sorted whole.
#include <bit>

#include "bench/silicon/kernels/launch.hpp"
#include "kernels/common/row_reduce.h"

namespace davsim::silicon {
namespace {

using namespace AscendC;
using Floats = LocalTensor<float>;

constexpr std::uint32_t kRun = 32;      ///< elements that one repeat of Sort32 sorts
constexpr std::uint32_t kMostKept = 8;  ///< chosen of a row where rows are merged
constexpr std::uint32_t kMostRepeats = 255, kFloatLanes = 64;

struct Gating {
  std::uint32_t rows, experts, k;
  bool finished;  ///< a flag for each row is read too

  static Gating of(const Params& p) {
    return {p.number("rows"), p.number("experts"), p.number("k"), p.number("finished", 0) != 0};
  }
  bool merged() const {
    return experts < 8 || (experts <= 1024 && experts % 8 == 0 && k <= kMostKept);
  }
  /// Columns of a row in UB: folds of more than 64 take powers of two, and so do merges.
  std::uint32_t width() const {
    if (merged() && experts <= kFloatLanes) return round_up(experts, 8);
    return std::bit_ceil(std::max(kRun, experts));
  }
};

template <class T>
struct Matrices {
  T *scores, *out;
  std::uint8_t* finished;
  std::int32_t *experts, *rows;
};

/// Rows as they come and become probabilities.
template <class T>
class SoftmaxRows {
 public:
  SoftmaxRows(const Gating& job, const Matrices<T>& gm, TPipe& pipe, std::uint32_t rows)
      : job_(job), gm_(gm), width_(job.width()), most_rows_(rows) {
    const std::uint32_t floats = rows * width_;
    pipe.InitBuffer(in_, 2, floats * sizeof(T));
    pipe.InitBuffer(flags_, 2, round_up(rows, 32));
    pipe.InitBuffer(work_, (floats + floats / 7 + 64 + 9 * round_up(rows, 8)) * 4);
    x_ = work_.Get<float>();
    folds_ = x_[floats];
    numbers_ = folds_[round_up(floats / 7 + 8, 8)];
    blocks_ = numbers_[round_up(rows, 8)];
  }

  Floats x() const { return x_; }

  void load(std::uint64_t row, std::uint32_t rows) {
    const auto bytes = static_cast<std::uint32_t>(job_.experts * sizeof(T));
    const auto apart = static_cast<std::uint32_t>(width_ * sizeof(T));
    auto in = in_.template AllocTensor<T>();
    const DataCopyExtParams dense(1, rows * bytes, 0, 0, 0),
        padded(static_cast<std::uint16_t>(rows), bytes, 0, apart / 32 - round_up(bytes, 32) / 32,
               0);
    DataCopyPad(in, global(gm_.scores, std::uint64_t{job_.rows} * job_.experts)[row * job_.experts],
                bytes == apart ? dense : padded, DataCopyPadExtParams<T>{});
    in_.EnQue(in);
    if (!job_.finished) return;
    auto flags = flags_.template AllocTensor<std::uint8_t>();
    DataCopyPad(flags, global(gm_.finished, job_.rows)[row], DataCopyExtParams(1, rows, 0, 0, 0),
                DataCopyPadExtParams<std::uint8_t>{});
    flags_.EnQue(flags);
  }

  void softmax(std::uint32_t rows) {
    using namespace kernel_common;
    widen(rows);
    hide_padding(rows);
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

  /// Experts of rows that are finished become one that does not exist.
  void mark_finished(const LocalTensor<std::int32_t>& experts, std::uint32_t rows) {
    if (!job_.finished) return;
    auto flags = flags_.template DeQue<std::uint8_t>();
    const auto halves = folds_.ReinterpretCast<half>();
    const auto numbers = numbers_.ReinterpretCast<std::int32_t>();
    Cast(halves, flags.template ReinterpretCast<std::int8_t>(), RoundMode::CAST_NONE, rows);
    PipeBarrier<PIPE_V>();
    Cast(numbers, halves, RoundMode::CAST_FLOOR, rows);
    PipeBarrier<PIPE_V>();
    Muls(numbers, numbers, static_cast<std::int32_t>(job_.experts),
         static_cast<std::int32_t>(rows));
    PipeBarrier<PIPE_V>();
    const auto blocks = blocks_.ReinterpretCast<std::int32_t>();
    kernel_common::SpreadNumbers(blocks, numbers, rows);
    Max(experts, experts, blocks, static_cast<std::int32_t>(rows * std::min(job_.k, kMostKept)));
    PipeBarrier<PIPE_V>();
    flags_.FreeTensor(flags);
  }

 private:
  void widen(std::uint32_t rows) {
    auto in = in_.template DeQue<T>();
    if constexpr (sizeof(T) == 4) {
      Muls(x_, in, 1.0f, static_cast<std::int32_t>(rows * width_));
    } else {
      Cast(x_, in, RoundMode::CAST_NONE, rows * width_);
    }
    in_.FreeTensor(in);
  }

  /// Columns behind the last expert come last in the order and count nothing.
  void hide_padding(std::uint32_t rows) {
    const std::uint32_t lanes = std::min(kFloatLanes, width_);
    for (std::uint32_t col = job_.experts / lanes * lanes; col < width_; col += lanes) {
      const std::uint32_t kept = job_.experts > col ? job_.experts - col : 0;
      const std::uint64_t all = lanes == kFloatLanes ? ~std::uint64_t{0} : (1ull << lanes) - 1;
      const std::uint64_t mask[2] = {all & (~std::uint64_t{0} << kept), 0};
      for (std::uint32_t row = 0; row < rows; row += kMostRepeats) {
        Duplicate(x_[row * width_ + col], -1e30f, mask,
                  static_cast<std::uint8_t>(std::min(kMostRepeats, rows - row)), 1,
                  static_cast<std::uint8_t>(width_ / 8));
      }
    }
  }

  const Gating& job_;
  const Matrices<T>& gm_;
  std::uint32_t width_, most_rows_;
  TQue<TPosition::VECIN, 1> in_, flags_;
  TBuf<TPosition::VECCALC> work_;
  Floats x_, folds_, numbers_, blocks_;
};

/// Runs of `length` pairs, sorted each, merged by fours or twos: only fours can be repeated.
void merge(const Floats& to, const Floats& from, std::uint32_t pairs, std::uint32_t length,
           std::uint32_t queues) {
  const std::uint32_t merged = queues * length, most = queues == 4 ? kMostRepeats : 1;
  const auto count = static_cast<std::uint16_t>(length);
  const std::uint16_t lengths[4] = {count, count, count, count};
  for (std::uint32_t done = 0; done < pairs; done += most * merged) {
    const auto repeats = static_cast<std::uint16_t>(std::min(most, (pairs - done) / merged));
    const auto queue = [&](std::uint32_t i) { return from[2 * (done + i % queues * length)]; };
    MrgSort(to[2 * done], {queue(0), queue(1), queue(2), queue(3)},
            MrgSort4Info(lengths, false, static_cast<std::uint16_t>((1u << queues) - 1), repeats));
  }
  PipeBarrier<PIPE_V>();
}

void sort_runs(const Floats& to, const Floats& from, const LocalTensor<std::int32_t>& positions,
               std::uint32_t runs) {
  for (std::uint32_t done = 0; done < runs; done += kMostRepeats) {
    Sort32(to[2 * done * kRun], from[done * kRun],
           positions[done * kRun].ReinterpretCast<std::uint32_t>(),
           static_cast<std::int32_t>(std::min(kMostRepeats, runs - done)));
  }
  PipeBarrier<PIPE_V>();
}

/// What both ways of choosing leave behind: scores, experts and the rows' own numbers.
template <class T>
class Results {
 public:
  Results(const Gating& job, const Matrices<T>& gm, TPipe& pipe, std::uint32_t rows,
          std::uint32_t pitch)
      : job_(job), gm_(gm), pitch_(pitch) {
    pipe.InitBuffer(out_, 1, rows * pitch * 4);
    pipe.InitBuffer(experts_, 1, rows * pitch * 4);
    pipe.InitBuffer(rows_, 1, rows * pitch * 4);
  }

  TQue<TPosition::VECOUT, 1> out_, experts_, rows_;

  template <class U>
  void leave(TQue<TPosition::VECOUT, 1>& queue, U* matrix, std::uint64_t row, std::uint32_t rows) {
    auto part = queue.template DeQue<U>();
    const auto bytes = static_cast<std::uint32_t>(job_.k * sizeof(U));
    const auto gap = static_cast<std::uint32_t>(pitch_ * sizeof(U)) / 32 - round_up(bytes, 32) / 32;
    const DataCopyExtParams dense(1, rows * bytes, 0, 0, 0),
        padded(static_cast<std::uint16_t>(rows), bytes, gap, 0, 0);
    DataCopyPad(global(matrix, std::uint64_t{job_.rows} * job_.k)[row * job_.k], part,
                job_.merged() ? dense : padded);
    queue.FreeTensor(part);
  }
  void leave_rows(std::uint64_t row, std::uint32_t rows) { leave(rows_, gm_.rows, row, rows); }
  void leave_chosen(std::uint64_t row, std::uint32_t rows) {
    leave(out_, gm_.out, row, rows);
    leave(experts_, gm_.experts, row, rows);
  }

  /// Scores of fp32 as they leave.
  void put_scores(const LocalTensor<T>& to, const Floats& from, std::uint32_t count) {
    if constexpr (sizeof(T) == 4) {
      Muls(to, from, 1.0f, static_cast<std::int32_t>(count));
    } else {
      Cast(to, from, RoundMode::CAST_RINT, count);
    }
  }

 private:
  const Gating& job_;
  const Matrices<T>& gm_;
  std::uint32_t pitch_;
};

/// The scalar unit goes on when the vector unit has come this far.
void await_vector() {
  SetFlag<HardEvent::V_S>(EVENT_ID4);
  WaitFlag<HardEvent::V_S>(EVENT_ID4);
}
void vector_awaits_scalar() {
  SetFlag<HardEvent::S_V>(EVENT_ID4);
  WaitFlag<HardEvent::S_V>(EVENT_ID4);
}
/// Eight numbers at most, written by the scalar unit.
void count_up(const LocalTensor<std::int32_t>& to, std::int32_t first, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) to.SetValue(i, first + static_cast<std::int32_t>(i));
}

/// All rows of a tile by the same instructions.
template <class T>
class MergedGating {
 public:
  MergedGating(const Gating& job, const Matrices<T>& gm, std::uint32_t rows)
      : job_(job),
        gm_(gm),
        sorted_(round_up(job.width(), kRun)),
        most_rows_(rows),
        softmax_(job_, gm_, pipe_, rows),
        results_(job_, gm_, pipe_, rows, round_up(job.k, 8)) {
    const std::uint32_t floats = rows * sorted_;
    pipe_.InitBuffer(sorting_, (4 * floats + 64) * 4);
    positions_ = sorting_.Get<float>().template ReinterpretCast<std::int32_t>();
    pairs_ = sorting_.Get<float>()[floats];
    pattern_ = sorting_.Get<float>()[4 * floats].template ReinterpretCast<std::uint32_t>();
  }

  static std::uint32_t bytes_of_row(const Gating& job) {
    const std::uint32_t width = job.width(), sorted = round_up(width, kRun);
    return width * (2 * sizeof(T) + 5) + 64 + sorted * 16 + round_up(job.k, 8) * 12;
  }

  void run(const Share& mine) {
    const auto rows_from = [&](std::uint64_t row) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(most_rows_, mine.end - row));
    };
    softmax_.load(mine.begin, rows_from(mine.begin));
    count_up(pattern_.template ReinterpretCast<std::int32_t>(), 0, 5);
    vector_awaits_scalar();
    for (std::uint64_t row = mine.begin; row < mine.end; row += most_rows_) {
      const std::uint32_t rows = rows_from(row);
      softmax_.softmax(rows);
      number_experts(rows);
      sort(rows);
      number_rows(row, rows);
      results_.leave_rows(row, rows);
      choose(rows);
      if (row + most_rows_ < mine.end) softmax_.load(row + most_rows_, rows_from(row + most_rows_));
      results_.leave_chosen(row, rows);
    }
  }

 private:
  /// 0, 1, 2, ... in every row: eight by the scalar unit, then as many again and again.
  void number_experts(std::uint32_t rows) {
    await_vector();
    count_up(positions_, 0, 8);
    vector_awaits_scalar();
    for (std::uint32_t at = 8; at < sorted_; at += at < kFloatLanes ? 8 : kFloatLanes) {
      const std::uint32_t lanes = std::min(at < kFloatLanes ? 8u : kFloatLanes, sorted_ - at);
      Adds(positions_[at], positions_, static_cast<std::int32_t>(at), std::uint64_t{lanes}, 1,
           {1, 1, 8, 8});
    }
    PipeBarrier<PIPE_V>();
    const auto pitch = static_cast<std::uint16_t>(sorted_ / 8);
    for (std::uint32_t row = 1; row < rows; row += kMostRepeats) {
      const auto repeats = static_cast<std::uint8_t>(std::min(kMostRepeats, rows - row));
      for (std::uint32_t col = 0; col < sorted_; col += kFloatLanes) {
        Copy(positions_[row * sorted_ + col], positions_[col],
             std::uint64_t{std::min(kFloatLanes, sorted_ - col)}, repeats, {1, 1, pitch, 0});
      }
    }
    PipeBarrier<PIPE_V>();
  }

  /// The first eight of each run of 32, four runs into one until a row is one run.
  void sort(std::uint32_t rows) {
    Floats from = softmax_.x();
    if (sorted_ != job_.width()) {
      const auto block = static_cast<std::uint16_t>(job_.width() / 8);
      DataCopy(pairs_, from,
               {static_cast<std::uint16_t>(rows), block, 0,
                static_cast<std::uint16_t>(sorted_ / 8 - block)});
      from = pairs_;
      PipeBarrier<PIPE_V>();
    }
    const std::uint32_t floats = rows * sorted_;
    sorted_pairs_ = pairs_[floats];
    sort_runs(sorted_pairs_, from, positions_, floats / kRun);
    for (std::uint32_t runs = sorted_ / kRun; runs > 1;
         runs = static_cast<std::uint32_t>(ceil_div(runs, 4))) {
      keep_firsts(rows, runs);
      merge(sorted_pairs_, pairs_, rows * static_cast<std::uint32_t>(ceil_div(runs, 4)) * kRun,
            kMostKept, 4);
    }
  }

  void keep_firsts(std::uint32_t rows, std::uint32_t runs) {
    const std::uint32_t lists = round_up(runs, 4);
    if (lists != runs) {
      Duplicate(pairs_, -1.0f, static_cast<std::int32_t>(rows * lists * kMostKept * 2));
      PipeBarrier<PIPE_V>();
    }
    constexpr std::uint16_t kBlocks = kMostKept * 2 / 8;
    for (std::uint32_t i = 0; i < runs; ++i) {
      DataCopy(pairs_[i * kMostKept * 2], sorted_pairs_[i * kRun * 2],
               {static_cast<std::uint16_t>(rows), kBlocks,
                static_cast<std::uint16_t>(runs * kRun * 2 / 8 - kBlocks),
                static_cast<std::uint16_t>(lists * kBlocks - kBlocks)});
    }
    PipeBarrier<PIPE_V>();
  }

  /// The row's number and `job_.rows` more for each choice: counted for eight rows, the rows behind
  /// them are eight more each.
  void number_rows(std::uint64_t row, std::uint32_t rows) {
    auto numbers = results_.rows_.template AllocTensor<std::int32_t>();
    for (std::uint32_t r = 0; r < std::min(8u, rows); ++r) {
      ArithProgression(numbers[r * job_.k], static_cast<std::int32_t>(row + r),
                       static_cast<std::int32_t>(job_.rows), static_cast<std::int32_t>(job_.k));
    }
    vector_awaits_scalar();
    for (std::uint32_t r = 8; r < rows; r += 8) {
      Adds(numbers[r * job_.k], numbers, static_cast<std::int32_t>(r),
           static_cast<std::int32_t>(std::min(8u, rows - r) * job_.k));
    }
    results_.rows_.EnQue(numbers);
  }

  /// The first k pairs of each row: scores, then experts.
  void choose(std::uint32_t rows) {
    auto experts = results_.experts_.template AllocTensor<std::int32_t>();
    auto out = results_.out_.template AllocTensor<T>();
    std::uint64_t kept = 0;
    const GatherMaskParams each_row(1, static_cast<std::uint16_t>(rows), kRun * 2 / 8, 0);
    GatherMask(pairs_, sorted_pairs_, pattern_, true, kFloatLanes, each_row, kept);
    GatherMask(experts, sorted_pairs_.ReinterpretCast<std::int32_t>(), pattern_, true, kFloatLanes,
               each_row, kept);
    PipeBarrier<PIPE_V>();
    softmax_.mark_finished(experts, rows);
    results_.put_scores(out, pairs_, rows * job_.k);
    results_.experts_.EnQue(experts);
    results_.out_.EnQue(out);
  }

  Gating job_;
  Matrices<T> gm_;
  std::uint32_t sorted_, most_rows_;  ///< columns of a row where it is sorted; rows of a tile
  TPipe pipe_;
  SoftmaxRows<T> softmax_;
  Results<T> results_;
  TBuf<TPosition::VECCALC> sorting_;
  LocalTensor<std::int32_t> positions_;
  LocalTensor<std::uint32_t> pattern_;
  Floats pairs_, sorted_pairs_;
};

/// The softmax of a tile, then each row sorted by itself.
template <class T>
class GatingByRow {
 public:
  GatingByRow(const Gating& job, const Matrices<T>& gm, std::uint32_t rows)
      : job_(job),
        gm_(gm),
        pitch_(round_up(job.k, 16)),
        most_rows_(rows),
        softmax_(job_, gm_, pipe_, rows),
        results_(job_, gm_, pipe_, rows, pitch_) {
    const std::uint32_t width = job.width();
    pipe_.InitBuffer(sorting_, (5 * width + rows * pitch_) * 4);
    positions_ = sorting_.Get<float>().template ReinterpretCast<std::int32_t>();
    runs_[0] = sorting_.Get<float>()[width];
    runs_[1] = runs_[0][2 * width];
    values_ = runs_[1][2 * width];
  }

  static std::uint32_t bytes_of_row(const Gating& job) {
    return job.width() * (2 * sizeof(T) + 5) + 64 + round_up(job.k, 16) * 16;
  }

  void run(const Share& mine) {
    for (std::uint64_t row = mine.begin; row < mine.end; row += most_rows_) {
      const auto rows =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(most_rows_, mine.end - row));
      softmax_.load(row, rows);
      softmax_.softmax(rows);
      CreateVecIndex(positions_, 0, job_.width());
      PipeBarrier<PIPE_V>();
      choose(rows);
      results_.leave_chosen(row, rows);
      number_rows(row, rows);
      results_.leave_rows(row, rows);
    }
  }

 private:
  void choose(std::uint32_t rows) {
    auto experts = results_.experts_.template AllocTensor<std::int32_t>();
    for (std::uint32_t r = 0; r < rows; ++r) {
      const Floats sorted = sort(softmax_.x()[r * job_.width()]);
      std::uint64_t kept = 0;
      const GatherMaskParams firsts(1, 1, 0, 0);
      GatherMask(values_[r * pitch_], sorted, 1, true, 2 * job_.k, firsts, kept);
      GatherMask(experts[r * pitch_], sorted.ReinterpretCast<std::int32_t>(), 2, true, 2 * job_.k,
                 firsts, kept);
      PipeBarrier<PIPE_V>();
    }
    auto out = results_.out_.template AllocTensor<T>();
    results_.put_scores(out, values_, rows * pitch_);
    results_.experts_.EnQue(experts);
    results_.out_.EnQue(out);
  }

  Floats sort(const Floats& row) {
    const std::uint32_t width = job_.width();
    sort_runs(runs_[0], row, positions_, width / kRun);
    std::uint32_t turn = 0;
    for (std::uint32_t run = kRun; run < width;) {
      const std::uint32_t queues = std::min(4u, width / run);
      merge(runs_[1 - turn], runs_[turn], width, run, queues);
      turn = 1 - turn;
      run *= queues;
    }
    return runs_[turn];
  }

  void number_rows(std::uint64_t row, std::uint32_t rows) {
    auto numbers = results_.rows_.template AllocTensor<std::int32_t>();
    await_vector();
    ArithProgression(numbers, static_cast<std::int32_t>(row), static_cast<std::int32_t>(job_.rows),
                     static_cast<std::int32_t>(job_.k));
    PipeBarrier<PIPE_V>();
    for (std::uint32_t r = 1; r < rows; ++r) {
      Adds(numbers[r * pitch_], numbers, static_cast<std::int32_t>(r),
           static_cast<std::int32_t>(job_.k));
    }
    results_.rows_.EnQue(numbers);
  }

  Gating job_;
  Matrices<T> gm_;
  std::uint32_t pitch_, most_rows_;  ///< of a row of results in UB; rows of a tile
  TPipe pipe_;
  SoftmaxRows<T> softmax_;
  Results<T> results_;
  TBuf<TPosition::VECCALC> sorting_;
  LocalTensor<std::int32_t> positions_;
  Floats runs_[2], values_;
};

/// A core's rows in as few tiles of even size as UB allows.
template <class Core, class T>
void gate(const Gating& job, const Matrices<T>& gm, std::uint32_t cores) {
  constexpr std::uint32_t kRoom = 180 * 1024;
  const auto each = static_cast<std::uint32_t>(ceil_div(job.rows, cores));
  const std::uint64_t begin = GetBlockIdx() * std::uint64_t{each};
  if (begin >= job.rows) return;
  const std::uint32_t fit = std::max(1u, (kRoom - 20 * job.width()) / Core::bytes_of_row(job));
  const auto rows = static_cast<std::uint32_t>(ceil_div(each, ceil_div(each, fit)));
  Core(job, gm, rows).run({begin, std::min<std::uint64_t>(job.rows, begin + each)});
}

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const Gating job = Gating::of(params);
  const std::uint64_t chosen = std::uint64_t{job.rows} * job.k;
  Matrices<T> gm{};
  gm.scores = allocate<T>(device, std::uint64_t{job.rows} * job.experts, "scores");
  gm.finished = allocate<std::uint8_t>(device, job.rows, "finished");
  gm.out = allocate<T>(device, chosen, "out");
  gm.experts = allocate<std::int32_t>(device, chosen, "experts");
  gm.rows = allocate<std::int32_t>(device, chosen, "rows");
  const std::uint32_t cores = vector_cores(device, params);
  return vector_launch(device, params, "moe_gating", cores, [=] {
    if (job.merged()) {
      gate<MergedGating<T>>(job, gm, cores);
    } else {
      gate<GatingByRow<T>>(job, gm, cores);
    }
  });
}

const KernelRegistrar g_moe_gating(
    {"moe_gating",
     "the k largest of each row's softmax: rows experts k [type finished cores tiling]",
     [](sim::Device& device, const Params& params) {
       return with_type(params,
                        [&](auto type) { return prepare_as<decltype(type)>(device, params); });
     }});

}  // namespace
}  // namespace davsim::silicon
