// Copies into L1 that a vector core asks its cube core for: tensors of TPosition::TSCM.
//
// A source in UB goes to the vector core's part of the workspace first, and the vector core waits
// until the cube core has fetched it before it sends the next.
#pragma once

#include "ascendc/cube_courier.h"
#include "lib/matmul/matmul_link.h"

namespace davsim::api {

/// How a copy stands in a message: DataCopyParams in four numbers, Nd2NzParams in eight.
struct MatmulCopy {
  std::uint32_t is_nd2nz = 0;
  isa::DType type = isa::DType::kNone;
  std::uint16_t numbers[8] = {};

  static MatmulCopy of(isa::DType type, const AscendC::DataCopyParams& p) {
    return {0, type, {p.blockCount, p.blockLen, p.srcGap, p.dstGap, 0, 0, 0, 0}};
  }
  static MatmulCopy of(isa::DType type, const AscendC::Nd2NzParams& p) {
    return {1,
            type,
            {p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcDValue, p.dstNzC0Stride,
             p.dstNzNStride, p.dstNzMatrixStride}};
  }
  AscendC::DataCopyParams blocks() const {
    return {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  AscendC::Nd2NzParams nd2nz() const {
    return {numbers[0], numbers[1], numbers[2], numbers[3],
            numbers[4], numbers[5], numbers[6], numbers[7]};
  }

  void put(MatmulMessage& message) const {
    message.m = is_nd2nz;
    message.n = static_cast<std::uint32_t>(type);
    std::memcpy(&message.org_m, numbers, sizeof(numbers));
  }
  static MatmulCopy in(const MatmulMessage& message) {
    MatmulCopy copy;
    copy.is_nd2nz = message.m;
    copy.type = static_cast<isa::DType>(message.n);
    std::memcpy(copy.numbers, &message.org_m, sizeof(copy.numbers));
    return copy;
  }
};
static_assert(offsetof(MatmulMessage, org_kb) == offsetof(MatmulMessage, org_m) + 12,
              "the eight numbers of a copy take four sizes of a message");

/// The end of a vector core.
class MatmulCourier final : public CubeCourier {
 public:
  explicit MatmulCourier(MatmulClient& client) : client_(client) {}

  void copy(const isa::Operand& dst, const isa::Operand& src, const AscendC::DataCopyParams& params,
            Location where) override {
    if (src.space == isa::Space::kGm) return send(dst, src.addr, params, false, where);
    // The blocks lie in the workspace without gaps.
    AscendC::DataCopyParams out = params, in = params;
    out.dstGap = in.srcGap = 0;
    const isa::Operand room = workspace(
        src, std::uint64_t{params.blockCount} * params.blockLen * isa::kBlockBytes, where);
    emit_copy(room, src, out, where);
    send(dst, room.addr, in, true, where);
  }
  void copy(const isa::Operand& dst, const isa::Operand& src,
            const AscendC::DataCopyExtParams& blocks, const AscendC::Nd2NzParams& params,
            Location where) override {
    if (src.space == isa::Space::kGm) return send(dst, src.addr, params, false, where);
    const std::uint64_t bytes =
        std::uint64_t{blocks.blockCount} * (std::uint64_t{blocks.blockLen} + blocks.dstStride);
    const isa::Operand room = workspace(src, bytes, where);
    emit_copy_pad_out(room, src, blocks, where);
    send(dst, room.addr, params, true, where);
  }
  void leave(Location where) override { client_.quit(where); }

 private:
  /// Where the source goes on its way, once the last one there has been fetched.
  isa::Operand workspace(const isa::Operand& src, std::uint64_t bytes, Location where) {
    constexpr std::uint64_t kRoom =
        isa::LibraryWorkspace::kBytesOfCore - MatmulMailbox::kOperandsAt;
    if (bytes > kRoom) {
      refuse("DataCopy (UB to L1)", "bytes", static_cast<std::int64_t>(bytes),
             {"up to ", kRoom, ", which a vector core's part of the workspace has"}, where);
    }
    client_.await(client_.expected(), where);
    isa::Operand room;
    room.space = isa::Space::kGm;
    room.type = src.type;
    room.addr = client_.box().at(MatmulMailbox::kOperandsAt);
    return room;
  }
  template <class Params>
  void send(const isa::Operand& dst, std::uint64_t from, const Params& params, bool answer,
            Location where) {
    MatmulMessage message;
    message.op = MatmulOp::kCopy;
    message.a = from;
    message.c = dst.addr;
    MatmulCopy::of(dst.type, params).put(message);
    message.set(MatmulMessage::kAnswer, answer);
    client_.await_read(where);
    client_.send(message, where);
  }

  MatmulClient& client_;
};

/// The connection of a vector core's objects: messages, and copies into L1.
class MatmulConnection : public MatmulClient {
 public:
  MatmulConnection(MatmulMailbox box, Location where)
      : MatmulClient(box), courier_(*this), core_(registers()) {
    if (CubeCourier* last = cube_courier()) last->leave(where);
    core_.cube_courier = static_cast<CubeCourier*>(&courier_);
  }
  MatmulConnection(const MatmulConnection&) = delete;
  MatmulConnection& operator=(const MatmulConnection&) = delete;
  ~MatmulConnection() {
    if (core_.cube_courier == static_cast<CubeCourier*>(&courier_)) core_.cube_courier = nullptr;
  }

 private:
  MatmulCourier courier_;
  isa::Registers& core_;
};

/// The cube core's part: carries the copy out behind the loads to L0 that read these bytes, and in
/// front of those that follow. `used` bytes of L1 are the Matmul objects'.
inline void carry_out_copy(const MatmulMessage& message, std::uint32_t used, Location where) {
  using AscendC::HardEvent;
  const MatmulCopy copy = MatmulCopy::in(message);
  if (message.c < used) {
    refuse("DataCopy (to TSCM)", "address in L1", static_cast<std::int64_t>(message.c),
           {used,
            " and more: what lies below are buffers of the Matmul objects, whose tiling can "
            "leave room by SetBufferSpace"},
           where);
  }
  isa::Operand dst, src;
  dst.space = isa::Space::kL1;
  src.space = isa::Space::kGm;
  dst.type = src.type = copy.type;
  dst.addr = message.c;
  src.addr = message.a;
  MatmulClient::flow<HardEvent::MTE1_MTE2>(where);
  if (copy.is_nd2nz != 0) {
    emit_nd2nz(dst, src, copy.nd2nz(), where);
  } else {
    emit_copy(dst, src, copy.blocks(), where);
  }
  MatmulClient::flow<HardEvent::MTE2_MTE1>(where);
}

}  // namespace davsim::api
