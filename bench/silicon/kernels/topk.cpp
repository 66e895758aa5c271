// The largest elements of each row of a matrix, by the sorting instructions: 32 elements at a time
// (Sort32), then runs of four times the length (MrgSort), then scores and indices apart.
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/kernels/row_copies.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// Rows of `cols` elements, `pitch` apart; the `k` largest of each leave.
struct TopK {
  static constexpr std::uint32_t kSorted = 32;  ///< elements that Sort32 sorts

  std::uint32_t rows, cols, pitch, k;

  /// Throws std::invalid_argument if rows overlap or have fewer than `k` elements.
  static TopK of(const Params& p) {
    const std::uint32_t cols = p.size("cols");
    const TopK job{p.size("rows"), cols, p.number("pitch", cols), p.size("k")};
    if (job.k > cols || job.pitch < cols) {
      throw std::invalid_argument(
          "topk: k=" + std::to_string(job.k) + " pitch=" + std::to_string(job.pitch) +
          "; of cols=" + std::to_string(cols) + " k is 1 to all, and the pitch no less");
    }
    return job;
  }
  /// Elements of a row where it is sorted.
  std::uint32_t sorted() const { return round_up(cols, kSorted); }
};

/// How many rows a core takes at a time, and in how many sets of buffers that take turns.
struct RowsAtATime {
  std::uint32_t rows, sets;

  /// As many as fit into UB. Throws std::invalid_argument if no row does.
  static RowsAtATime of(const TopK& job, std::uint32_t type_bytes) {
    constexpr std::uint32_t kRoom = 191 * 1024, kPair = 8;
    const std::uint32_t sorted = job.sorted(), chosen = round_up(job.k, TopK::kSorted);
    const std::uint32_t of_row = sorted * (type_bytes + kPair) + chosen * (kPair + type_bytes + 4);
    const auto needed = [&](const RowsAtATime& at) {
      return sorted * 4 + at.sets * (at.rows * of_row + sorted * kPair);
    };
    for (const RowsAtATime at : {RowsAtATime{2, 2}, RowsAtATime{1, 2}, RowsAtATime{1, 1}}) {
      if (needed(at) <= kRoom) return at;
    }
    throw std::invalid_argument("topk: a row of " + std::to_string(job.cols) + " needs " +
                                std::to_string(needed({1, 1})) + " bytes of UB; there are " +
                                std::to_string(kRoom));
  }
};

/// What lies in global memory.
template <class T>
struct Matrices {
  T *scores, *values;
  std::uint32_t *positions, *indices;
};

template <class T>
class TopKCore {
 public:
  TopKCore(const TopK& job, const Matrices<T>& gm)
      : job_(job), gm_(gm), at_a_time_(RowsAtATime::of(job, sizeof(T))) {
    const std::uint32_t rows = at_a_time_.rows, sorted = job.sorted();
    const std::uint32_t chosen = round_up(job.k, TopK::kSorted);
    positions_ = take<std::uint32_t>(sorted);
    for (std::uint32_t id = 0; id < at_a_time_.sets; ++id) {
      sets_[id] = {take<T>(rows * sorted),        take<T>(rows * pairs(sorted)),
                   take<T>(rows * pairs(chosen)), take<T>(pairs(sorted)),
                   take<T>(rows * chosen),        take<std::uint32_t>(rows * chosen)};
    }
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    DataCopyPad(positions_, global(gm_.positions, job_.cols),
                DataCopyExtParams(1, job_.cols * 4, 0, 0, 0),
                DataCopyPadExtParams<std::uint32_t>{});
    for (std::uint32_t id = 0; id < at_a_time_.sets; ++id) release(static_cast<TEventID>(id));
    const Share mine = share_of(job_.rows, core, cores);
    std::uint32_t id = 0;
    for (std::uint64_t row = mine.begin; row < mine.end; row += at_a_time_.rows) {
      const std::uint64_t rows = std::min<std::uint64_t>(at_a_time_.rows, mine.end - row);
      few(row, static_cast<std::uint32_t>(rows), sets_[id], static_cast<TEventID>(id));
      id = (id + 1) % at_a_time_.sets;
    }
    for (id = 0; id < at_a_time_.sets; ++id) {
      WaitFlag<HardEvent::V_MTE2>(static_cast<TEventID>(id));
      WaitFlag<HardEvent::MTE3_V>(static_cast<TEventID>(id));
    }
  }

 private:
  static constexpr std::uint32_t kPair = 8 / sizeof(T);  ///< a score and its index, in T

  struct Buffers {
    LocalTensor<T> in, sorted, largest, room, values;
    LocalTensor<std::uint32_t> indices;
  };

  static std::uint32_t pairs(std::uint32_t elements) { return elements * kPair; }
  template <class U>
  LocalTensor<U> take(std::uint32_t elements) {
    const std::uint32_t at = taken_;
    taken_ += round_up(elements * sizeof(U), 32);
    return local<U>(TPosition::VECCALC, at, elements);
  }
  static void release(TEventID set) {
    SetFlag<HardEvent::V_MTE2>(set);
    SetFlag<HardEvent::MTE3_V>(set);
  }

  void few(std::uint64_t row, std::uint32_t rows, const Buffers& set, TEventID id) {
    const std::uint32_t sorted = job_.sorted(), chosen = round_up(job_.k, TopK::kSorted);
    WaitFlag<HardEvent::V_MTE2>(id);
    const RowCopies copies{rows, job_.cols, job_.pitch, sorted};
    copies.load(set.in,
                global(gm_.scores, std::uint64_t{job_.rows} * job_.pitch)[row * job_.pitch]);
    SetFlag<HardEvent::MTE2_V>(id);
    WaitFlag<HardEvent::MTE2_V>(id);
    hide_padding(set.in, rows);
    for (std::uint32_t i = 0; i < rows; ++i) sort_runs(set, i);
    SetFlag<HardEvent::V_MTE2>(id);
    for (std::uint32_t i = 0; i < rows; ++i) {
      merge(set.sorted[i * pairs(sorted)], set.room);
      DataCopy(set.largest[i * pairs(chosen)], set.sorted[i * pairs(sorted)],
               pairs(round_up(job_.k, 4)));
    }
    PipeBarrier<PIPE_V>();
    WaitFlag<HardEvent::MTE3_V>(id);
    take_apart(rows, set);
    SetFlag<HardEvent::V_MTE3>(id);
    WaitFlag<HardEvent::V_MTE3>(id);
    leave(gm_.values, set.values, row, rows);
    leave(gm_.indices, set.indices, row, rows);
    SetFlag<HardEvent::MTE3_V>(id);
  }

  /// An instruction sorts up to 255 runs.
  void sort_runs(const Buffers& set, std::uint32_t row) {
    constexpr std::uint32_t kMost = 255 * TopK::kSorted;
    const std::uint32_t sorted = job_.sorted();
    for (std::uint32_t at = 0; at < sorted; at += kMost) {
      Sort32(set.sorted[pairs(row * sorted + at)], set.in[row * sorted + at], positions_[at],
             static_cast<std::int32_t>(std::min(kMost, sorted - at) / TopK::kSorted));
      PipeBarrier<PIPE_V>();
    }
  }

  /// What is behind the last element of a row comes last in the order.
  void hide_padding(const LocalTensor<T>& in, std::uint32_t rows) {
    const std::uint32_t sorted = job_.sorted(), padding = sorted - job_.cols;
    if (padding == 0) return;
    const std::uint64_t mask[2] = {((std::uint64_t{1} << padding) - 1) << (TopK::kSorted - padding),
                                   0};
    for (std::uint32_t i = 0; i < rows; ++i) {
      Duplicate(in[(i + 1) * sorted - TopK::kSorted], T(-65504.0f), mask, 1, 1, 8);
    }
    PipeBarrier<PIPE_V>();
  }

  /// Sorts the pairs of a row: four runs at a time, back to where they were, as long as four runs
  /// fit the row; what is left one run after the other, of which no more than `k` pairs matter.
  void merge(const LocalTensor<T>& row, const LocalTensor<T>& room) {
    const std::uint32_t cols = job_.sorted();
    std::uint32_t run = TopK::kSorted;
    for (; run * 4 <= cols; run *= 4) {
      const auto runs = static_cast<std::uint16_t>(cols / (run * 4));
      const auto length = static_cast<std::uint16_t>(run);
      const std::uint16_t lengths[] = {length, length, length, length};
      MrgSort(room,
              MrgSortSrcList<T>(row, row[pairs(run)], row[pairs(2 * run)], row[pairs(3 * run)]),
              MrgSort4Info(lengths, false, 15, runs));
      PipeBarrier<PIPE_V>();
      DataCopy(row, room, pairs(runs * run * 4));
      PipeBarrier<PIPE_V>();
    }
    std::uint32_t merged = std::min(run, cols);
    for (; merged < cols; merged += run) {
      while (merged + run > cols) run /= 4;
      const std::uint32_t first = std::min(merged, job_.k), second = std::min(run, job_.k);
      const std::uint16_t lengths[] = {static_cast<std::uint16_t>(first),
                                       static_cast<std::uint16_t>(second), 0, 0};
      MrgSort(room, MrgSortSrcList<T>(row, row[pairs(merged)], row, row),
              MrgSort4Info(lengths, false, 3, 1));
      PipeBarrier<PIPE_V>();
      DataCopy(row, room, pairs(round_up(first + second, 4)));
      PipeBarrier<PIPE_V>();
    }
  }

  /// Scores and indices apart.
  void take_apart(std::uint32_t rows, const Buffers& set) {
    // Fixed patterns: 1 takes the first of two elements, 2 the second, 3 the first of four.
    constexpr std::uint8_t kScores = sizeof(T) == 2 ? 3 : 1, kIndices = 2;
    std::uint64_t taken = 0;
    const std::uint32_t chosen = round_up(job_.k, TopK::kSorted);
    const auto repeats = static_cast<std::uint16_t>(chosen / TopK::kSorted);
    for (std::uint32_t i = 0; i < rows; ++i) {
      GatherMask(set.values[i * chosen], set.largest[i * pairs(chosen)], kScores, false, 0,
                 {1, repeats, 8, 0}, taken);
    }
    PipeBarrier<PIPE_V>();
    for (std::uint32_t i = 0; i < rows; ++i) {
      GatherMask(set.indices[i * chosen],
                 set.largest[i * pairs(chosen)].template ReinterpretCast<std::uint32_t>(), kIndices,
                 false, 0, {1, repeats, 8, 0}, taken);
    }
  }

  template <class U>
  void leave(U* matrix, const LocalTensor<U>& part, std::uint64_t row, std::uint32_t rows) {
    const RowCopies copies{rows, job_.k, job_.k, round_up(job_.k, TopK::kSorted)};
    copies.store(global(matrix, std::uint64_t{job_.rows} * job_.k)[row * job_.k], part);
  }

  TopK job_;
  Matrices<T> gm_;
  RowsAtATime at_a_time_;
  std::uint32_t taken_ = 0;
  LocalTensor<std::uint32_t> positions_;
  Buffers sets_[2];
};

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const TopK job = TopK::of(params);
  RowsAtATime::of(job, sizeof(T));
  const std::uint64_t in = std::uint64_t{job.rows} * job.pitch,
                      out = std::uint64_t{job.rows} * job.k;
  Matrices<T> gm{};
  gm.scores = allocate<T>(device, in, "scores");
  gm.values = allocate<T>(device, out, "values");
  gm.positions = allocate<std::uint32_t>(device, job.cols, "positions");
  gm.indices = allocate<std::uint32_t>(device, out, "indices");
  const std::uint32_t cores = vector_cores(device, params);
  return vector_launch(device, params, "topk", {}, cores,
                       [=] { TopKCore<T>(job, gm).run(GetBlockIdx(), cores); });
}

Launch prepare(sim::Device& device, const Params& params) {
  const std::string type = params.text("type", "float");
  if (type == "half") return prepare_as<half>(device, params);
  if (type == "float") return prepare_as<float>(device, params);
  throw std::invalid_argument("topk: type=" + type + "; it is half or float");
}

const KernelRegistrar g_topk(
    {"topk", "the k largest of each row by sorting: rows cols k [pitch type cores]", prepare});

}  // namespace
}  // namespace davsim::silicon
