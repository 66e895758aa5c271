// Matmul objects on cube cores alone: types, layouts, transposes, tails, tilings.
#include "tests/matmul/matmul_fixture.hpp"
#include "tests/op_host/matmul_wishes.hpp"

namespace davsim::test {
namespace {

struct Case {
  int variant;
  std::uint32_t m, n, k;
  bool trans_a = false, trans_b = false, bias = false;
  MatmulUse use = MatmulUse::kAll;
};

class MatmulCubeOnly : public MatmulTest {
 protected:
  /// `TIn` of A and B, `TOut` of C, `c0` columns of a fractal or 0.
  template <class TIn, class TOut, class TBias, class Set>
  void run(const Case& c, DataType type, std::uint32_t c0, Set set, std::uint32_t blocks = 1) {
    SCOPED_TRACE(::testing::Message()
                 << "variant " << c.variant << ", " << c.m << " x " << c.n << " x " << c.k
                 << (c.trans_a ? ", A transposed" : "") << (c.trans_b ? ", B transposed" : ""));
    TestMatrix a = test_matrix(c.m, c.k, 1), b = test_matrix(c.k, c.n, 2);
    if (c.use == MatmulUse::kNumberA) a.values.assign(a.values.size(), 2);
    if (c.use == MatmulUse::kNumberB) b.values.assign(b.values.size(), 2);
    MatmulTestCall call;
    call.variant = c.variant;
    call.use = c.use;
    call.trans_a = c.trans_a;
    call.trans_b = c.trans_b;
    call.bias = c.bias;
    call.tiling = tiling(type, c.m, c.n, c.k, [&](auto& api) {
      api.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, c.trans_a);
      api.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, c.trans_b);
      api.EnableBias(c.bias);
      api.SetDim(static_cast<int>(blocks));
      set(api);
    });
    change(call);
    const std::uint32_t high = (c.m + 15) / 16 * 16, wide = (c.n + 15) / 16 * 16;
    TOut* out = global<TOut>(std::size_t{high} * wide, "c", [](std::size_t) { return TOut(0); });
    TBias* bias = global<TBias>(c.n, "bias", [](std::size_t i) {
      return TBias(static_cast<float>(static_cast<int>(i % 5) - 2));
    });
    std::uint8_t *in_a, *in_b;
    if constexpr (std::is_same_v<TIn, isa::int4b_t>) {
      in_a = stored_int4(a, c.trans_a);
      in_b = stored_int4(b, c.trans_b);
    } else {
      in_a = bytes(stored<TIn>(a, c.trans_a, c0));
      in_b = bytes(stored<TIn>(b, c.trans_b, c0));
    }
    device().launch("cube_only", blocks, in_a, in_b, bytes(bias), bytes(out), bytes(words_), call);
    for (std::uint32_t row = 0; row < c.m; ++row) {
      for (std::uint32_t col = 0; col < c.n; ++col) {
        const int sum = product(a, b, row, col) + (c.bias ? static_cast<int>(col % 5) - 2 : 0);
        const float expected = expected_of(sum, col);
        std::size_t at = std::size_t{row} * c.n + col;
        if (c0 != 0) at = std::size_t{col / 16} * high * 16 + row * 16 + col % 16;
        if (c.use == MatmulUse::kSequential) at = dense(call.tiling, row, col);
        ASSERT_EQ(static_cast<float>(out[at]), expected) << "row " << row << ", column " << col;
      }
    }
    expect_clean();
  }
  template <class TIn, class TOut, class TBias>
  void run(const Case& c, DataType type, std::uint32_t c0 = 0) {
    run<TIn, TOut, TBias>(c, type, c0, [](auto&) {});
  }

  static std::size_t dense(const Tiling& t, std::uint32_t row, std::uint32_t col) {
    const auto m = static_cast<std::uint32_t>(t.baseM), n = static_cast<std::uint32_t>(t.baseN);
    const std::uint32_t rows = (static_cast<std::uint32_t>(t.M) + m - 1) / m;
    const std::uint32_t cols = (static_cast<std::uint32_t>(t.N) + n - 1) / n;
    const std::size_t block = t.iterateOrder == 0 ? row / m + std::size_t{col / n} * rows
                                                  : col / n + std::size_t{row / m} * cols;
    return block * m * n + row % m * n + col % n;
  }

  std::function<float(int, std::uint32_t)> expected_of = [](int sum, std::uint32_t) {
    return static_cast<float>(sum);
  };
  std::function<void(MatmulTestCall&)> change = [](MatmulTestCall&) {};
  std::uint64_t* words_ = global<std::uint64_t>(512, "words", [](std::size_t) { return 0; });
};

TEST_F(MatmulCubeOnly, MultipliesHalfOfAnyShapeAndOrientation) {
  for (const auto& [m, n, k] : {std::tuple(64u, 64u, 64u),
                                {1u, 1u, 1u},
                                {17u, 33u, 65u},
                                {100u, 200u, 300u},
                                {130u, 250u, 40u},
                                {33u, 300u, 520u}}) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        run<isa::half, float, float>({0, m, n, k, ta, tb, m % 2 == 0}, DataType::DT_FLOAT16);
        run<isa::half, float, float>({1, m, n, k, ta, tb, m % 2 == 1}, DataType::DT_FLOAT16);
      }
    }
  }
}

TEST_F(MatmulCubeOnly, FollowsTilingsOfManyKinds) {
  for (const auto& [base_m, base_n, base_k] :
       {std::tuple(16, 16, 16), {32, 64, 32}, {64, 48, 80}, {128, 128, 16}}) {
    for (const auto traverse :
         {matmul_tiling::MatrixTraverse::FIRSTM, matmul_tiling::MatrixTraverse::FIRSTN}) {
      for (const int l1 : {-1, 40 * 1024}) {
        for (const int variant : {0, 1}) {
          run<isa::half, float, float>({variant, 150, 170, 190, false, false, true},
                                       DataType::DT_FLOAT16, 0, [&](auto& api) {
                                         api.SetFixSplit(base_m, base_n, base_k);
                                         api.SetTraverse(traverse);
                                         api.SetBufferSpace(l1, -1, -1);
                                       });
        }
      }
    }
  }
}

TEST_F(MatmulCubeOnly, TakesGroupsOfBlocksAndSingleBuffers) {
  for (const int steps : {1, 2, 3}) {
    for (const int buffers : {1, 2}) {
      change = [&](MatmulTestCall& call) {
        Tiling& t = call.tiling;
        t.stepM = steps;
        t.stepN = 2;
        t.stepKa = t.stepKb = 4;
        t.depthA1 = buffers * t.stepM * t.stepKa;
        t.depthB1 = t.stepN * t.stepKb;
        t.dbL0A = t.dbL0B = t.dbL0C = buffers;
      };
      run<isa::half, float, float>({1, 150, 170, 128, false, false, false}, DataType::DT_FLOAT16, 0,
                                   [](auto& api) { api.SetFixSplit(32, 48, 32); });
    }
  }
}

TEST_F(MatmulCubeOnly, WorksOnSeveralCores) {
  run<isa::half, float, float>(
      {0, 1000, 640, 256, false, false, true}, DataType::DT_FLOAT16, 0, [](auto&) {}, 12);
}

TEST_F(MatmulCubeOnly, MultipliesTheOtherTypes) {
  for (const auto& [m, n, k] : {std::tuple(64u, 64u, 64u), {17u, 33u, 65u}, {100u, 130u, 96u}}) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        run<isa::bfloat16_t, isa::bfloat16_t, float>({2, m, n, 16, ta, tb, true},
                                                     DataType::DT_BF16);
        run<float, float, float>({3, m, n, k, ta, tb, true}, DataType::DT_FLOAT);
        run<std::int8_t, std::int32_t, std::int32_t>({4, m, n, k, ta, tb, true}, DataType::DT_INT8);
      }
    }
  }
  for (const bool tb : {false, true}) {
    run<isa::int4b_t, std::int32_t, std::int32_t>({7, 64, 128, 192, false, tb, false},
                                                  DataType::DT_INT4);
    run<isa::int4b_t, std::int32_t, std::int32_t>({7, 33, 64, 128, false, tb, false},
                                                  DataType::DT_INT4);
  }
}

/// The documented use: the other matrix summed up along k.
TEST_F(MatmulCubeOnly, TakesANumberInsteadOfAMatrix) {
  for (const bool turned : {false, true}) {
    run<isa::half, float, float>({0, 1, 70, 300, turned, turned, true, MatmulUse::kNumberA},
                                 DataType::DT_FLOAT16);
    run<float, float, float>({3, 33, 1, 100, turned, turned, true, MatmulUse::kNumberB},
                             DataType::DT_FLOAT);
    run<isa::half, float, float>({1, 40, 70, 90, turned, turned, false, MatmulUse::kNumberB},
                                 DataType::DT_FLOAT16, 0,
                                 [](auto& api) { api.SetFixSplit(16, 32, 32); });
  }
}

TEST_F(MatmulCubeOnly, FollowsBothOrdersWhereTheLastCoresHaveLess) {
  for (const auto traverse :
       {matmul_tiling::MatrixTraverse::FIRSTM, matmul_tiling::MatrixTraverse::FIRSTN}) {
    for (const MatmulUse use : {MatmulUse::kAll, MatmulUse::kBlocks}) {
      run<isa::half, float, float>(
          {0, 130, 170, 96, false, false, true, use}, DataType::DT_FLOAT16, 0,
          [&](auto& api) {
            api.SetFixSplit(32, 32, 32);
            api.SetSingleShape(64, 96, -1);
            api.SetTraverse(traverse);
          },
          6);
    }
  }
}

/// 4096.5 has bits more than HF32 keeps of a factor.
TEST_F(MatmulCubeOnly, RoundsFactorsToHf32WhenAsked) {
  constexpr std::uint32_t kSide = 32;
  for (const bool hf32 : {false, true}) {
    auto* a = global<float>(kSide * kSide, "a", [](std::size_t) { return 4096.5f; });
    auto* b = global<float>(kSide * kSide, "b",
                            [](std::size_t i) { return i % (kSide + 1) == 0 ? 1.f : 0.f; });
    auto* c = global<float>(kSide * kSide, "c", [](std::size_t) { return 0.f; });
    MatmulTestCall call;
    call.variant = 3;
    call.hf32 = hf32;
    call.tiling = tiling(DataType::DT_FLOAT, kSide, kSide, kSide, [](auto&) {});
    device().launch("cube_only", 1, bytes(a), bytes(b), static_cast<std::uint8_t*>(nullptr),
                    bytes(c), bytes(words_), call);
    for (std::uint32_t i = 0; i < kSide * kSide; ++i) EXPECT_EQ(c[i], hf32 ? 4096.f : 4096.5f);
    expect_clean();
  }
}

TEST_F(MatmulCubeOnly, ReadsAndWritesFractals) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      run<isa::half, float, float>({8, 96, 80, 112, ta, tb, true}, DataType::DT_FLOAT16, 16);
    }
  }
}

TEST_F(MatmulCubeOnly, MultipliesAVectorAndHandsL0COverBlockByBlock) {
  run<isa::half, isa::half, isa::half>({9, 1, 300, 200, false, false, true}, DataType::DT_FLOAT16);
  run<isa::half, isa::half, isa::half>({10, 150, 170, 190, false, false, true},
                                       DataType::DT_FLOAT16);
}

TEST_F(MatmulCubeOnly, TakesATilingThatIsConstant) {
  for (const int variant : {12, 17}) {
    run<isa::half, float, float>({variant, 96, 80, 200, false, false, true}, DataType::DT_FLOAT16);
  }
}
TEST_F(MatmulCubeOnly, TakesBaseBlocksThatAreConstantWithARestThatIsNot) {
  for (const int steps : {1, 3}) {
    change = [&](MatmulTestCall& call) {
      Tiling& t = call.tiling;
      t.stepKa = t.stepKb = steps;
      t.depthA1 = t.depthB1 = 2 * steps;
    };
    run<isa::half, float, float>({16, 150, 170, 190, false, false, true}, DataType::DT_FLOAT16, 0,
                                 [](auto& api) { api.SetFixSplit(32, 64, 32); });
  }
}

/// Base blocks are those of the tiling at run time where the configuration names none.
TEST_F(MatmulCubeOnly, TakesConstantsThatLeaveSizesToTheTiling) {
  for (const int variant : {13, 14}) {
    run<isa::half, float, float>({variant, 64, 128, 90, false, false, true, MatmulUse::kSequential},
                                 DataType::DT_FLOAT16, 0,
                                 [](auto& api) { api.SetFixSplit(32, 64, 32); });
  }
}

/// Rows of bias and of quantisation words have no room in L1 then, and need none.
TEST_F(MatmulCubeOnly, LetsOperandsFillL1WhereNoBiasIsSet) {
  expected_of = [](int sum, std::uint32_t) { return static_cast<float>(isa::half(sum)); };
  const auto types = DataType::DT_FLOAT16;
  for (const bool tb : {false, true}) {
    run<isa::half, isa::half, isa::half>({15, 150, 600, 1100, false, tb}, types);
  }
  change = [](MatmulTestCall& call) {
    Tiling& t = call.tiling;
    t.baseM = 128, t.baseN = 256, t.baseK = 64;
    t.depthA1 = 16, t.depthB1 = 8, t.stepKa = 8, t.stepKb = 4, t.stepM = t.stepN = 1;
    t.dbL0A = t.dbL0B = 2, t.dbL0C = 1;
    t.isBias = 1;
  };
  run<isa::half, isa::half, isa::half>({10, 150, 300, 1100}, types);
  const isa::Fault bias = fault_of([&] {
    run<isa::half, isa::half, isa::half>({10, 150, 300, 1100, false, false, true}, types);
  });
  EXPECT_NE(std::string(bias.what()).find("bytes of L1 for the bias is 1024, allowed are none"),
            std::string::npos)
      << bias.what();
}
TEST_F(MatmulCubeOnly, RefusesAVectorOfWordsWhereOperandsFillL1) {
  change = [](MatmulTestCall& call) {
    Tiling& t = call.tiling;
    t.baseM = 128, t.baseN = 256, t.baseK = 128;
    t.depthA1 = 16, t.depthB1 = 8, t.stepKa = t.stepKb = t.stepM = t.stepN = 1;
    t.dbL0A = t.dbL0B = 2, t.dbL0C = 1;
    call.quant = 1;
    call.quant_word = word_of(0.5f);
  };
  expected_of = [](int sum, std::uint32_t) {
    return static_cast<float>(isa::half(0.5f * static_cast<float>(sum)));
  };
  run<std::int8_t, isa::half, std::int32_t>({5, 150, 300, 1100}, DataType::DT_INT8);
  const auto by_word = change;
  change = [&](MatmulTestCall& call) {
    by_word(call);
    call.quant = 2;
  };
  const isa::Fault words = fault_of([&] {
    run<std::int8_t, isa::half, std::int32_t>({5, 150, 300, 1100}, DataType::DT_INT8);
  });
  EXPECT_NE(std::string(words.what()).find("bytes of L1 for its words is 2048, allowed are none"),
            std::string::npos)
      << words.what();
}

TEST_F(MatmulCubeOnly, RowsOfInt8AreSixteenInL1WhereTheTypeIsNeverTransposed) {
  // 16 rows of 12288 of A and two loads of B fill 448 of 512 KiB; 32 rows would not fit.
  change = [](MatmulTestCall& call) {
    Tiling& t = call.tiling;
    t.baseM = 16, t.baseN = 256, t.baseK = 128;
    t.depthA1 = t.stepKa = 96, t.depthB1 = 8, t.stepKb = 4, t.stepM = t.stepN = 1;
    t.dbL0A = t.dbL0B = 2, t.dbL0C = 1;
  };
  const auto multiply = [&](int variant) {
    run<std::int8_t, std::int32_t, std::int32_t>({variant, 3, 40, 12288}, DataType::DT_INT8);
  };
  multiply(18);
  const isa::Fault transposable = fault_of([&] { multiply(4); });
  EXPECT_NE(std::string(transposable.what()).find("655360, allowed are up to 524288"),
            std::string::npos)
      << transposable.what();
}

TEST_F(MatmulCubeOnly, GivesBlocksOneByOneDenseAndAdded) {
  const auto split = [](auto& api) { api.SetFixSplit(32, 64, 64); };
  run<isa::half, float, float>({0, 100, 150, 90, false, false, true, MatmulUse::kBlocks},
                               DataType::DT_FLOAT16, 0, split);
  run<isa::half, float, float>({0, 64, 128, 90, false, false, true, MatmulUse::kSequential},
                               DataType::DT_FLOAT16, 0, split);
  expected_of = [](int sum, std::uint32_t) { return static_cast<float>(3 * sum); };
  run<isa::half, float, float>(
      {0, 100, 150, 90, false, false, false, MatmulUse::kStoredAndAddedTwice}, DataType::DT_FLOAT16,
      0, split);
}

TEST_F(MatmulCubeOnly, QuantisesByAWordAndByAWordAColumn) {
  change = [](MatmulTestCall& call) {
    call.quant = 1;
    call.quant_word = word_of(0.5f);
  };
  expected_of = [](int sum, std::uint32_t) { return 0.5f * static_cast<float>(sum); };
  run<std::int8_t, isa::half, std::int32_t>({5, 48, 80, 64}, DataType::DT_INT8);
  change = [](MatmulTestCall& call) { call.quant = 2; };
  for (std::uint32_t i = 0; i < 512; ++i) words_[i] = word_of(i % 2 == 0 ? 1.f : 0.25f);
  const auto rounded = [](int sum, std::uint32_t col) {
    const float value = std::nearbyint((col % 2 == 0 ? 1.f : 0.25f) * static_cast<float>(sum));
    return std::min(127.f, std::max(-128.f, value));
  };
  expected_of = rounded;
  run<std::int8_t, std::int8_t, std::int32_t>({6, 48, 96, 64}, DataType::DT_INT8, 0,
                                              [](auto& api) { api.SetFixSplit(32, 32, 32); });
  run<isa::half, std::int8_t, float>({11, 48, 96, 64}, DataType::DT_FLOAT16, 0,
                                     [](auto& api) { api.SetFixSplit(32, 32, 32); });
  // Words of the last columns do not fill what Fixpipe takes at a time.
  for (const std::uint32_t n : {74u, 85u, 91u}) {
    run<std::int8_t, std::int8_t, std::int32_t>({6, 48, n, 64}, DataType::DT_INT8, 0,
                                                [](auto& api) { api.SetFixSplit(32, 32, 32); });
  }
}

/// What the property test of the tilings draws, with values.
TEST_F(MatmulCubeOnly, TakesTilingsOfRandomWishesAsTheyAre) {
  Dice dice(4);
  int ran = 0, shared_k = 0;
  for (int draws = 0; draws < 900 && !HasFailure(); ++draws) {
    const Wishes w = draw(dice, 320);
    matmul_tiling::MultiCoreMatmulTiling api;
    set(api, w);
    set_cores(api, w);
    Tiling t;
    const bool found = gives_tiling(api, t);
    // A core's numbers of four bits begin with a byte; a device has 24 cube cores.
    if (!found || t.usedCoreNum > 24) continue;
    if (w.bits == 4 && (t.singleCoreN % 2 != 0 || t.singleCoreK % 2 != 0)) continue;
    // Parts of k add up in C, which types of 32 bits do exactly.
    if (t.singleCoreK < t.Ka && w.out_bytes != 4) continue;
    shared_k += t.singleCoreK < t.Ka;
    SCOPED_TRACE(::testing::Message() << "draw " << draws << ", base " << t.baseM << " x "
                                      << t.baseN << " x " << t.baseK);
    ++ran;
    const auto as_wished = [&](auto& to) {
      set(to, w);
      set_cores(to, w);
    };
    const bool quantised = w.out_bytes == 1 || w.out == DataType::DT_FLOAT16;
    change = [&](MatmulTestCall& call) {
      call.quant = quantised ? 1 : 0;
      call.quant_word = word_of(0.5f);
    };
    expected_of = [&](int sum, std::uint32_t) {
      const float value = (quantised ? 0.5f : 1.f) * static_cast<float>(sum);
      if (w.out == DataType::DT_BF16) return static_cast<float>(isa::bfloat16_t(value));
      if (w.out_bytes != 1) return value;
      return std::min(127.f, std::max(-128.f, std::nearbyint(value)));
    };
    const auto as = [&](int variant) {
      return Case{variant,
                  static_cast<std::uint32_t>(w.m),
                  static_cast<std::uint32_t>(w.n),
                  static_cast<std::uint32_t>(w.k),
                  w.trans_a,
                  w.trans_b,
                  w.bias};
    };
    const auto blocks = static_cast<std::uint32_t>(t.usedCoreNum);
    if (w.in == DataType::DT_BF16) {
      run<isa::bfloat16_t, isa::bfloat16_t, float>(as(2), w.in, 0, as_wished, blocks);
    } else if (w.in == DataType::DT_FLOAT) {
      run<float, float, float>(as(3), w.in, 0, as_wished, blocks);
    } else if (w.in == DataType::DT_INT4) {
      run<isa::int4b_t, std::int32_t, std::int32_t>(as(7), w.in, 0, as_wished, blocks);
    } else if (w.in == DataType::DT_INT8 && quantised) {
      run<std::int8_t, isa::half, std::int32_t>(as(5), w.in, 0, as_wished, blocks);
    } else if (w.in == DataType::DT_INT8) {
      run<std::int8_t, std::int32_t, std::int32_t>(as(4), w.in, 0, as_wished, blocks);
    } else if (quantised) {
      run<isa::half, std::int8_t, float>(as(11), w.in, 0, as_wished, blocks);
    } else {
      run<isa::half, float, float>(as(draws % 2), w.in, 0, as_wished, blocks);
    }
  }
  EXPECT_GT(ran, 60);
  EXPECT_GT(shared_k, 8);
}

TEST_F(MatmulCubeOnly, RefusesATilingThatDoesNotFit) {
  change = [](MatmulTestCall& call) { call.tiling.baseK = 512; };
  const isa::Fault l0 = fault_of([&] {
    run<isa::half, float, float>({0, 256, 256, 1024}, DataType::DT_FLOAT16);
  });
  EXPECT_NE(std::string(l0.what()).find("dbL0A in bytes is"), std::string::npos) << l0.what();
  change = [](MatmulTestCall& call) { call.tiling.depthA1 = 64; };
  const isa::Fault l1 = fault_of([&] {
    run<isa::half, float, float>({0, 256, 256, 1024}, DataType::DT_FLOAT16);
  });
  EXPECT_NE(std::string(l1.what()).find("what is left of L1"), std::string::npos) << l1.what();
  EXPECT_NE(std::string(l1.where.file_name()).find("cube_only.cpp"), std::string::npos);
}

TEST_F(MatmulCubeOnly, WhatIsHintedPastL2IsRight) {
  const Case past{0, 100, 200, 300, false, true, true, MatmulUse::kPastL2};
  run<isa::half, float, float>(past, DataType::DT_FLOAT16);
}

}  // namespace
}  // namespace davsim::test
