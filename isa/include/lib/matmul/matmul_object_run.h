// The calls of a Matmul object that compute. Included by matmul_object.h.
#pragma once

namespace davsim::api {

DAVSIM_MATMUL_TEMPLATE
void DAVSIM_MATMUL::require_ready(const char* call, Location where) const {
  const std::string_view name = call;
  if (!has_tiling_) {
    fail(isa::FaultClass::kParameter, name,
         {"the object has no tiling: Init or REGIST_MATMUL_OBJ comes first"}, where);
  }
  if (kMixed && client_ != nullptr && client_->has_quit()) {
    fail(isa::FaultClass::kParameter, name,
         {"no cube core serves the object any more: a later REGIST_MATMUL_OBJ has other objects"},
         where);
  }
  if (kMixed && client_ == nullptr) {
    fail(isa::FaultClass::kParameter, name,
         {"no cube core serves the object: REGIST_MATMUL_OBJ comes first, or ASCENDC_CUBE_ONLY is "
          "defined for a kernel of cube cores alone"},
         where);
  }
}

DAVSIM_MATMUL_TEMPLATE
bool DAVSIM_MATMUL::post(MatmulOp op, bool answer, Location where) {
  used_ = where;
  Message message = message_;
  message.op = op;
  message.set(Message::kAnswer, answer);
  if constexpr (!kMixed) {
    struct Nobody {
      void mark(Location) {}
      void announce(Location) {}
    };
    message_.set(Message::kRestart, false);
    Nobody nobody;
    return worker().carry_out(message, nobody, where);
  } else {
    if (is_asked_by_other()) {
      if (op == MatmulOp::kIterateAll) client_->begins(this);
      if (answer) client_->expect_of_other();
      return true;
    }
    client_->await_read(where);
    if (op != MatmulOp::kInit && op != MatmulOp::kEnd) {
      client_->begins(this);
      send_operands(message, where);
      message_.set(Message::kRestart, false);
    }
    client_->send(message, where);
    return true;
  }
}

/// Moves operands from UB to global memory, where the cube core can load them.
DAVSIM_MATMUL_TEMPLATE
void DAVSIM_MATMUL::send_operands(Message& message, Location where) {
  if (!sends_operands()) return;
  // What lies in UB is the part alone.
  if (a_local_) message.org_m = message.m;
  if (a_local_) message.org_ka = message.k;
  if (b_local_) message.org_n = message.n;
  if (b_local_) message.org_kb = message.k;
  const bool batch = message.op == MatmulOp::kBatch;
  if (!message.has(Message::kRestart) && !batch) {
    message.a = a_local_ ? sent_a_ : message.a;
    message.b = b_local_ ? sent_b_ : message.b;
    message.bias = bias_local_ ? sent_bias_ : message.bias;
    return;
  }
  await_all(where);  // what was sent before has been read
  MatmulClient::flow<AscendC::HardEvent::V_MTE3>(where);
  std::uint64_t room = MatmulMailbox::kOperandsAt;
  const MatmulBatch<Engine> places(message, tiling_);
  if (a_local_) {
    const std::uint64_t elements = places.reach_of_a(batch ? message.batches_a : 0);
    sent_a_ = message.a =
        send_operand(*a_local_, elements * MatmulOperand<A_TYPE, true>::kBits / 8, room, where);
  }
  if (b_local_) {
    const std::uint64_t elements = places.reach_of_b(batch ? message.batches_b : 0);
    sent_b_ = message.b =
        send_operand(*b_local_, elements * MatmulOperand<B_TYPE, false>::kBits / 8, room, where);
  }
  if (bias_local_) {
    const std::uint32_t rows = batch && Engine::kConfig.isBiasBatch
                                   ? std::max<std::uint32_t>(message.batches_a, message.batches_b)
                                   : 1;
    sent_bias_ = message.bias =
        send_operand(*bias_local_, std::uint64_t{rows} * message.n * sizeof(BiasT), room, where);
  }
}

DAVSIM_MATMUL_TEMPLATE
template <class T>
std::uint64_t DAVSIM_MATMUL::send_operand(const AscendC::LocalTensor<T>& local, std::uint64_t bytes,
                                          std::uint64_t& room, Location where) {
  if (room + bytes > isa::LibraryWorkspace::kBytesOfCore) {
    refuse("Matmul", "bytes of operands in UB", static_cast<std::int64_t>(bytes),
           {"up to ", isa::LibraryWorkspace::kBytesOfCore - room}, where);
  }
  const std::uint64_t to = client_->box().at(room);
  AscendC::GlobalTensor<std::uint8_t> gm;
  gm.SetGlobalBuffer(reinterpret_cast<std::uint8_t*>(to));
  AscendC::DataCopyExtParams copy;
  copy.blockLen = static_cast<std::uint32_t>(bytes);
  AscendC::DataCopyPad(gm, local.template ReinterpretCast<std::uint8_t>(), copy, where);
  room += (bytes + 511) / 512 * 512;
  return to;
}

// --- blocks --------------------------------------------------------------------------------------

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
bool DAVSIM_MATMUL::Iterate(bool enPartialSum, Location where) {
  static_assert(!kOneProduct,
                "Matmul::Iterate: an object that shares A and B in L1 (IBSHARE) has IterateAll to "
                "global memory alone");
  if constexpr (!kMixed) {
    if (!on_cube()) return false;
    require_ready("Matmul::Iterate", where);
    message_.set(Message::kPartial, enPartialSum);
    const bool more = post(MatmulOp::kIterate, false, where);
    message_.set(Message::kPartial, false);
    return more;
  } else {
    if (on_cube()) return false;
    require_ready("Matmul::Iterate", where);
    if (!begun_) {
      begun_ = true;
      block_ = 0;
      ahead_ = false;
    }
    if (block_ == blocks()) {
      begun_ = false;
      client_->completed(this, where);
      return false;
    }
    if (has_block_ && !enPartialSum) {
      fail(isa::FaultClass::kParameter, "Matmul::Iterate",
           {"the block of the last Iterate is still in L0C: GetTensorC comes between two Iterates"},
           where);
    }
    ++block_;
    if constexpr (sync) {
      message_.set(Message::kPartial, enPartialSum);
      post(MatmulOp::kIterate, false, where);
      message_.set(Message::kPartial, false);
      has_block_ = true;
    } else if (!ahead_) {
      if (workspace_ == 0) {
        fail(isa::FaultClass::kParameter, "Matmul::Iterate",
             {"Iterate<false> needs room in global memory for all blocks: SetWorkspace"}, where);
      }
      ahead_ = true;
      fetched_ = 0;
      before_ = client_->expected();
      message_.c = workspace_;
      message_.set(Message::kPastL2C, false);
      post(MatmulOp::kIterateEach, false, where);
      client_->expect(blocks());
    }
    return true;
  }
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
bool DAVSIM_MATMUL::Iterate(bool enPartialSum,
                            const AscendC::LocalTensor<typename Engine::Sum>& localCmatrix,
                            Location where) {
  static_assert(!kMixed && Engine::kToL0c,
                "Matmul::Iterate to a tensor in L0C: C of the object is in TPosition::CO1, and the "
                "object is that of a cube core");
  if (!on_cube()) return false;
  engine().set_result(localCmatrix);
  return Iterate<sync>(enPartialSum, where);
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
void DAVSIM_MATMUL::GetTensorC(const AscendC::GlobalTensor<DstT>& gm, std::uint8_t enAtomic,
                               bool enSequentialWrite, Location where) {
  if (kMixed == on_cube()) return;
  require_ready("Matmul::GetTensorC", where);
  require_range("Matmul::GetTensorC", "enAtomic", enAtomic, 0, 3, where);
  if constexpr (kMixed) {
    if (!has_block_) {
      fail(isa::FaultClass::kParameter, "Matmul::GetTensorC",
           {"there is no block to get: an Iterate that returns true comes first"}, where);
    }
    has_block_ = false;
  }
  message_.c = message_.place_of(gm, AscendC::CacheRwMode::WRITE, Message::kPastL2C);
  message_.atomic = enAtomic;
  message_.set(Message::kSequential, enSequentialWrite);
  post(MatmulOp::kGet, true, where);
  message_.atomic = 0;
  if (sync) await_all(where);
}

DAVSIM_MATMUL_TEMPLATE
void DAVSIM_MATMUL::require_ub(const char* call, Location where) const {
  if constexpr (!kMixed) {
    fail(isa::FaultClass::kParameter, call,
         {"results of a cube core alone go to global memory; UB is the vector core's"}, where);
  }
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
void DAVSIM_MATMUL::GetTensorC(const AscendC::LocalTensor<DstT>& co2Local, std::uint8_t enAtomic,
                               bool enSequentialWrite, Location where) {
  if (kMixed == on_cube()) return;
  require_ready("Matmul::GetTensorC", where);
  require_ub("Matmul::GetTensorC", where);
  if constexpr (kMixed) {
    require_range("Matmul::GetTensorC (to UB)", "enAtomic", enAtomic, 0, 0, where);
    if (ahead_) {
      const AscendC::GlobalTensor<DstT> block = GetTensorC<false>(0, true, where);
      copy_block(co2Local, block.Operand().addr, enSequentialWrite, where);
      return;
    }
    const std::uint64_t at = client_->box().at(MatmulMailbox::kResultsAt);
    AscendC::GlobalTensor<DstT> gm;
    gm.SetGlobalBuffer(reinterpret_cast<DstT*>(at));
    GetTensorC<true>(gm, 0, true, where);
    copy_block(co2Local, at, enSequentialWrite, where);
  }
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
void DAVSIM_MATMUL::GetTensorC(const AscendC::GlobalTensor<DstT>& gm,
                               const AscendC::LocalTensor<DstT>& co2Local, std::uint8_t enAtomic,
                               bool enSequentialWrite, Location where) {
  if (kMixed == on_cube()) return;
  require_ub("Matmul::GetTensorC", where);
  if constexpr (kMixed) {
    // Both come from one way out of L0C: the block by itself, and from there to C.
    GetTensorC<true>(co2Local, 0, true, where);
    MatmulClient::flow<AscendC::HardEvent::MTE2_MTE3>(where);
    static_cast<void>(enAtomic);
    const MatmulBlock at = place_of(block_ - 1);
    const std::uint32_t rows = std::min(base_m(), message_.m - at.m * base_m());
    const std::uint32_t cols = std::min(base_n(), message_.n - at.n * base_n());
    AscendC::DataCopyExtParams copy;
    copy.blockCount = static_cast<std::uint16_t>(rows);
    copy.blockLen = static_cast<std::uint32_t>(cols * sizeof(DstT));
    copy.srcStride =
        static_cast<std::uint32_t>((base_n() * sizeof(DstT) - matmul_up(copy.blockLen, 32)) / 32);
    const std::uint64_t pitch = enSequentialWrite ? base_n() : message_.org_kc;
    copy.dstStride = static_cast<std::uint32_t>((pitch - cols) * sizeof(DstT));
    const std::uint64_t offset = enSequentialWrite ? 0 : at.m * base_m() * pitch + at.n * base_n();
    AscendC::DataCopyPad(gm[offset], co2Local, copy, where);
  }
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
AscendC::GlobalTensor<typename C_TYPE::T> DAVSIM_MATMUL::GetTensorC(std::uint8_t, bool,
                                                                    Location where) {
  AscendC::GlobalTensor<DstT> block;
  if (kMixed == on_cube()) return block;
  if constexpr (kMixed) {
    if (!ahead_ || fetched_ == blocks()) {
      fail(isa::FaultClass::kParameter, "Matmul::GetTensorC<false>",
           {"there is no block to get: Iterate<false> comes first, and has ", blocks(), " blocks"},
           where);
    }
    client_->await(before_ + fetched_ + 1, where);
    block.SetGlobalBuffer(reinterpret_cast<DstT*>(workspace_) + fetched_ * block_size(),
                          block_size());
    ++fetched_;
  } else {
    fail(isa::FaultClass::kParameter, "Matmul::GetTensorC<false>",
         {"a cube core alone computes block by block: GetTensorC(gm)"}, where);
  }
  return block;
}

DAVSIM_MATMUL_TEMPLATE
MatmulWalk DAVSIM_MATMUL::walk() const {
  const auto step = [](std::int32_t value) {
    return Engine::kMdl && value > 0 ? static_cast<std::uint32_t>(value) : 1u;
  };
  constexpr AscendC::IterateOrder kOrder = Engine::kConfig.iterateOrder;
  const bool n_first = kOrder == AscendC::IterateOrder::UNDEF
                           ? tiling_.iterateOrder == 1
                           : kOrder == AscendC::IterateOrder::ORDER_N;
  return {matmul_parts(message_.m, base_m()),
          matmul_parts(message_.n, base_n()),
          step(tiling_.stepM),
          step(tiling_.stepN),
          n_first,
          Engine::kTriangle};
}

/// A block that lies by itself in global memory to UB: as it is, or to its place in the part.
DAVSIM_MATMUL_TEMPLATE
void DAVSIM_MATMUL::copy_block(const AscendC::LocalTensor<DstT>& ub, std::uint64_t from,
                               bool sequential, Location where) {
  const MatmulBlock at = place_of(ahead_ ? fetched_ - 1 : block_ - 1);
  const std::uint32_t rows = std::min(base_m(), message_.m - at.m * base_m());
  const std::uint32_t cols = std::min(base_n(), message_.n - at.n * base_n());
  if constexpr (C_TYPE::format == AscendC::CubeFormat::NZ) {
    to_ub(ub, from, std::uint64_t{matmul_up(cols, 16)} * base_m(), where);
  } else {
    if (sequential || message_.n <= base_n()) {
      to_ub(sequential ? ub : ub[at.m * base_m() * base_n()], from, std::uint64_t{rows} * base_n(),
            where);
      return;
    }
    AscendC::GlobalTensor<DstT> gm;
    gm.SetGlobalBuffer(reinterpret_cast<DstT*>(from));
    MatmulClient::flow<AscendC::HardEvent::V_MTE2>(where);
    MatmulClient::flow<AscendC::HardEvent::MTE3_MTE2>(where);
    const std::uint32_t pitch = matmul_up(message_.n, 32 / sizeof(DstT));
    AscendC::DataCopyExtParams copy;
    copy.blockCount = static_cast<std::uint16_t>(rows);
    copy.blockLen = static_cast<std::uint32_t>(cols * sizeof(DstT));
    copy.srcStride = static_cast<std::uint32_t>((base_n() - cols) * sizeof(DstT));
    copy.dstStride =
        static_cast<std::uint32_t>((pitch * sizeof(DstT) - matmul_up(copy.blockLen, 32)) / 32);
    AscendC::DataCopyPad(ub[at.m * base_m() * pitch + at.n * base_n()], gm, copy,
                         AscendC::DataCopyPadExtParams<DstT>{}, where);
    MatmulClient::flow<AscendC::HardEvent::MTE2_V>(where);
    MatmulClient::flow<AscendC::HardEvent::MTE2_MTE3>(where);
  }
}

/// The loads wait for what used the tensor before, what follows waits for them.
DAVSIM_MATMUL_TEMPLATE
void DAVSIM_MATMUL::to_ub(const AscendC::LocalTensor<DstT>& ub, std::uint64_t from,
                          std::uint64_t elements, Location where) {
  AscendC::GlobalTensor<DstT> gm;
  gm.SetGlobalBuffer(reinterpret_cast<DstT*>(from));
  MatmulClient::flow<AscendC::HardEvent::V_MTE2>(where);
  MatmulClient::flow<AscendC::HardEvent::MTE3_MTE2>(where);
  AscendC::DataCopyExtParams copy;
  copy.blockLen = static_cast<std::uint32_t>(elements * sizeof(DstT));
  AscendC::DataCopyPad(ub, gm, copy, AscendC::DataCopyPadExtParams<DstT>{}, where);
  MatmulClient::flow<AscendC::HardEvent::MTE2_V>(where);
  MatmulClient::flow<AscendC::HardEvent::MTE2_MTE3>(where);
}

// --- all blocks ----------------------------------------------------------------------------------

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
void DAVSIM_MATMUL::IterateAll(const AscendC::GlobalTensor<DstT>& gm, std::uint8_t enAtomic,
                               bool enSequentialWrite, bool waitIterateAll, bool fakeMsg,
                               Location where) {
  if (kMixed == on_cube() || fakeMsg) return;
  require_ready("Matmul::IterateAll", where);
  // The parts of a block follow each other into the same place.
  constexpr int kLeast = Engine::kPartialOutput ? 1 : 0;
  require_range("Matmul::IterateAll", "enAtomic", enAtomic, kLeast, 3, where);
  message_.c = message_.place_of(gm, AscendC::CacheRwMode::WRITE, Message::kPastL2C);
  message_.atomic = enAtomic;
  message_.set(Message::kSequential, enSequentialWrite);
  post(MatmulOp::kIterateAll, sync || waitIterateAll || sends_operands(), where);
  message_.atomic = 0;
  begun_ = false;
  if (sync) WaitIterateAll(where);
}

DAVSIM_MATMUL_TEMPLATE
template <bool sync>
void DAVSIM_MATMUL::IterateAll(const AscendC::LocalTensor<DstT>& ubCmatrix, std::uint8_t enAtomic,
                               Location where) {
  static_assert(!kOneProduct,
                "Matmul::IterateAll: an object that shares A and B in L1 (IBSHARE) has results in "
                "global memory alone");
  if (kMixed == on_cube()) return;
  require_ready("Matmul::IterateAll", where);
  require_ub("Matmul::IterateAll", where);
  if constexpr (kMixed) {
    constexpr bool kNz = C_TYPE::format == AscendC::CubeFormat::NZ;
    const std::uint32_t pitch = matmul_up(message_.n, 32 / sizeof(DstT));
    const std::uint64_t elements =
        kNz ? std::uint64_t{matmul_up(message_.m, 16)} * matmul_up(message_.n, 16)
            : std::uint64_t{message_.m} * pitch;
    const std::uint64_t at = client_->box().at(MatmulMailbox::kResultsAt);
    if (elements * sizeof(DstT) > MatmulMailbox::kOperandsAt - MatmulMailbox::kResultsAt) {
      refuse("Matmul::IterateAll", "bytes of C in UB",
             static_cast<std::int64_t>(elements * sizeof(DstT)),
             {"up to ", MatmulMailbox::kOperandsAt - MatmulMailbox::kResultsAt}, where);
    }
    AscendC::GlobalTensor<DstT> gm;
    gm.SetGlobalBuffer(reinterpret_cast<DstT*>(at));
    const Message kept = message_;
    message_.org_kc = pitch;
    message_.org_m = kNz ? message_.m : message_.org_m;
    IterateAll<true>(gm, enAtomic, false, false, false, where);
    message_.org_kc = kept.org_kc;
    message_.org_m = kept.org_m;
    to_ub(ubCmatrix, at, elements, where);
  }
}

}  // namespace davsim::api
