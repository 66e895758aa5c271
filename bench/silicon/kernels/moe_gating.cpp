// MoeGatingTopKSoftmax: the softmax of each row over its experts, of which the k largest leave with
// the experts' and the row's numbers. As the vendor's kernel by its published structure: where few
// are chosen of experts that fill DataBlocks, or there are fewer than eight, all rows of a tile are
// sorted together and only the first eight of each 32 are merged, by basic calls; else by SoftMax
// and TopK of the high-level API.
#include "bench/silicon/kernels/moe_gating.hpp"
#include "bench/silicon/kernels/moe_gating_library.hpp"

namespace davsim::silicon {
namespace {

using namespace gating;

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
        results_(job_, gm_) {
    const std::uint32_t floats = rows * sorted_;
    results_.init_rows(pipe_, rows);
    pipe_.InitBuffer(chosen_, 1, 2 * rows * round_up(job.k, 8) * 4);
    pipe_.InitBuffer(sorting_, (4 * floats + 64) * 4);
    positions_ = sorting_.Get<float>().template ReinterpretCast<std::int32_t>();
    pairs_ = sorting_.Get<float>()[floats];
    pattern_ = sorting_.Get<float>()[4 * floats].template ReinterpretCast<std::uint32_t>();
  }

  static std::uint32_t bytes_of_row(const Gating& job) {
    const std::uint32_t width = job.width(), sorted = round_up(width, kRun);
    const std::uint32_t in = SoftmaxRows<T>::pitch(job) * 2 * std::uint32_t{sizeof(T)};
    return in + width * 5 + 64 + sorted * 16 + round_up(job.k, 8) * 12;
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
      auto chosen = chosen_.template AllocTensor<std::int32_t>();
      softmax_.softmax(rows);
      if (largest_alone()) {
        take_largest(rows);
      } else {
        sort(rows);
      }
      number_rows(row, rows);
      results_.leave_rows(row, rows);
      choose(chosen, rows);
      chosen_.EnQue(chosen);
      if (row + most_rows_ < mine.end) softmax_.load(row + most_rows_, rows_from(row + most_rows_));
      leave_chosen(row, rows);
    }
  }

 private:
  /// One of few experts is found by a reduction.
  bool largest_alone() const { return job_.k == 1 && job_.width() <= kFloatLanes; }

  /// Pairs of each row's largest number and its place, as far apart as sorted runs.
  void take_largest(std::uint32_t rows) {
    sorted_pairs_ = pairs_[rows * sorted_];
    const auto width = static_cast<std::int32_t>(job_.width());
    for (std::uint32_t row = 0; row < rows; row += kMostRepeats) {
      const auto repeats = static_cast<std::int32_t>(std::min(kMostRepeats, rows - row));
      WholeReduceMax(sorted_pairs_[2 * row * kRun], softmax_.x()[row * job_.width()], width,
                     repeats, static_cast<std::int32_t>(kRun), 1, width / 8,
                     ReduceOrder::ORDER_VALUE_INDEX);
    }
    PipeBarrier<PIPE_V>();
  }

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
    spread_rows(rows);
    number_experts(rows);
    const std::uint32_t floats = rows * sorted_;
    sorted_pairs_ = pairs_[floats];
    sort_runs(sorted_pairs_, pairs_, positions_, floats / kRun);
    for (std::uint32_t runs = sorted_ / kRun; runs > 1;) {
      const std::uint32_t merges = merges_of(runs);
      keep_firsts(rows, runs, 4 * merges);
      merge(sorted_pairs_, pairs_, rows * merges * kRun, kMostKept, 4);
      runs = merges;
    }
  }

  /// The rows as whole runs, filled up with what is smaller than every probability.
  void spread_rows(std::uint32_t rows) {
    const auto block = static_cast<std::uint16_t>(job_.width() / 8);
    DataCopy(pairs_, softmax_.x(),
             {static_cast<std::uint16_t>(rows), block, 0,
              static_cast<std::uint16_t>(sorted_ / 8 - block)});
    PipeBarrier<PIPE_V>();
    const std::uint32_t padding = sorted_ - job_.experts;
    if (padding == 0) return;
    const std::uint64_t mask[2] = {((std::uint64_t{1} << padding) - 1) << (kRun - padding), 0};
    for (std::uint32_t row = 0; row < rows; row += kMostRepeats) {
      Duplicate(pairs_[row * sorted_ + sorted_ - kRun], -1.0f, mask,
                static_cast<std::uint8_t>(std::min(kMostRepeats, rows - row)), 1,
                static_cast<std::uint8_t>(sorted_ / 8));
    }
    PipeBarrier<PIPE_V>();
  }

  /// Merges of four runs for each row. The second of two steps is one merge, whatever the first
  /// was.
  static constexpr std::uint32_t merges_of(std::uint32_t runs) {
    if (runs <= 4) return 1;
    return runs <= 16 ? 4 : static_cast<std::uint32_t>(ceil_div(runs, 4));
  }

  void keep_firsts(std::uint32_t rows, std::uint32_t runs, std::uint32_t lists) {
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
  void choose(const LocalTensor<std::int32_t>& chosen, std::uint32_t rows) {
    const LocalTensor<std::int32_t> experts = experts_of(chosen);
    std::uint64_t kept = 0;
    const GatherMaskParams each_row(1, static_cast<std::uint16_t>(rows), kRun * 2 / 8, 0);
    GatherMask(pairs_, sorted_pairs_, pattern_, true, kFloatLanes, each_row, kept);
    GatherMask(experts, sorted_pairs_.ReinterpretCast<std::int32_t>(), pattern_, true, kFloatLanes,
               each_row, kept);
    PipeBarrier<PIPE_V>();
    softmax_.mark_finished(experts, rows, pattern_);
    results_.put_scores(chosen.ReinterpretCast<T>(), pairs_, rows * job_.k);
  }

  LocalTensor<std::int32_t> experts_of(const LocalTensor<std::int32_t>& chosen) const {
    return chosen[most_rows_ * round_up(job_.k, 8)];
  }

  /// Both leave from one buffer.
  void leave_chosen(std::uint64_t row, std::uint32_t rows) {
    auto chosen = chosen_.template DeQue<std::int32_t>();
    results_.put(gm_.out, chosen.template ReinterpretCast<T>(), row, rows);
    results_.put(gm_.experts, experts_of(chosen), row, rows);
    chosen_.FreeTensor(chosen);
  }

  Gating job_;
  Matrices<T> gm_;
  std::uint32_t sorted_, most_rows_;  ///< columns of a row where it is sorted; rows of a tile
  TPipe pipe_;
  SoftmaxRows<T> softmax_;
  Results<T> results_;
  TQue<TPosition::VECOUT, 1> chosen_;
  TBuf<TPosition::VECCALC> sorting_;
  LocalTensor<std::int32_t> positions_;
  LocalTensor<std::uint32_t> pattern_;
  Floats pairs_, sorted_pairs_;
};

/// A core's rows in as few tiles of even size as `room` bytes of UB allow.
template <class Core, class T>
void gate(const Gating& job, const Matrices<T>& gm, std::uint32_t cores, std::uint32_t room) {
  const auto each = static_cast<std::uint32_t>(ceil_div(job.rows, cores));
  const std::uint64_t begin = GetBlockIdx() * std::uint64_t{each};
  const std::uint32_t fit = std::max(1u, (room - 20 * job.width()) / Core::bytes_of_row(job));
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
  const std::uint32_t cores = busy_cores(job.rows, vector_cores(device, params));
  return vector_launch(device, params, "moe_gating", {.tiling = job.merged() ? 72u : 588u}, cores,
                       [=] {
                         if (job.merged()) {
                           gate<MergedGating<T>>(job, gm, cores, 180 * 1024);
                         } else {
                           gate<LibraryGating<T>>(job, gm, cores, 96 * 1024);
                         }
                       });
}

Kernel moe_gating() {
  Kernel kernel = typed_kernel(
      "moe_gating",
      "the k largest of each row's softmax: rows experts k [type finished cores tiling]",
      []<class T>(sim::Device& device, const Params& params) {
        return prepare_as<T>(device, params);
      });
  kernel.high_level = [](const Params& params) -> std::string {
    return Gating::of(params).merged() ? "" : "SoftMax, TopK";
  };
  return kernel;
}

const KernelRegistrar g_moe_gating(moe_gating());

}  // namespace
}  // namespace davsim::silicon
