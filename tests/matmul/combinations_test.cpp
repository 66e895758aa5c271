// Every documented combination of a Matmul object's types, formats and transposes, with its values.
#include "tests/matmul/kernels/combinations_call.h"
#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

struct Shape {
  std::uint32_t m, n, k;
};

/// Columns of a fractal of A and B.
std::uint32_t columns_of(MatmulKind kind) {
  switch (kind) {
    case MatmulKind::kFloat:
      return 8;
    case MatmulKind::kInt8:
      return 32;
    case MatmulKind::kInt4:
      return 64;
    default:
      return 16;
  }
}

DataType type_of(MatmulKind kind) {
  switch (kind) {
    case MatmulKind::kFloat:
      return DataType::DT_FLOAT;
    case MatmulKind::kHalf:
      return DataType::DT_FLOAT16;
    case MatmulKind::kBfloat16:
      return DataType::DT_BF16;
    case MatmulKind::kInt8:
      return DataType::DT_INT8;
    case MatmulKind::kInt4:
      return DataType::DT_INT4;
    default:
      return DataType::DT_INT32;
  }
}

std::uint32_t bytes_of(MatmulKind kind) {
  switch (kind) {
    case MatmulKind::kFloat:
    case MatmulKind::kInt32:
      return 4;
    case MatmulKind::kInt8:
      return 1;
    default:
      return 2;
  }
}

/// Of column `col` where each column has a word of its own.
float scale_of(std::uint32_t col) {
  return col % 2 == 0 ? 0.5f : 0.25f;
}

class MatmulCombinations : public MatmulTest, public ::testing::WithParamInterface<MatmulKind> {
 protected:
  struct Case {
    Shape shape;
    bool trans_a, trans_b, bias, words;
  };

  std::uint8_t* matrix(const TestMatrix& values, MatmulKind kind, MatmulLayout layout,
                       bool turned) {
    const std::uint32_t c0 = layout == MatmulLayout::kNz ? columns_of(kind) : 0;
    switch (kind) {
      case MatmulKind::kFloat:
        return bytes(stored<float>(values, turned, c0));
      case MatmulKind::kHalf:
        return bytes(stored<isa::half>(values, turned, c0));
      case MatmulKind::kBfloat16:
        return bytes(stored<isa::bfloat16_t>(values, turned, c0));
      case MatmulKind::kInt8:
        return bytes(stored<std::int8_t>(values, turned, c0));
      default:
        return packed(stored<std::int8_t>(values, turned, c0), stored_size(values, turned, c0));
    }
  }
  static std::size_t stored_size(const TestMatrix& values, bool turned, std::uint32_t c0) {
    const std::size_t rows = turned ? values.cols : values.rows;
    const std::size_t cols = turned ? values.rows : values.cols;
    return c0 != 0 ? (rows + 15) / 16 * 16 * ((cols + c0 - 1) / c0 * c0) : rows * cols;
  }
  /// Two numbers of four bits a byte.
  std::uint8_t* packed(const std::int8_t* numbers, std::size_t count) {
    return global<std::uint8_t>((count + 1) / 2, "int4", [&](std::size_t i) {
      const int high = 2 * i + 1 < count ? numbers[2 * i + 1] : 0;
      return static_cast<std::uint8_t>((numbers[2 * i] & 15) | (high & 15) << 4);
    });
  }
  std::uint8_t* row_of_bias(MatmulKind kind, std::uint32_t n) {
    const auto fill = [](std::size_t i) { return static_cast<float>(bias_at(i)); };
    if (kind == MatmulKind::kFloat) return bytes(global<float>(n, "bias", fill));
    if (kind == MatmulKind::kHalf) {
      return bytes(global<isa::half>(n, "bias", [&](std::size_t i) { return isa::half(fill(i)); }));
    }
    return bytes(global<std::int32_t>(n, "bias", bias_at));
  }
  static std::int32_t bias_at(std::size_t i) { return static_cast<std::int32_t>(i % 7) - 3; }

  static float number_at(const std::uint8_t* data, MatmulKind kind, std::size_t at) {
    switch (kind) {
      case MatmulKind::kFloat:
        return reinterpret_cast<const float*>(data)[at];
      case MatmulKind::kHalf:
        return static_cast<float>(reinterpret_cast<const isa::half*>(data)[at]);
      case MatmulKind::kBfloat16:
        return static_cast<float>(reinterpret_cast<const isa::bfloat16_t*>(data)[at]);
      case MatmulKind::kInt8:
        return reinterpret_cast<const std::int8_t*>(data)[at];
      default:
        return static_cast<float>(reinterpret_cast<const std::int32_t*>(data)[at]);
    }
  }

  static bool quantises(const MatmulTypes& types) {
    const bool whole = types.bias == MatmulKind::kInt32;
    return types.out == MatmulKind::kInt8 || (whole && types.out == MatmulKind::kHalf);
  }
  static float expected(int sum, std::uint32_t col, const MatmulTypes& types, bool words) {
    float value = static_cast<float>(sum);
    if (quantises(types)) value *= words ? scale_of(col) : 0.5f;
    if (types.out == MatmulKind::kHalf) return static_cast<float>(isa::half(value));
    if (types.out == MatmulKind::kBfloat16) return static_cast<float>(isa::bfloat16_t(value));
    if (types.out != MatmulKind::kInt8) return value;
    return std::min(127.f, std::max(-128.f, std::nearbyint(value)));
  }

  /// Where an element of C lies.
  static std::size_t place(const MatmulCombination& is, const Shape& shape, std::uint32_t row,
                           std::uint32_t col) {
    const std::uint32_t wide = 32 / bytes_of(is.types.out);
    if (is.c == MatmulLayout::kNd) return std::size_t{row} * shape.n + col;
    if (is.c == MatmulLayout::kOther) return row * ((shape.n + wide - 1) / wide * wide) + col;
    const std::size_t c0 = is.types.out == MatmulKind::kInt8 ? 32 : 16;
    return col / c0 * ((shape.m + 15) / 16 * 16) * c0 + row * c0 + col % c0;
  }

  void run(std::size_t number, const Case& test) {
    const MatmulCombination is = matmul_combination(number);
    const auto [m, n, k] = test.shape;
    SCOPED_TRACE(::testing::Message() << m << " x " << n << " x " << k << ", transposed "
                                      << test.trans_a << test.trans_b << ", words " << test.words);
    const TestMatrix a = test_matrix(m, k, 1), b = test_matrix(k, n, 2);
    CombinationsCall call;
    call.number = static_cast<std::int32_t>(number);
    call.trans_a = test.trans_a;
    call.trans_b = test.trans_b;
    call.bias = test.bias;
    if (quantises(is.types)) call.quant = test.words ? 2 : 1;
    call.quant_word = word_of(0.5f);
    const auto format = [](MatmulLayout layout) {
      return layout == MatmulLayout::kNz ? CubeFormat::NZ : CubeFormat::ND;
    };
    const DataType type = type_of(is.types.in);
    call.tiling = tiling(type, m, n, k, [&](auto& api) {
      const auto gm = matmul_tiling::TPosition::GM;
      api.SetAType(gm, format(is.a), type, test.trans_a);
      api.SetBType(gm, format(is.b), type, test.trans_b);
      api.SetCType(gm, format(is.c), type_of(is.types.out));
      api.SetBiasType(gm, CubeFormat::ND, type_of(is.types.bias));
      api.EnableBias(test.bias);
      const auto within = [](std::uint32_t size, int base) {
        return std::min(static_cast<int>((size + 15) / 16 * 16), base);
      };
      api.SetFixSplit(within(m, 32), within(n, 64), 64);
    });
    auto* words = global<std::uint64_t>(
        n, "words", [](std::size_t i) { return word_of(scale_of(static_cast<std::uint32_t>(i))); });
    const std::size_t room = std::size_t{(m + 15) / 16 * 16} * ((n + 31) / 32 * 32);
    auto* out = global<std::uint8_t>(room * bytes_of(is.types.out), "c",
                                     [](std::size_t) { return std::uint8_t{0}; });
    device().launch("combinations", 1u, matrix(a, is.types.in, is.a, test.trans_a),
                    matrix(b, is.types.in, is.b, test.trans_b), row_of_bias(is.types.bias, n), out,
                    bytes(words), call);
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t col = 0; col < n; ++col) {
        const int sum = product(a, b, row, col) + (test.bias ? bias_at(col) : 0);
        ASSERT_EQ(number_at(out, is.types.out, place(is, test.shape, row, col)),
                  expected(sum, col, is.types, test.words))
            << "row " << row << ", column " << col;
      }
    }
    expect_clean();
  }

  /// On a mixed kernel: the operands of row `row` of the table where matmul_places() puts them.
  void run_mixed(std::size_t row, bool trans_b, bool bias, int base_n = 64) {
    constexpr std::uint32_t kM = 32, kN = 128, kK = 128;
    const MatmulTypes types = kMatmulTypes[row];
    const MatmulPlaces places = matmul_places(row);
    const TestMatrix a = test_matrix(kM, kK, 1), b = test_matrix(kK, kN, 2);
    CombinationsCall call;
    call.number = static_cast<std::int32_t>(row);
    call.trans_b = trans_b;
    call.bias = bias;
    call.quant = quantises(types);
    call.quant_word = word_of(0.5f);
    const auto layout = [](MatmulPlace place) {
      return place == MatmulPlace::kL1 ? MatmulLayout::kNz : MatmulLayout::kNd;
    };
    const DataType type = type_of(types.in);
    call.tiling = tiling(type, kM, kN, kK, [&](auto& api) {
      api.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, trans_b);
      api.SetCType(matmul_tiling::TPosition::GM, CubeFormat::ND, type_of(types.out));
      api.EnableBias(bias);
      api.SetFixSplit(16, base_n, 64);
    });
    auto* out = global<std::uint8_t>(std::size_t{kM} * kN * bytes_of(types.out), "c",
                                     [](std::size_t) { return std::uint8_t{0}; });
    device().launch("combinations_mixed", 1u, matrix(a, types.in, layout(places.a), false),
                    matrix(b, types.in, layout(places.b), trans_b), row_of_bias(types.bias, kN),
                    out, call);
    for (std::uint32_t i = 0; i < kM * kN; ++i) {
      const int sum = product(a, b, i / kN, i % kN) + (bias ? bias_at(i % kN) : 0);
      ASSERT_EQ(number_at(out, types.out, i), expected(sum, i % kN, types, false))
          << "row " << i / kN << ", column " << i % kN;
    }
    expect_clean();
  }

  /// Fractals take whole ones, two numbers of four bits share a byte, a vector is one row.
  static std::vector<Shape> shapes_of(const MatmulCombination& is) {
    std::vector<Shape> shapes = {{48, 128, 128}};
    const bool whole =
        is.a == MatmulLayout::kNz || is.b == MatmulLayout::kNz || is.c == MatmulLayout::kNz;
    if (!whole) shapes.push_back({19, 70, 98});
    if (!whole && is.types.in != MatmulKind::kInt4) shapes.push_back({33, 65, 129});
    if (is.a == MatmulLayout::kOther) {
      for (Shape& shape : shapes) shape.m = 1;
    }
    return shapes;
  }
};

constexpr const char* kKinds[] = {"Float", "Half", "Bfloat16", "Int8", "Int4", "Int32"};
const char* name_of(MatmulKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::string name_of(const MatmulCombination& is) {
  const auto layout = [](MatmulLayout of, const char* other) {
    return std::string(of == MatmulLayout::kNd ? " ND" : of == MatmulLayout::kNz ? " NZ" : other);
  };
  return name_of(is.types.in) + layout(is.a, " VECTOR") + layout(is.b, "") + ", bias " +
         name_of(is.types.bias) + ", to " + name_of(is.types.out) + layout(is.c, " ND_ALIGN");
}

TEST_P(MatmulCombinations, HaveTheValuesOfAPlainProduct) {
  for (std::size_t number = 0; number < kMatmulCombinations; ++number) {
    const MatmulCombination is = matmul_combination(number);
    if (is.types.in != GetParam()) continue;
    SCOPED_TRACE(name_of(is));
    for (const Shape& shape : shapes_of(is)) {
      for (const bool trans_a : {false, true}) {
        const bool one_way = is.types.in == MatmulKind::kInt4 || is.a == MatmulLayout::kOther;
        if (trans_a && one_way) continue;
        // What lies in a row of fractals is a multiple of 32 elements of a byte.
        const Shape turned{trans_a && is.a == MatmulLayout::kNz ? 64 : shape.m, shape.n, shape.k};
        for (const bool trans_b : {false, true}) {
          run(number, {turned, trans_a, trans_b, trans_a == trans_b, trans_b});
          run(number, {turned, trans_a, trans_b, trans_a != trans_b, !trans_b});
        }
      }
    }
  }
}

TEST_P(MatmulCombinations, MayLieInUbAndInL1) {
  for (std::size_t row = 0; row < kMatmulRows; ++row) {
    const MatmulTypes types = kMatmulTypes[row];
    if (types.in != GetParam()) continue;
    SCOPED_TRACE(::testing::Message() << "row " << row << ", bias " << name_of(types.bias)
                                      << ", to " << name_of(types.out));
    for (const bool trans_b : {false, true}) run_mixed(row, trans_b, trans_b == (row % 2 == 0));
  }
}

class MatmulSquares : public MatmulCombinations {};

/// B of the first row of int4b_t lies in L1, where its second block of 32 columns would begin in
/// the middle of a square of 64.
TEST_P(MatmulSquares, AreNotBegunInTheMiddle) {
  constexpr std::size_t kRow = 22;
  static_assert(matmul_places(kRow).b == MatmulPlace::kL1);
  const isa::Fault fault = fault_of([&] { run_mixed(kRow, false, true, 32); });
  EXPECT_NE(std::string(fault.what()).find("is 32, allowed are multiples of 64"), std::string::npos)
      << fault.what();
  checker_.forget_findings();
}

INSTANTIATE_TEST_SUITE_P(Documented, MatmulCombinations,
                         ::testing::Values(MatmulKind::kFloat, MatmulKind::kHalf,
                                           MatmulKind::kBfloat16, MatmulKind::kInt8,
                                           MatmulKind::kInt4),
                         [](const auto& info) { return std::string(name_of(info.param)); });

INSTANTIATE_TEST_SUITE_P(OfFourBits, MatmulSquares, ::testing::Values(MatmulKind::kInt4));

}  // namespace
}  // namespace davsim::test
