// Combine of a mixture of experts: sends each row back to the rank of its token, and adds up what
// the experts of a token made of it.
//
// Each block writes a share of the rows straight into the windows of their ranks, each followed by
// a flag. It then takes a share of the own tokens one by one: it polls the flags of a token's
// experts, clears them, and sums the rows up in float32.
#include "kernels/moe_distribute/routing.h"

using namespace AscendC;

namespace moe_distribute {
namespace {

struct CombineBuffers {
  GM_ADDR expand_x, expert_ids, info, ep_counts, weights, tp_counts, mask, shared_x;
  GM_ADDR ori_x, alpha_1, alpha_2, constant, x, ep_context, tp_context;
};

/// Rows whose origins are loaded at a time.
constexpr uint32_t kOrigins = 256;

template <class T>
class Combine {
 public:
  __aicore__ inline Combine(const MoeDistributeTiling& tiling, const CombineBuffers& gm,
                            TPipe* pipe)
      : t_(tiling), gm_(gm), pipe_(pipe), windows_(tiling), tp_windows_(tiling) {
    ep_.InitV2(gm.ep_context, nullptr);
    if (t_.tp_world > 1) tp_.InitV2(gm.tp_context, nullptr);
    block_ = static_cast<uint32_t>(GetBlockIdx());
    own_ = ep_.GetWindowsInAddr(t_.rank);
    wide_ = static_cast<uint32_t>(AlignUp(t_.width, 128));
    row_bytes_ = uint64_t{t_.width} * 2;
    entries_ = t_.top_k + t_.shared_experts;
    words_ = uint64_t{t_.rank < t_.shared_ranks ? 1 : t_.rank_experts} * t_.world;
    if (t_.quantised != 0) {
      scales_at_ = AlignUp(t_.width, 32);
      sent_bytes_ = AlignUp(scales_at_ + t_.width / kScaleGroup * 2, 32);
    } else {
      sent_bytes_ = row_bytes_;
    }
  }

  __aicore__ inline void Process() {
    InitSending();
    half_ = TakeTurn(word_.Get<int32_t>(), own_, 1, block_);
    LoadCounts();
    if (t_.tp_world > 1) ExchangeRows();
    Send();
    PipeBarrier<PIPE_ALL>();
    pipe_->Reset();
    InitReceiving();
    LoadRouting();
    for (uint64_t token = tokens_.begin; token < tokens_.end; ++token) {
      AddUp(static_cast<uint32_t>(token));
    }
  }

 private:
  // --- send --------------------------------------------------------------------------------------
  __aicore__ inline void InitSending() {
    pipe_->InitBuffer(word_, 32);
    pipe_->InitBuffer(flag_, 32);
    pipe_->InitBuffer(counts_, static_cast<uint32_t>(AlignUp(words_ * 4, 32)));
    pipe_->InitBuffer(origins_, kOrigins * 12);
    if (t_.quantised == 0 && t_.tp_world == 1) {
      pipe_->InitBuffer(rows_, 2, wide_ * 2);
      return;
    }
    pipe_->InitBuffer(in_queue_, 2, wide_ * 2);
    pipe_->InitBuffer(out_queue_, 2, wide_ * 2);
    pipe_->InitBuffer(numbers_, wide_ * 4);
    pipe_->InitBuffer(others_, wide_ * 4);
    pipe_->InitBuffer(maxima_, static_cast<uint32_t>(AlignUp(wide_ / kScaleGroup * 4, 256)));
  }

  __aicore__ inline void LoadCounts() {
    const LocalTensor<int32_t> counts = counts_.Get<int32_t>();
    Load(counts, gm_.ep_counts, 0, words_);
    Order<HardEvent::MTE2_S>();
    total_ = static_cast<uint32_t>(counts.GetValue(words_ - 1));
    mine_ = kernel_common::ShareOfWork(total_, t_.blocks, block_);
    Duplicate(flag_.Get<float>(), 1.0f, 8);
    Order<HardEvent::V_MTE3>();
  }

  /// Hands the other rank of the tensor-parallel group its rows, and waits for the own ones. Both
  /// ranks share the rows of a rank out among the blocks in the same way.
  __aicore__ inline void ExchangeRows() {
    const LocalTensor<int32_t> word = word_.Get<int32_t>();
    Load(word, gm_.tp_counts, 0, 2);
    Order<HardEvent::MTE2_S>();
    const auto other = static_cast<uint32_t>(word.GetValue(1 - t_.tp_rank));
    GM_ADDR const theirs = tp_.GetWindowsInAddr(1 - t_.tp_rank);
    const kernel_common::WorkRange range = kernel_common::ShareOfWork(other, t_.blocks, block_);
    const LocalTensor<T> through = numbers_.Get<T>();
    for (uint64_t row = range.begin; row < range.end; ++row) {
      Load(through, gm_.expand_x, (total_ + row) * t_.width, t_.width);
      Order<HardEvent::MTE2_MTE3>();
      Store(theirs + tp_windows_.Row(1, half_, row), 0, through, t_.width);
      Order<HardEvent::MTE3_MTE2>();
    }
    PipeBarrier<PIPE_MTE3>();
    DataCopy(At<float>(theirs, tp_windows_.Flag(1, half_, block_)), flag_.Get<float>(), 8);
    const GlobalTensor<float> flag =
        At<float>(tp_.GetWindowsInAddr(t_.tp_rank), tp_windows_.Flag(1, half_, block_));
    const LocalTensor<float> seen = word_.Get<float>();
    bool there = false;
    while (!there) {
      DataCopy(seen, flag, 8);
      Order<HardEvent::MTE2_S>();
      there = seen.GetValue(0) != 0.0f;
      Order<HardEvent::S_MTE2>();
    }
    seen.SetValue(0, 0.0f);
    Order<HardEvent::S_MTE3>();
    DataCopy(flag, seen, 8);
    Order<HardEvent::MTE3_S>();
    Order<HardEvent::MTE3_V>();
  }

  /// The rows of a block, beginning with another one on each rank.
  __aicore__ inline void Send() {
    for (uint64_t begin = mine_.begin; begin < mine_.end; begin += kOrigins) {
      const uint64_t rest = mine_.end - begin;
      const auto count = static_cast<uint32_t>(rest < kOrigins ? rest : kOrigins);
      if (t_.by_index == 0) {
        Load(origins_.Get<int32_t>(), gm_.info, begin * 3, count * 3);
        Order<HardEvent::MTE2_S>();
      }
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = (i + t_.rank) % count;
        const Place place = t_.by_index != 0 ? PlaceByIndex(begin + at) : PlaceByOrigin(at);
        SendRow(begin + at, place);
      }
      Order<HardEvent::S_MTE2>();
    }
  }

  struct Place {
    uint32_t rank;
    uint64_t slot;
  };
  __aicore__ inline Place PlaceByOrigin(uint32_t at) {
    const LocalTensor<int32_t> origins = origins_.Get<int32_t>();
    const auto token = static_cast<uint64_t>(origins.GetValue(at * 3 + 1));
    const auto k = static_cast<uint64_t>(origins.GetValue(at * 3 + 2));
    return {static_cast<uint32_t>(origins.GetValue(at * 3)), token * entries_ + k};
  }
  /// Rows lie in the order of local experts and sources. The first word that ends behind a row is
  /// its own.
  __aicore__ inline Place PlaceByIndex(uint64_t row) {
    const LocalTensor<int32_t> ends = counts_.Get<int32_t>();
    uint64_t low = 0, high = words_ - 1;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (static_cast<uint64_t>(ends.GetValue(middle)) > row) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const uint64_t begin = low == 0 ? 0 : static_cast<uint64_t>(ends.GetValue(low - 1));
    uint64_t expert = t_.experts;
    if (t_.rank < t_.shared_ranks) {
      expert += t_.rank / (t_.shared_ranks / t_.shared_experts);
    } else {
      expert = uint64_t{t_.rank - t_.shared_ranks} * t_.rank_experts + low / t_.world;
    }
    return {static_cast<uint32_t>(low % t_.world), expert * t_.max_tokens + row - begin};
  }

  __aicore__ inline void SendRow(uint64_t row, const Place& place) {
    GM_ADDR const window = ep_.GetWindowsInAddr(place.rank);
    GM_ADDR const to = window + windows_.Returned(half_, place.slot);
    if (t_.quantised == 0 && t_.tp_world == 1) {
      LocalTensor<T> data = rows_.template AllocTensor<T>();
      Load(data, gm_.expand_x, row * t_.width, t_.width);
      rows_.EnQue(data);
      data = rows_.template DeQue<T>();
      Store(to, 0, data, t_.width);
      rows_.FreeTensor(data);
    } else {
      LocalTensor<uint8_t> data = ComputedRow(row);
      DataCopyPad(At<uint8_t>(to), data, Bytes(sent_bytes_));
      out_queue_.FreeTensor(data);
    }
    PipeBarrier<PIPE_MTE3>();
    DataCopy(At<float>(window, windows_.Flag(half_, place.slot)), flag_.Get<float>(), 8);
  }

  /// The sum of the ranks of a tensor-parallel group, or the row quantised.
  __aicore__ inline LocalTensor<uint8_t> ComputedRow(uint64_t row) {
    const LocalTensor<float> numbers = numbers_.Get<float>(), others = others_.Get<float>();
    LoadWide(numbers, gm_.expand_x + row * row_bytes_);
    LocalTensor<uint8_t> out = out_queue_.template AllocTensor<uint8_t>();
    if (t_.tp_world > 1) {
      LoadWide(others, tp_.GetWindowsInAddr(t_.tp_rank) + tp_windows_.Row(1, half_, row));
      Add(numbers, numbers, others, t_.width);
      PipeBarrier<PIPE_V>();
      Cast(out.template ReinterpretCast<T>(), numbers, RoundMode::CAST_RINT, t_.width);
    } else {
      Quantise(out, numbers, others, maxima_.Get<float>());
    }
    PipeBarrier<PIPE_V>();
    out_queue_.EnQue(out);
    return out_queue_.template DeQue<uint8_t>();
  }
  __aicore__ inline void LoadWide(const LocalTensor<float>& to, GM_ADDR from) {
    LocalTensor<T> in = in_queue_.template AllocTensor<T>();
    Load(in, from, 0, t_.width);
    in_queue_.EnQue(in);
    in = in_queue_.template DeQue<T>();
    Cast(to, in, RoundMode::CAST_NONE, t_.width);
    PipeBarrier<PIPE_V>();
    in_queue_.FreeTensor(in);
  }
  /// Eight numbers share a scale, their largest magnitude / 127. The scales go behind the bytes.
  __aicore__ inline void Quantise(const LocalTensor<uint8_t>& out, const LocalTensor<float>& x,
                                  const LocalTensor<float>& scratch,
                                  const LocalTensor<float>& maxima) {
    const auto width = static_cast<int32_t>(t_.width);
    const int32_t groups = width / static_cast<int32_t>(kScaleGroup);
    const auto repeats = static_cast<uint8_t>(width / 64);
    Abs(scratch, x, width);
    PipeBarrier<PIPE_V>();
    BlockReduceMax(maxima, scratch, repeats, 64, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    Muls(maxima, maxima, 1.0f / 127.0f, groups);
    PipeBarrier<PIPE_V>();
    Cast(out[scales_at_].template ReinterpretCast<T>(), maxima, RoundMode::CAST_RINT, groups);
    Brcb(scratch, maxima, repeats, BrcbRepeatParams(1, 8));
    PipeBarrier<PIPE_V>();
    Div(x, x, scratch, width);
    PipeBarrier<PIPE_V>();
    const LocalTensor<half> halves = scratch.template ReinterpretCast<half>();
    Cast(halves, x, RoundMode::CAST_RINT, width);
    PipeBarrier<PIPE_V>();
    Cast(out.template ReinterpretCast<int8_t>(), halves, RoundMode::CAST_RINT, width);
  }

  // --- receive -----------------------------------------------------------------------------------
  __aicore__ inline void InitReceiving() {
    tokens_ = kernel_common::ShareOfWork(t_.tokens, t_.blocks, block_);
    const uint64_t mine = (tokens_.end - tokens_.begin) * t_.top_k;
    const auto list = static_cast<uint32_t>(AlignUp(mine * 4 + 4, 32));
    pipe_->InitBuffer(ids_, list);
    pipe_->InitBuffer(weights_, list);
    pipe_->InitBuffer(indices_, list);
    pipe_->InitBuffer(masks_, list);
    pipe_->InitBuffer(flags_, entries_ * 32);
    pipe_->InitBuffer(zeros_, entries_ * 32);
    pipe_->InitBuffer(in_queue_, 2, wide_ * 2);
    pipe_->InitBuffer(sum_, wide_ * 4);
    pipe_->InitBuffer(numbers_, wide_ * 4);
    pipe_->InitBuffer(others_, wide_ * 4);
    pipe_->InitBuffer(out_queue_, 1, wide_ * 2);
    pipe_->InitBuffer(alphas_, 128);
    if (t_.quantised != 0) {
      pipe_->InitBuffer(maxima_, static_cast<uint32_t>(AlignUp(wide_ / kScaleGroup * 4, 256)));
    }
  }

  __aicore__ inline void LoadRouting() {
    const uint64_t first = tokens_.begin * t_.top_k;
    const uint64_t count = (tokens_.end - tokens_.begin) * t_.top_k;
    active_ = t_.tokens;
    if (t_.mask_rank == 1) active_ = CountActive();
    if (count == 0) return;
    Load(ids_.Get<int32_t>(), gm_.expert_ids, first, count);
    Load(weights_.Get<float>(), gm_.weights, first, count);
    if (t_.by_index != 0) Load(indices_.Get<int32_t>(), gm_.info, first, count);
    if (t_.mask_rank == 2) Load(masks_.Get<uint8_t>(), gm_.mask, first, count);
    Duplicate(zeros_.Get<float>(), 0.0f, static_cast<int32_t>(entries_ * 8));
    Order<HardEvent::V_MTE3>();
    Order<HardEvent::MTE2_S>();
  }
  /// sum_ and others_ are free before the first token.
  __aicore__ inline uint32_t CountActive() {
    const LocalTensor<float> numbers = sum_.Get<float>();
    uint32_t active = 0;
    for (uint32_t at = 0; at < t_.tokens; at += 256) {
      const uint32_t count = t_.tokens - at < 256 ? t_.tokens - at : 256;
      LoadMask(numbers, numbers_.Get<uint8_t>(), others_.Get<half>(), gm_.mask, at, count);
      ReduceSum(flags_.Get<float>(), numbers, others_.Get<float>(), static_cast<int32_t>(count));
      Order<HardEvent::V_S>();
      Order<HardEvent::V_MTE2>();
      active += static_cast<uint32_t>(flags_.Get<float>().GetValue(0));
    }
    return active;
  }

  __aicore__ inline uint32_t ListAt(uint32_t token, uint32_t k) {
    return static_cast<uint32_t>((token - tokens_.begin) * t_.top_k + k);
  }
  __aicore__ inline bool IsMasked(uint32_t token, uint32_t k) {
    if (token >= active_) return true;
    return t_.mask_rank == 2 && masks_.Get<uint8_t>().GetValue(ListAt(token, k)) == 0;
  }
  __aicore__ inline bool IsActive(uint32_t token) {
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      if (!IsMasked(token, k)) return true;
    }
    return false;
  }
  /// Whether a row comes back for this entry of the token: the experts, then the shared ones.
  __aicore__ inline bool IsAwaited(uint32_t token, uint32_t entry) {
    if (entry >= t_.top_k) return IsActive(token);
    return !IsMasked(token, entry) &&
           static_cast<uint32_t>(ids_.Get<int32_t>().GetValue(ListAt(token, entry))) < t_.experts;
  }
  __aicore__ inline uint64_t SlotOf(uint32_t token, uint32_t entry) {
    if (t_.by_index == 0) return uint64_t{token} * entries_ + entry;
    if (entry >= t_.top_k) {
      return uint64_t{t_.experts + entry - t_.top_k} * t_.max_tokens + token;
    }
    const uint32_t at = ListAt(token, entry);
    return static_cast<uint64_t>(ids_.Get<int32_t>().GetValue(at)) * t_.max_tokens +
           static_cast<uint64_t>(indices_.Get<int32_t>().GetValue(at));
  }

  /// Polls the flags of a token's rows, and clears them.
  __aicore__ inline void AwaitRows(uint32_t token) {
    const LocalTensor<float> flags = flags_.Get<float>();
    bool there = false;
    while (!there) {
      for (uint32_t i = 0; i < entries_; ++i) {
        if (t_.by_index == 0 && i > 0) break;
        if (t_.by_index != 0 && !IsAwaited(token, i)) continue;
        DataCopy(flags[i * 8], FlagsOf(token, i), t_.by_index != 0 ? 8 : entries_ * 8);
      }
      Order<HardEvent::MTE2_S>();
      there = true;
      for (uint32_t i = 0; i < entries_ && there; ++i) {
        there = !IsAwaited(token, i) || flags.GetValue(i * 8) != 0.0f;
      }
      Order<HardEvent::S_MTE2>();
    }
    for (uint32_t i = 0; i < entries_; ++i) {
      if (t_.by_index == 0 && i > 0) break;
      if (t_.by_index != 0 && !IsAwaited(token, i)) continue;
      DataCopy(FlagsOf(token, i), zeros_.Get<float>(), t_.by_index != 0 ? 8 : entries_ * 8);
    }
  }
  __aicore__ inline GlobalTensor<float> FlagsOf(uint32_t token, uint32_t entry) {
    return At<float>(own_, windows_.Flag(half_, SlotOf(token, entry)));
  }

  __aicore__ inline void AddUp(uint32_t token) {
    const LocalTensor<float> sum = sum_.Get<float>();
    Duplicate(sum, 0.0f, static_cast<int32_t>(t_.width));
    PipeBarrier<PIPE_V>();
    if (IsActive(token)) {
      AwaitRows(token);
      for (uint32_t entry = 0; entry < entries_; ++entry) AddEntry(token, entry);
      if (t_.has_shared_x != 0) {
        LoadWide(numbers_.Get<float>(), gm_.shared_x + token * row_bytes_);
        AddWeighted(1.0f);
      }
    }
    LocalTensor<T> out = out_queue_.template AllocTensor<T>();
    Cast(out, sum, RoundMode::CAST_RINT, t_.width);
    PipeBarrier<PIPE_V>();
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<T>();
    Store(gm_.x, uint64_t{token} * t_.width, out, t_.width);
    out_queue_.FreeTensor(out);
  }

  __aicore__ inline void AddWeighted(float weight) {
    const LocalTensor<float> sum = sum_.Get<float>(), numbers = numbers_.Get<float>();
    if (weight != 1.0f) {
      Muls(numbers, numbers, weight, static_cast<int32_t>(t_.width));
      PipeBarrier<PIPE_V>();
    }
    Add(sum, sum, numbers, static_cast<int32_t>(t_.width));
    PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void AddEntry(uint32_t token, uint32_t entry) {
    if (entry >= t_.top_k) {
      LoadReturned(own_ + windows_.Returned(half_, SlotOf(token, entry)));
      return AddWeighted(1.0f);
    }
    if (IsMasked(token, entry)) return;
    const uint32_t at = ListAt(token, entry);
    const auto expert = static_cast<uint32_t>(ids_.Get<int32_t>().GetValue(at));
    const float weight = weights_.Get<float>().GetValue(at);
    if (expert < t_.experts) {
      LoadReturned(own_ + windows_.Returned(half_, SlotOf(token, entry)));
    } else if (expert < t_.copy_begin) {
      return;  // an expert that adds nothing
    } else {
      LoadWide(numbers_.Get<float>(), gm_.ori_x + token * row_bytes_);
      if (expert >= t_.const_begin) MixConstant(expert - t_.const_begin);
    }
    AddWeighted(weight);
  }

  /// numbers = alpha_1 * numbers + alpha_2 * constant.
  __aicore__ inline void MixConstant(uint32_t number) {
    const LocalTensor<float> numbers = numbers_.Get<float>(), others = others_.Get<float>();
    const LocalTensor<T> alphas = alphas_.Get<T>();
    const LocalTensor<float> wide = alphas_.Get<float>()[16];
    LoadWide(others, gm_.constant + number * row_bytes_);
    Load(alphas, gm_.alpha_1, number, 1);
    Load(alphas[16], gm_.alpha_2, number, 1);
    Order<HardEvent::MTE2_V>();
    Cast(wide, alphas, RoundMode::CAST_NONE, 1);
    Cast(wide[8], alphas[16], RoundMode::CAST_NONE, 1);
    Order<HardEvent::V_S>();
    const float first = wide.GetValue(0), second = wide.GetValue(8);
    const auto width = static_cast<int32_t>(t_.width);
    Muls(numbers, numbers, first, width);
    Muls(others, others, second, width);
    PipeBarrier<PIPE_V>();
    Add(numbers, numbers, others, width);
    PipeBarrier<PIPE_V>();
    Order<HardEvent::V_MTE2>();
  }

  /// numbers = a row that came back.
  __aicore__ inline void LoadReturned(GM_ADDR from) {
    const LocalTensor<float> numbers = numbers_.Get<float>(), others = others_.Get<float>();
    if (t_.quantised == 0) return LoadWide(numbers, from);
    const int32_t groups = static_cast<int32_t>(t_.width / kScaleGroup);
    LocalTensor<uint8_t> in = in_queue_.template AllocTensor<uint8_t>();
    Load(in, from, 0, sent_bytes_);
    in_queue_.EnQue(in);
    in = in_queue_.template DeQue<uint8_t>();
    const LocalTensor<half> halves = others.template ReinterpretCast<half>();
    Cast(halves, in.template ReinterpretCast<int8_t>(), RoundMode::CAST_NONE, t_.width);
    Cast(maxima_.Get<float>(), in[scales_at_].template ReinterpretCast<T>(), RoundMode::CAST_NONE,
         groups);
    PipeBarrier<PIPE_V>();
    Cast(numbers, halves, RoundMode::CAST_NONE, t_.width);
    PipeBarrier<PIPE_V>();
    in_queue_.FreeTensor(in);
    Brcb(others, maxima_.Get<float>(), static_cast<uint8_t>(t_.width / 64), BrcbRepeatParams(1, 8));
    PipeBarrier<PIPE_V>();
    Mul(numbers, numbers, others, static_cast<int32_t>(t_.width));
    PipeBarrier<PIPE_V>();
  }

  const MoeDistributeTiling t_;
  const CombineBuffers gm_;
  TPipe* pipe_;
  EpWindow windows_;
  TpWindow tp_windows_;
  Hccl<HCCL_SERVER_TYPE_AICPU> ep_, tp_;
  GM_ADDR own_;
  uint32_t block_, half_ = 0, wide_, entries_, total_ = 0, active_ = 0;
  uint64_t words_, row_bytes_, scales_at_ = 0, sent_bytes_;
  kernel_common::WorkRange mine_{0, 0}, tokens_{0, 0};

  TBuf<TPosition::VECCALC> word_, flag_, counts_, origins_, numbers_, others_, maxima_;
  TBuf<TPosition::VECCALC> ids_, weights_, indices_, masks_, flags_, zeros_, sum_, alphas_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> rows_;
  TQue<TPosition::VECIN, 2> in_queue_;
  TQue<TPosition::VECOUT, 2> out_queue_;
};

}  // namespace
}  // namespace moe_distribute

extern "C" __global__ __aicore__ void moe_distribute_combine(
    GM_ADDR expand_x, GM_ADDR expert_ids, GM_ADDR info, GM_ADDR ep_counts, GM_ADDR weights,
    GM_ADDR tp_counts, GM_ADDR mask, GM_ADDR shared_x, GM_ADDR ori_x, GM_ADDR alpha_1,
    GM_ADDR alpha_2, GM_ADDR constant, GM_ADDR x, GM_ADDR ep_context, GM_ADDR tp_context,
    MoeDistributeTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  TPipe pipe;
  const moe_distribute::CombineBuffers gm = {
      expand_x, expert_ids, info,    ep_counts, weights, tp_counts,  mask,      shared_x,
      ori_x,    alpha_1,    alpha_2, constant,  x,       ep_context, tp_context};
  if (tiling.bfloat16 != 0) {
    moe_distribute::Combine<bfloat16_t>(tiling, gm, &pipe).Process();
  } else {
    moe_distribute::Combine<half>(tiling, gm, &pipe).Process();
  }
}
