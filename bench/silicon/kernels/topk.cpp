// The largest elements of each row of a matrix, by the sorting instructions: 32 elements at a time
// (Sort32), then runs of four times the length (MrgSort), then scores and indices apart.
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// Rows of `cols` elements, `pitch` apart; the `k` largest of each leave.
struct TopK {
  std::uint32_t rows, cols, pitch, k;

  static TopK of(const Params& p) {
    const std::uint32_t cols = p.number("cols");
    return {p.number("rows"), cols, p.number("pitch", cols), p.number("k")};
  }
};

/// What lies in global memory.
template <class T>
struct Matrices {
  T *scores, *values;
  std::uint32_t *positions, *indices;
};

/// A core takes two rows at a time, in two sets of buffers that take turns.
template <class T>
class TopKCore {
 public:
  TopKCore(const TopK& job, const Matrices<T>& gm) : job_(job), gm_(gm) {
    positions_ = take<std::uint32_t>(job.cols);
    for (Buffers& set : sets_) {
      set = {
          take<T>(kRows * job.cols),       take<T>(kRows * pairs(job.cols)),
          take<T>(kRows * pairs(job.k)),   take<T>(pairs(job.cols)),
          take<T>(kRows * room_of_k<T>()), take<std::uint32_t>(kRows * room_of_k<std::uint32_t>())};
    }
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    DataCopy(positions_, global(gm_.positions, job_.cols), job_.cols);
    for (std::uint32_t id = 0; id < 2; ++id) release(static_cast<TEventID>(id));
    const Share mine = share_of(job_.rows, core, cores);
    std::uint32_t id = 0;
    for (std::uint64_t row = mine.begin; row < mine.end; row += kRows, id ^= 1) {
      few(row, static_cast<std::uint32_t>(std::min<std::uint64_t>(kRows, mine.end - row)),
          sets_[id], static_cast<TEventID>(id));
    }
    for (id = 0; id < 2; ++id) {
      WaitFlag<HardEvent::V_MTE2>(static_cast<TEventID>(id));
      WaitFlag<HardEvent::MTE3_V>(static_cast<TEventID>(id));
    }
  }

 private:
  static constexpr std::uint32_t kRows = 2;
  static constexpr std::uint32_t kSorted = 32;           ///< elements that Sort32 sorts
  static constexpr std::uint32_t kPair = 8 / sizeof(T);  ///< a score and its index, in T

  struct Buffers {
    LocalTensor<T> in, sorted, largest, room, values;
    LocalTensor<std::uint32_t> indices;
  };

  static std::uint32_t pairs(std::uint32_t elements) { return elements * kPair; }
  /// The `k` results of a row, up to whole DataBlocks.
  template <class U>
  std::uint32_t room_of_k() const {
    return round_up(job_.k, 32 / sizeof(U));
  }
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
    WaitFlag<HardEvent::V_MTE2>(id);
    const auto from = global(gm_.scores, std::uint64_t{job_.rows} * job_.pitch)[row * job_.pitch];
    DataCopy(set.in, from,
             DataCopyParams(static_cast<std::uint16_t>(rows), blocks(job_.cols),
                            blocks(job_.pitch - job_.cols), 0));
    SetFlag<HardEvent::MTE2_V>(id);
    WaitFlag<HardEvent::MTE2_V>(id);
    for (std::uint32_t i = 0; i < rows; ++i) {
      Sort32(set.sorted[i * pairs(job_.cols)], set.in[i * job_.cols], positions_,
             static_cast<std::int32_t>(job_.cols / kSorted));
      PipeBarrier<PIPE_V>();
    }
    SetFlag<HardEvent::V_MTE2>(id);
    for (std::uint32_t i = 0; i < rows; ++i) {
      merge(set.sorted[i * pairs(job_.cols)], set.room);
      DataCopy(set.largest[i * pairs(job_.k)], set.sorted[i * pairs(job_.cols)], pairs(job_.k));
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

  static std::uint16_t blocks(std::uint32_t elements) {
    return static_cast<std::uint16_t>(elements * sizeof(T) / 32);
  }

  /// Sorts the pairs of a row: four runs at a time, back to where they were, as long as four runs
  /// fit the row; what is left one run after the other, of which no more than `k` pairs matter.
  void merge(const LocalTensor<T>& row, const LocalTensor<T>& room) {
    std::uint32_t run = kSorted;
    for (; run * 4 <= job_.cols; run *= 4) {
      const auto runs = static_cast<std::uint16_t>(job_.cols / (run * 4));
      const auto length = static_cast<std::uint16_t>(run);
      const std::uint16_t lengths[] = {length, length, length, length};
      MrgSort(room,
              MrgSortSrcList<T>(row, row[pairs(run)], row[pairs(2 * run)], row[pairs(3 * run)]),
              MrgSort4Info(lengths, false, 15, runs));
      PipeBarrier<PIPE_V>();
      DataCopy(row, room, pairs(runs * run * 4));
      PipeBarrier<PIPE_V>();
    }
    std::uint32_t merged = std::min(run, job_.cols);
    for (; merged < job_.cols; merged += run) {
      while (merged + run > job_.cols) run /= 4;
      const std::uint32_t first = std::min(merged, job_.k), second = std::min(run, job_.k);
      const std::uint16_t lengths[] = {static_cast<std::uint16_t>(first),
                                       static_cast<std::uint16_t>(second), 0, 0};
      MrgSort(room, MrgSortSrcList<T>(row, row[pairs(merged)], row, row),
              MrgSort4Info(lengths, false, 3, 1));
      PipeBarrier<PIPE_V>();
      DataCopy(row, room, pairs(first + second));
      PipeBarrier<PIPE_V>();
    }
  }

  /// Scores and indices apart.
  void take_apart(std::uint32_t rows, const Buffers& set) {
    // Fixed patterns: 1 takes the first of two elements, 2 the second, 3 the first of four.
    constexpr std::uint8_t kScores = sizeof(T) == 2 ? 3 : 1, kIndices = 2;
    std::uint64_t taken = 0;
    const std::uint16_t repeats = static_cast<std::uint16_t>(ceil_div(job_.k, kSorted));
    for (std::uint32_t i = 0; i < rows; ++i) {
      GatherMask(set.values[i * room_of_k<T>()], set.largest[i * pairs(job_.k)], kScores, false, 0,
                 {1, repeats, 8, 0}, taken);
    }
    PipeBarrier<PIPE_V>();
    for (std::uint32_t i = 0; i < rows; ++i) {
      GatherMask(set.indices[i * room_of_k<std::uint32_t>()],
                 set.largest[i * pairs(job_.k)].template ReinterpretCast<std::uint32_t>(), kIndices,
                 false, 0, {1, repeats, 8, 0}, taken);
    }
  }

  template <class U>
  void leave(U* matrix, const LocalTensor<U>& part, std::uint64_t row, std::uint32_t rows) {
    DataCopyPad(global(matrix, std::uint64_t{job_.rows} * job_.k)[row * job_.k], part,
                DataCopyExtParams(static_cast<std::uint16_t>(rows),
                                  static_cast<std::uint32_t>(job_.k * sizeof(U)), 0, 0, 0));
  }

  TopK job_;
  Matrices<T> gm_;
  std::uint32_t taken_ = 0;
  LocalTensor<std::uint32_t> positions_;
  Buffers sets_[2];
};

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const TopK job = TopK::of(params);
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
