// The largest elements of each row of a matrix, by the sorting instructions: 32 elements at a time
// (Sort32), then runs of four times the length (MrgSort), then scores and indices apart.
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// Rows of `cols` elements; the `k` largest of each leave.
struct TopK {
  std::uint32_t rows, cols, k;

  static TopK of(const Params& p) { return {p.number("rows"), p.number("cols"), p.number("k")}; }
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
  TopKCore(const TopK& job, const Matrices<T>& gm) : job_(job), gm_(gm) {
    // A pair of score and index has eight bytes in both types.
    const std::uint32_t row = job.cols * sizeof(T), indices = job.cols * 4, pairs = job.cols * 8;
    pipe_.InitBuffer(in_, 2, row);
    pipe_.InitBuffer(values_, 2, row);
    pipe_.InitBuffer(indices_, 2, indices);
    pipe_.InitBuffer(positions_, indices);
    pipe_.InitBuffer(sorted_, pairs);
    pipe_.InitBuffer(merged_, pairs);
  }

  void run(std::uint64_t core, std::uint64_t cores) {
    const auto positions = positions_.template Get<std::uint32_t>();
    DataCopy(positions, global(gm_.positions, job_.cols), job_.cols);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID5);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID5);
    const Share mine = share_of(job_.rows, core, cores);
    for (std::uint64_t row = mine.begin; row < mine.end; ++row) one(row, positions);
  }

 private:
  void one(std::uint64_t row, const LocalTensor<std::uint32_t>& positions) {
    constexpr std::uint32_t kSorted = 32;
    const std::uint64_t count = std::uint64_t{job_.rows} * job_.cols;
    auto in = in_.template AllocTensor<T>();
    DataCopy(in, global(gm_.scores, count)[row * job_.cols], job_.cols);
    in_.EnQue(in);
    in = in_.template DeQue<T>();
    const auto sorted = sorted_.template Get<T>();
    auto merged = merged_.template Get<T>();
    const auto repeats = static_cast<std::int32_t>(job_.cols / kSorted);
    Sort<T, true>(sorted, in, positions, merged, repeats);
    in_.FreeTensor(in);
    auto values = values_.template AllocTensor<T>();
    auto indices = indices_.template AllocTensor<std::uint32_t>();
    Extract(values, indices, sorted, repeats);
    values_.EnQue(values);
    indices_.EnQue(indices);
    leave(gm_.values, values_, row);
    leave(gm_.indices, indices_, row);
  }

  template <class U>
  void leave(U* matrix, TQue<TPosition::VECOUT, 1>& queue, std::uint64_t row) {
    auto part = queue.template DeQue<U>();
    DataCopyPad(global(matrix, std::uint64_t{job_.rows} * job_.k)[row * job_.k], part,
                DataCopyExtParams(1, static_cast<std::uint32_t>(job_.k * sizeof(U)), 0, 0, 0));
    queue.FreeTensor(part);
  }

  TopK job_;
  Matrices<T> gm_;
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> values_, indices_;
  TBuf<TPosition::VECCALC> positions_, sorted_, merged_;
};

template <class T>
Launch prepare_as(sim::Device& device, const Params& params) {
  const TopK job = TopK::of(params);
  const std::uint64_t in = std::uint64_t{job.rows} * job.cols,
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

const KernelRegistrar g_topk({"topk",
                              "the k largest of each row by sorting: rows cols k [type cores]",
                              prepare});

}  // namespace
}  // namespace davsim::silicon
