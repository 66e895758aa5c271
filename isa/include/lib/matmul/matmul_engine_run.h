// How a MatmulEngine runs: what it checks, and the instructions of a base block. Included by
// matmul_engine.h.
#pragma once

#define DAVSIM_MATMUL_ENGINE                                                        \
  template <class AType, class BType, class CType, class BiasType, const auto& CFG, \
            class CallBack>                                                         \
  void MatmulEngine<AType, BType, CType, BiasType, CFG, CallBack>

namespace davsim::api {

/// Refuses a tiling: "Matmul::Init: baseM is 100, allowed are ...".
inline void require_tiling(bool kept, const char* field, std::int64_t value, isa::Message rule,
                           Location where) {
  if (!kept) refuse("Matmul::Init", field, value, rule, where);
}

/// The rules that every tiling has to keep. `bits` are those of an element of A and B.
inline void check_matmul_tiling(const TCubeTiling& t, std::int64_t bits, Location where) {
  const auto positive = [&](const char* field, std::int64_t value) {
    require_tiling(value > 0, field, value, {"positive numbers"}, where);
  };
  positive("singleCoreM", t.singleCoreM);
  positive("singleCoreN", t.singleCoreN);
  positive("singleCoreK", t.singleCoreK);
  positive("baseM", t.baseM);
  positive("baseN", t.baseN);
  positive("baseK", t.baseK);
  positive("depthA1", t.depthA1);
  positive("depthB1", t.depthB1);
  require_tiling(t.baseM % 16 == 0, "baseM", t.baseM, {"multiples of 16"}, where);
  require_tiling(t.baseN % 16 == 0, "baseN", t.baseN, {"multiples of 16"}, where);
  require_tiling(t.baseK * bits % 256 == 0, "baseK", t.baseK,
                 {"multiples of ", 256 / bits, ", 32 bytes"}, where);
  const auto fits = [&](const char* what, std::int64_t bytes, isa::Space space) {
    const auto room = static_cast<std::int64_t>(isa::current_core().buffer_size(space));
    require_tiling(bytes <= room, what, bytes, {"up to ", room, " bytes"}, where);
  };
  const std::int64_t db_a = std::max(t.dbL0A, 1), db_b = std::max(t.dbL0B, 1);
  fits("baseM * baseK * dbL0A in bytes", std::int64_t{t.baseM} * t.baseK * bits / 8 * db_a,
       isa::Space::kL0A);
  fits("baseN * baseK * dbL0B in bytes", std::int64_t{t.baseN} * t.baseK * bits / 8 * db_b,
       isa::Space::kL0B);
  fits("baseM * baseN * 4 * dbL0C", std::int64_t{t.baseM} * t.baseN * 4 * std::max(t.dbL0C, 1),
       isa::Space::kL0C);
  if (t.isBias != 0) fits("baseN * 4 (bias)", std::int64_t{t.baseN} * 4, isa::Space::kBt);
}

DAVSIM_MATMUL_ENGINE::set_tiling(const TCubeTiling& given, Location where) {
  tiling_ = matmul_tiling_with(CFG, given);
  check_matmul_tiling(tiling_, isa::dtype_bits(dtype_of<TA>()), where);
  const auto step = [](std::int32_t value) {
    return kMdl && value > 0 ? static_cast<std::uint32_t>(value) : 1u;
  };
  a.set_up(base_m(), base_k(), step(tiling_.stepM), step(tiling_.stepKa),
           static_cast<std::uint32_t>(tiling_.depthA1));
  if constexpr (kSparse) {
    require_tiling(tiling_.baseK % 64 == 0, "baseK", tiling_.baseK,
                   {"multiples of 64, as B is sparse"}, where);
  }
  b.set_up(base_n(), k_of_b(base_k()), step(tiling_.stepN), step(tiling_.stepKb),
           static_cast<std::uint32_t>(tiling_.depthB1));
  halves_ = tiling_.dbL0A > 1 && tiling_.dbL0B > 1;
  results_ = tiling_.dbL0C > 1 ? 2 : 1;
  has_rows_ = true;
  reset_shape();
}

DAVSIM_MATMUL_ENGINE::take_events(Location where) {
  if (has_events_) return;
  using AscendC::HardEvent;
  AscendC::TPipe* pipe = AscendC::GetTPipePtr(where);
  loaded_ = pipe->AllocEventID<HardEvent::MTE1_M>(where);
  summed_ = pipe->AllocEventID<HardEvent::M_FIX>(where);
  emptied_ = pipe->AllocEventID<HardEvent::FIX_M>(where);
  if constexpr (kMayQuantise) {
    words_in_ = pipe->AllocEventID<HardEvent::MTE2_FIX>(where);
    words_out_ = pipe->AllocEventID<HardEvent::FIX_MTE2>(where);
  }
  has_events_ = true;
  AscendC::SetLoadDataPaddingValue(std::uint32_t{0}, where);
  if (hf32) {
    AscendC::SetHF32Mode(true, where);
    AscendC::SetHF32TransMode(hf32_away, where);
  }
}

DAVSIM_MATMUL_ENGINE::begin(Location where) {
  const auto whole = [](std::uint32_t part, std::uint32_t matrix, bool in_l1) {
    return in_l1 ? part : matrix;
  };
  constexpr bool kAInL1 = MatmulOperand<AType, true>::kFromL1;
  constexpr bool kBInL1 = MatmulOperand<BType, false>::kFromL1;
  a.operand.side_size = whole(shape.m, shape.org_m, kAInL1);
  a.operand.k_size = whole(shape.k, shape.org_ka, kAInL1);
  b.operand.side_size = whole(shape.n, shape.org_n, kBInL1);
  b.operand.k_size = k_of_b(whole(shape.k, shape.org_kb, kBInL1));
  if constexpr (kSparse) {
    require_range("Matmul::Iterate", "singleK modulo 64, as B is sparse,", shape.k % 64, 0, 0,
                  where);
  }
  bool n_first = tiling_.iterateOrder == 1;
  if (kConfig.iterateOrder != AscendC::IterateOrder::UNDEF) {
    n_first = kConfig.iterateOrder == AscendC::IterateOrder::ORDER_N;
  }
  const auto step = [](std::int32_t value) {
    return kMdl && value > 0 ? static_cast<std::uint32_t>(value) : 1u;
  };
  walk_ = MatmulWalk(matmul_parts(shape.m, base_m()), matmul_parts(shape.n, base_n()),
                     step(tiling_.stepM), step(tiling_.stepN), n_first, kTriangle);
  a.begin(shape.m, shape.k, walk_, where);
  b.begin(shape.n, k_of_b(shape.k), walk_, where);
  bias_ring_.free_all(where);
  steps_ = matmul_parts(shape.k, base_k());
  iterates_ = iterates(shape.k, tiling_);
  computed_ = 0;
  begun_ = true;
}

template <class AType, class BType, class CType, class BiasType, const auto& CFG, class CallBack>
bool MatmulEngine<AType, BType, CType, BiasType, CFG, CallBack>::iterate(bool partial,
                                                                         Location where) {
  if (!ready_) {
    fail(isa::FaultClass::kParameter, "Matmul::Iterate",
         {"the object has no tiling: Init or REGIST_MATMUL_OBJ comes first"}, where);
  }
  if (has_bias && tiling_.isBias == 0) {
    fail(isa::FaultClass::kParameter, "Matmul::Iterate",
         {"SetBias was called, but isBias of the tiling is 0: the host's EnableBias(true) makes "
          "room for a bias"},
         where);
  }
  if (has_bias) require_rows("Matmul::SetBias", "bytes of L1 for the bias", bias_bytes(), where);
  if (!begun_) begin(where);
  take_events(where);
  if (computed_ == walk_.count() * iterates_) {
    begun_ = false;
    return false;
  }
  if (!partial && waits_for_get_) {
    fail(isa::FaultClass::kParameter, "Matmul::Iterate",
         {"the block of the Iterate in line ", iterated_.line(),
          " is still in L0C: GetTensorC comes between two Iterates"},
         where);
  }
  const MatmulBlock at = walk_.at(computed_ / iterates_);
  rows_ = std::min(base_m(), shape.m - at.m * base_m());
  cols_ = std::min(base_n(), shape.n - at.n * base_n());
  at_ = at;
  if (!partial) {
    ++block_;
    if constexpr (kToL0c) {
      if (!has_result_) {
        fail(isa::FaultClass::kParameter, "Matmul::Iterate",
             {"C is in CO1: the tensor for it comes with Iterate(enPartialSum, co1Local)"}, where);
      }
    }
  }
  // More products on a block that was stored come behind its store, as those of a new block do.
  const bool awaits_store = !partial || (!kToL0c && !waits_for_get_);
  const std::uint32_t may_be_stored = partial ? 0 : results_ - 1;
  while (awaits_store && !kUnitFlag && stored_ - awaited_stores_ > may_be_stored) {
    AscendC::WaitFlag<AscendC::HardEvent::FIX_M>(emptied_, where);
    ++awaited_stores_;
  }
  compute(partial, kUnitFlag && awaits_store, where);
  partial_ = !awaits_store;
  ++computed_;
  waits_for_get_ = !kToL0c;
  iterated_ = where;
  return true;
}

DAVSIM_MATMUL_ENGINE::compute(bool partial, bool unit_flags, Location where) {
  using AscendC::HardEvent;
  constexpr std::int32_t kBiasTable = 2;  // its event of M_MTE1
  const auto tiling = reinterpret_cast<std::uint64_t>(&tiling_);
  const std::uint32_t block = computed_ / iterates_;
  const std::uint32_t first = kPartialOutput ? computed_ % iterates_ : 0;
  const std::uint32_t end = kPartialOutput ? first + 1 : steps_;
  for (std::uint32_t step = first; step < end; ++step) {
    isa::note_scalar_call(kScalarStep);
    const bool from_bias = has_bias && step == 0 && !partial;
    a.fetch(block, step, user_info != 0 ? user_info : tiling, self_data, where);
    b.fetch(block, step, user_info != 0 ? user_info : tiling, self_data, where);
    const std::int32_t half = halves_ ? static_cast<std::int32_t>(products_++ & 1) : 0;
    AscendC::WaitFlag<HardEvent::M_MTE1>(half, where);
    // The type of a bias that an object does not have may be any, such as that of C.
    if constexpr (kMatmulBias<TA, TBias>) {
      if (from_bias) {
        load_bias(where);
        AscendC::WaitFlag<HardEvent::M_MTE1>(kBiasTable, where);
        copy_bias(where);
      }
    }
    a.load_l0(l0<TA>(AscendC::TPosition::A2, half), block, step, where);
    b.load_l0(l0<TB>(AscendC::TPosition::B2, half), block, step, where);
    AscendC::SetFlag<HardEvent::MTE1_M>(loaded_, where);
    AscendC::WaitFlag<HardEvent::MTE1_M>(loaded_, where);
    // More products on a block that was handed over already do not wait for Fixpipe to free it.
    const std::uint8_t unit_flag = !unit_flags ? 0 : step + 1 == end ? 3 : 2;
    multiply(step, partial || step > first, unit_flag, half, where);
    AscendC::SetFlag<HardEvent::M_MTE1>(half, where);
    if (from_bias) AscendC::SetFlag<HardEvent::M_MTE1>(kBiasTable, where);
    a.used(block, step, where);
    b.used(block, step, where);
  }
}

/// GM to L1: the row of bias of these columns, as a matrix of one row, which may have any length.
DAVSIM_MATMUL_ENGINE::load_bias(Location where) {
  bias_slot_ = bias_ring_.find(at_.n);
  if (bias_slot_ == bias_ring_.slots()) {
    if (!bias_ring_.has_room()) bias_ring_.free_oldest(where);
    bias_slot_ = bias_ring_.begin_load(at_.n, where);
    AscendC::Nd2NzParams copy;
    copy.ndNum = copy.nValue = copy.dstNzC0Stride = copy.dstNzNStride = 1;
    copy.dValue = copy.srcDValue = static_cast<std::uint16_t>(cols_);
    AscendC::DataCopy(bias_row(), bias[std::uint64_t{at_.n} * base_n()], copy, where);
    if constexpr (sizeof(TBias) == 4) {
      // The bias table takes 64 bytes at a time.
      constexpr std::uint32_t kBlock = isa::kBlockBytes / sizeof(TBias);
      const std::uint32_t blocks = matmul_parts(cols_, kBlock);
      if (blocks % 2 != 0) {
        AscendC::Fill(bias_row()[blocks * kBlock],
                      AscendC::InitConstValueParams<TBias>(1, 1, 0, TBias(0)), where);
      }
    }
    bias_ring_.end_load(where);
  }
  bias_ring_.await_full(bias_slot_, where);
}

DAVSIM_MATMUL_ENGINE::copy_bias(Location where) {
  constexpr std::uint32_t kTableUnit = 64;
  AscendC::DataCopyParams copy;
  copy.blockLen = static_cast<std::uint16_t>(matmul_parts(cols_ * 4, kTableUnit));
  AscendC::DataCopy(bias_table(), bias_row(), copy, where);
}

DAVSIM_MATMUL_ENGINE::multiply(std::uint32_t step, bool adds, std::uint8_t unit_flag,
                               std::int32_t half, Location where) {
  // Sums of this many fractals are long enough for the next product on them.
  constexpr std::uint32_t kLongFractals = 10;
  AscendC::MmadParams mmad;
  // A product of one row would be a matrix-vector product, which needs another layout of A.
  mmad.m = static_cast<std::uint16_t>(rows_ == 1 ? 16 : rows_);
  mmad.n = static_cast<std::uint16_t>(cols_);
  mmad.k = static_cast<std::uint16_t>(std::min(base_k(), shape.k - step * base_k()));
  mmad.kDirectionAlign = !a.operand.k_in_columns();
  mmad.cmatrixInitVal = !adds;
  mmad.unitFlag = unit_flag;
  if (adds && matmul_parts(rows_, 16) * matmul_parts(cols_, 16) < kLongFractals) {
    AscendC::PipeBarrier<PIPE_M>(where);
  }
  const auto in_a = l0<TA>(AscendC::TPosition::A2, half);
  const auto in_b = l0<TB>(AscendC::TPosition::B2, half);
  if (has_bias && !adds && step == 0) {
    mmad.cmatrixInitVal = false;
    mmad.cmatrixSource = true;  // the start of the bias table, which is where bias_table() lies
  }
  if constexpr (kSparse) {
    AscendC::MmadWithSparse(sums(), in_a, in_b, mmad, where);
  } else {
    AscendC::Mmad(sums(), in_a, in_b, mmad, where);
  }
}

template <class AType, class BType, class CType, class BiasType, const auto& CFG, class CallBack>
MatmulTarget MatmulEngine<AType, BType, CType, BiasType, CFG, CallBack>::target(
    bool sequential) const {
  constexpr bool kAligned = CType::format == AscendC::CubeFormat::ND_ALIGN;
  const std::uint64_t wide = kAligned ? matmul_up(shape.org_kc, 32 / sizeof(TC)) : shape.org_kc;
  return {
      at_.m * base_m(), at_.n * base_n(), rows_,   cols_, shape.org_m, c_pitch > 0 ? c_pitch : wide,
      sequential,       base_m(),         base_n()};
}

DAVSIM_MATMUL_ENGINE::fetch_words(const MatmulTarget& to, Location where) {
  using AscendC::HardEvent;
  require_rows("Matmul::SetQuantVector", "bytes of L1 for its words", words_bytes(), where);
  AscendC::SetFlag<HardEvent::FIX_MTE2>(words_out_, where);
  AscendC::WaitFlag<HardEvent::FIX_MTE2>(words_out_, where);
  // Words of 64 bits as twice as many of 32, a matrix of one row.
  AscendC::Nd2NzParams copy;
  copy.ndNum = copy.nValue = copy.dstNzC0Stride = copy.dstNzNStride = 1;
  copy.dValue = copy.srcDValue = static_cast<std::uint16_t>(2 * to.cols);
  AscendC::DataCopy(words().template ReinterpretCast<std::uint32_t>(),
                    conversion.words[to.col].template ReinterpretCast<std::uint32_t>(), copy,
                    where);
  // Fixpipe takes 128 bytes of words at a time.
  constexpr std::uint32_t kWordsOfBlock = isa::kBlockBytes / sizeof(std::uint32_t), kUnit = 4;
  const std::uint32_t blocks = matmul_parts(2 * to.cols, kWordsOfBlock);
  if (blocks % kUnit != 0) {
    AscendC::Fill(words().template ReinterpretCast<std::uint32_t>()[blocks * kWordsOfBlock],
                  AscendC::InitConstValueParams<std::uint32_t>(
                      1, static_cast<std::uint16_t>(kUnit - blocks % kUnit), 0, 0),
                  where);
  }
  AscendC::SetFlag<HardEvent::MTE2_FIX>(words_in_, where);
  AscendC::WaitFlag<HardEvent::MTE2_FIX>(words_in_, where);
}

DAVSIM_MATMUL_ENGINE::get(const AscendC::GlobalTensor<TC>& gm, std::uint8_t atomic, bool sequential,
                          Location where) {
  using AscendC::HardEvent;
  if (!waits_for_get_) {
    fail(isa::FaultClass::kParameter, "Matmul::GetTensorC",
         {"there is no block to get: an Iterate that returns true comes first"}, where);
  }
  if (!kUnitFlag || partial_) {
    AscendC::SetFlag<HardEvent::M_FIX>(summed_, where);
    AscendC::WaitFlag<HardEvent::M_FIX>(summed_, where);
  }
  const MatmulTarget to = target(sequential);
  AscendC::LocalTensor<std::uint64_t> column_words = words();
  if constexpr (kMayQuantise) {
    if (conversion.quant == MatmulQuant::kVector) {
      if (conversion.words_in_l1) {
        column_words = conversion.l1_words[to.col];
      } else {
        fetch_words(to, where);
      }
    }
  }
  // What is added to may be a block that this object has stored.
  if (atomic != 0 && written_) AscendC::PipeBarrier<PIPE_FIX>(where);
  written_ = atomic == 0;
  if (atomic == 1) AscendC::SetAtomicAdd<TC>(where);
  if (atomic == 2) AscendC::SetAtomicMax<TC>(where);
  if (atomic == 3) AscendC::SetAtomicMin<TC>(where);
  if constexpr (CallBack::DataCopyOutPtr != nullptr) {
    call_out(gm, to);
  } else {
    Store::store(gm, sums(), to, conversion, column_words, kUnitFlag, where);
  }
  if (atomic != 0) AscendC::SetAtomicNone(where);
  if (kUnitFlag) {
    handed_over_ = true;
  } else {
    AscendC::SetFlag<HardEvent::FIX_M>(emptied_, where);
    ++stored_;
  }
  waits_for_get_ = false;
}

DAVSIM_MATMUL_ENGINE::call_out(const AscendC::GlobalTensor<TC>& gm, const MatmulTarget& to) {
  if constexpr (CallBack::DataCopyOutPtr != nullptr) {
    AscendC::DataCopyOutParams params;
    params.cBurstNum = static_cast<std::uint16_t>(matmul_parts(to.cols, 16));
    params.burstLen = static_cast<std::uint16_t>(to.rows * 16 * sizeof(Sum) / isa::kBlockBytes);
    params.srcStride = static_cast<std::uint16_t>(matmul_up(to.rows, 16));
    params.dstStride = static_cast<std::uint32_t>(to.pitch);
    params.oriNSize = static_cast<std::uint16_t>(to.cols);
    params.enUnitFlag = kUnitFlag;
    params.quantScalar = conversion.scalar;
    params.cbufWorkspaceAddr = words_at_;
    const auto tiling = reinterpret_cast<std::uint64_t>(&tiling_);
    CallBack::DataCopyOutPtr(gm[Store::offset(to)].GetPhyAddr(),
                             sums().template ReinterpretCast<std::int8_t>(), &params,
                             user_info != 0 ? user_info : tiling, self_data);
  }
}

DAVSIM_MATMUL_ENGINE::leave(Location where, bool all) {
  using AscendC::HardEvent;
  if (all) {
    a.end_shared(where);
    b.end_shared(where);
  }
  if (!has_events_) return;
  a.end(where);
  b.end(where);
  bias_ring_.end(where);
  if (handed_over_) {
    // What writes L0C next may not heed unit flags.
    AscendC::SetFlag<HardEvent::FIX_M>(emptied_, where);
    ++stored_;
    handed_over_ = false;
  }
  for (; awaited_stores_ < stored_; ++awaited_stores_) {
    AscendC::WaitFlag<HardEvent::FIX_M>(emptied_, where);
  }
  if (hf32) AscendC::SetHF32Mode(false, where);
  release_matmul_event<HardEvent::MTE1_M>(loaded_, where);
  release_matmul_event<HardEvent::M_FIX>(summed_, where);
  release_matmul_event<HardEvent::FIX_M>(emptied_, where);
  if constexpr (kMayQuantise) {
    release_matmul_event<HardEvent::MTE2_FIX>(words_in_, where);
    release_matmul_event<HardEvent::FIX_MTE2>(words_out_, where);
  }
  has_events_ = false;
}

}  // namespace davsim::api

#undef DAVSIM_MATMUL_ENGINE
