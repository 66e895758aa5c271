// Dispatch by levels: the rows of a token for those of its experts that are in this server. A token
// is sent once to each server, with its experts; whoever gets it makes a row for each expert.
#pragma once

#include "kernels/moe_distribute/routing.h"
#include "kernels/moe_distribute/windows.h"

namespace moe_distribute {

/// What a token that travels between servers has behind its numbers: the scale, and lists of its
/// experts, of the numbers of their rows among those of the rank, and of its weights.
struct TokenLists {
  AscendC::LocalTensor<int32_t> experts, indices;
  AscendC::LocalTensor<float> weights;

  __aicore__ inline TokenLists(const AscendC::LocalTensor<uint8_t>& token, uint64_t tail,
                               uint64_t list_bytes)
      : experts(token[tail + kFlagBytes].ReinterpretCast<int32_t>()),
        indices(token[tail + kFlagBytes + list_bytes].ReinterpretCast<int32_t>()),
        weights(token[tail + kFlagBytes + 2 * list_bytes].ReinterpretCast<float>()) {}
};

/// Where the ranks keep what combine has to know: the experts of each token that came to this rank
/// from one with the same place in its server, and the indices of its rows.
class RowLists {
 public:
  __aicore__ inline RowLists(GM_ADDR lists, const MoeLevelTiling& t)
      : lists_(lists),
        servers_(t.servers),
        top_k_(t.flat.top_k),
        all_(t.flat.max_tokens * servers_ * top_k_) {}

  __aicore__ inline uint64_t At(uint64_t token, uint64_t server) const {
    return (token * servers_ + server) * top_k_;
  }
  template <class Value>
  __aicore__ inline void Put(uint64_t token, uint64_t server,
                             const AscendC::LocalTensor<Value>& experts,
                             const AscendC::LocalTensor<Value>& indices) const {
    Store(lists_, At(token, server), experts, top_k_);
    Store(lists_, all_ + At(token, server), indices, top_k_);
  }
  /// `count` numbers of both lists from place `first` on.
  __aicore__ inline void Get(const AscendC::LocalTensor<int32_t>& experts,
                             const AscendC::LocalTensor<int32_t>& indices, uint64_t first,
                             uint64_t count) const {
    Load(experts, lists_, first, count);
    Load(indices, lists_, all_ + first, count);
  }

 private:
  GM_ADDR lists_;
  uint64_t servers_, top_k_, all_;
};

/// Where this rank stands: in which server, and in which place there. The ranks with the same place
/// in all servers send each other what leaves a server.
struct ServerPlace {
  uint32_t servers, server_ranks, server, place;

  __aicore__ inline explicit ServerPlace(const MoeLevelTiling& t)
      : servers(t.servers),
        server_ranks(t.server_ranks),
        server(t.flat.rank / t.server_ranks),
        place(t.flat.rank % t.server_ranks) {}

  /// The rank with the same place in another server.
  __aicore__ inline uint32_t RankIn(uint32_t other) const { return other * server_ranks + place; }
  /// The i-th server behind this one.
  __aicore__ inline uint32_t Behind(uint64_t i) const {
    return static_cast<uint32_t>((server + i) % servers);
  }
};

/// Polls a flag in a window until it is set. Returns its value.
__aicore__ inline float AwaitFlag(const AscendC::LocalTensor<float>& flag,
                                  const AscendC::GlobalTensor<float>& at) {
  float state = 0;
  while (state == 0) {
    DataCopy(flag, at, 8);
    Order<AscendC::HardEvent::MTE2_S>();
    state = flag.GetValue(0);
    Order<AscendC::HardEvent::S_MTE2>();
  }
  return state;
}

/// The experts of a server, and the way of a token to those of this one.
class ServerExperts {
 public:
  __aicore__ inline ServerExperts(const MoeLevelTiling& t, uint64_t tail)
      : t_(t.flat), levels_(t), tail_(tail), server_(ServerPlace(t).server) {}

  __aicore__ inline void Init(AscendC::TPipe* pipe) { pipe->InitBuffer(tails_, t_.top_k * kTail); }
  __aicore__ inline bool Has(int32_t expert, uint32_t server) const {
    const auto first = static_cast<int32_t>(server * levels_.server_experts);
    return expert >= first && expert < first + static_cast<int32_t>(levels_.server_experts);
  }

  /// Writes down where the rows come from, when those of the token before are on their way.
  __aicore__ inline void SetTails(const TokenLists& lists, uint32_t source, uint32_t token) {
    const AscendC::LocalTensor<uint8_t> tails = tails_.Get<uint8_t>();
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      if (!Has(lists.experts.GetValue(k), server_)) continue;
      const AscendC::LocalTensor<int32_t> origin = tails[k * kTail].ReinterpretCast<int32_t>();
      origin.SetValue(0, static_cast<int32_t>(source));
      origin.SetValue(1, static_cast<int32_t>(token));
      origin.SetValue(2, static_cast<int32_t>(k));
      origin[kFlagBytes / 4].ReinterpretCast<float>().SetValue(0, lists.weights.GetValue(k));
    }
  }
  /// Numbers and scale go from the token, the tail of each row behind them.
  __aicore__ inline void Send(const AscendC::LocalTensor<uint8_t>& row, const TokenLists& lists,
                              uint32_t source, uint32_t half, EpWindows& ep) {
    const AscendC::LocalTensor<uint8_t> tails = tails_.Get<uint8_t>();
    const auto bytes = static_cast<uint32_t>(tail_ + kOriginAt);
    for (uint32_t k = 0; k < t_.top_k; ++k) {
      const int32_t id = lists.experts.GetValue(k);
      if (!Has(id, server_)) continue;
      const auto expert = static_cast<uint32_t>(id);
      const uint64_t to = levels_.Row(half, source, expert % t_.rank_experts,
                                      static_cast<uint32_t>(lists.indices.GetValue(k)));
      const AscendC::GlobalTensor<uint8_t> at = At<uint8_t>(ep.Of(expert / t_.rank_experts), to);
      DataCopy(at, row, bytes);  // davsim: allow uninitialised padding of the scale goes with it
      DataCopy(at[bytes], tails[k * kTail], kTail);  // davsim: allow uninitialised padding as well
    }
  }

 private:
  static constexpr uint32_t kTail = 2 * kFlagBytes;  ///< the origin and the weight

  const MoeDistributeTiling t_;
  LevelWindow levels_;
  uint64_t tail_;
  uint32_t server_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> tails_;
};

}  // namespace moe_distribute
