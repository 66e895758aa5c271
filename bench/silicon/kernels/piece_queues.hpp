// How rows that are too long for UB pass through it: in pieces, computed in float.
#pragma once

#include "bench/silicon/kernels/gm.hpp"

namespace davsim::silicon {

class PieceQueues {
 public:
  static constexpr std::uint32_t kPiece = 4096;  ///< elements
  using Floats = AscendC::LocalTensor<float>;

  explicit PieceQueues(AscendC::TPipe& pipe) {
    pipe.InitBuffer(in_, 1, 2 * kPiece * sizeof(float));
    pipe.InitBuffer(out_, 1, kPiece * sizeof(float));
  }

  /// Calls body(first column, columns) for each piece of a row.
  template <class Body>
  static void for_pieces(std::uint32_t width, Body body) {
    for (std::uint32_t at = 0; at < width; at += kPiece) {
      body(at, static_cast<std::int32_t>(std::min(kPiece, width - at)));
    }
  }

  /// to = `count` numbers of global memory.
  template <class U>
  void load(const Floats& to, const AscendC::GlobalTensor<U>& from, std::int32_t count) {
    using namespace AscendC;
    auto in = in_.template AllocTensor<U>();
    DataCopyPad(
        in, from,
        DataCopyExtParams(1, static_cast<std::uint32_t>(count) * std::uint32_t{sizeof(U)}, 0, 0, 0),
        DataCopyPadExtParams<U>{});
    in_.EnQue(in);
    in = in_.template DeQue<U>();
    if constexpr (std::is_same_v<U, float>) {
      Muls(to, in, 1.0f, count);
    } else {
      Cast(to, in, RoundMode::CAST_NONE, static_cast<std::uint32_t>(count));
    }
    in_.FreeTensor(in);
  }
  template <class U>
  void store(const AscendC::GlobalTensor<U>& to, const Floats& from, std::int32_t count) {
    using namespace AscendC;
    auto out = out_.template AllocTensor<U>();
    if constexpr (std::is_same_v<U, float>) {
      Muls(out, from, 1.0f, count);
    } else {
      Cast(out, from, RoundMode::CAST_RINT, static_cast<std::uint32_t>(count));
    }
    leave(to, out, static_cast<std::uint32_t>(count) * std::uint32_t{sizeof(U)});
  }

  /// A buffer that leave() stores `bytes` of.
  template <class U>
  AscendC::LocalTensor<U> room() {
    return out_.template AllocTensor<U>();
  }
  template <class U>
  void leave(const AscendC::GlobalTensor<U>& to, AscendC::LocalTensor<U> out, std::uint32_t bytes) {
    out_.EnQue(out);
    out = out_.template DeQue<U>();
    AscendC::DataCopyPad(to, out, AscendC::DataCopyExtParams(1, bytes, 0, 0, 0));
    out_.FreeTensor(out);
  }

 private:
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
};

}  // namespace davsim::silicon
