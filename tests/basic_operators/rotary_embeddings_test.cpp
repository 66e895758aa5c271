// Rotary embeddings against the formulas of their documentation.
#include <cmath>

#include "aclnnop/aclnn_apply_rotary_pos_emb.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_rotary_position_embedding_grad.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::rotary_embeddings {
namespace {

/// Where the element comes from that is rotated, and its sign, for the element i of a row.
struct Partner {
  std::size_t own, other;
  double sign;
};

Partner partner(std::size_t i, std::size_t size, std::int64_t mode) {
  const std::size_t half = size / 2, quarter = size / 4;
  switch (mode) {
    case 0:
      return i < half ? Partner{i, i + half, -1} : Partner{i, i - half, 1};
    case 1:
      return i % 2 == 0 ? Partner{i, i + 1, -1} : Partner{i, i - 1, 1};
    case 2:
      return i / quarter % 2 == 0 ? Partner{i, i + quarter, -1} : Partner{i, i - quarter, 1};
    default:
      return i < half ? Partner{2 * i, 2 * i + 1, -1}
                      : Partner{2 * (i - half) + 1, 2 * (i - half), 1};
  }
}

/// Where the element of a tensor of four dimensions lies that is repeated for those of `sizes`.
std::size_t place_of(const Sizes& own, const Sizes& sizes, std::size_t element) {
  std::size_t place = 0, step = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(sizes[d]);
    if (own[d] != 1) place += element % size * step;
    step *= static_cast<std::size_t>(own[d]);
    element /= size;
  }
  return place;
}

double at(const Numbers& values, const Sizes& own, const Sizes& sizes, std::size_t element) {
  return values[place_of(own, sizes, element)];
}

Numbers rotated(const Numbers& x, const Sizes& sizes, const Numbers& cosines, const Numbers& sines,
                const Sizes& angles, std::int64_t mode) {
  Numbers y;
  const auto size = static_cast<std::size_t>(sizes.back());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Partner of = partner(i % size, size, mode);
    const std::size_t row = i / size * size;
    y.push_back(x[row + of.own] * at(cosines, angles, sizes, i) +
                of.sign * x[row + of.other] * at(sines, angles, sizes, i));
  }
  return y;
}

std::size_t count(const Sizes& sizes) {
  std::size_t elements = 1;
  for (const std::int64_t size : sizes) elements *= static_cast<std::size_t>(size);
  return elements;
}

struct Gradients {
  Numbers x, cosines, sines;
};

Gradients gradients(const Numbers& dy, const Numbers& x, const Sizes& sizes, const Numbers& cosines,
                    const Numbers& sines, const Sizes& angles, std::int64_t mode) {
  Gradients sums{Numbers(x.size()), Numbers(cosines.size()), Numbers(sines.size())};
  const auto size = static_cast<std::size_t>(sizes.back());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Partner of = partner(i % size, size, mode);
    const std::size_t row = i / size * size, angle = place_of(angles, sizes, i);
    sums.x[row + of.own] += dy[i] * cosines[angle];
    sums.x[row + of.other] += dy[i] * of.sign * sines[angle];
    sums.cosines[angle] += dy[i] * x[row + of.own];
    sums.sines[angle] += dy[i] * of.sign * x[row + of.other];
  }
  return sums;
}

class RotaryEmbeddingsTest : public BasicTest {};

TEST_F(RotaryEmbeddingsTest, GradientsOfBothModes) {
  const Sizes sizes = {3, 5, 4, 24};
  for (const Sizes& angles : {Sizes{3, 5, 1, 24}, Sizes{1, 5, 1, 24}, Sizes{3, 1, 4, 24},
                              Sizes{3, 5, 4, 24}, Sizes{1, 1, 1, 24}}) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      for (const std::int64_t mode : {0, 1}) {
        SCOPED_TRACE("mode " + std::to_string(mode) + ", angles " + std::to_string(count(angles)));
        const Numbers y = of_type(spread(count(sizes), -3, 3), type);
        const Numbers v = of_type(spread(count(sizes), -2, 1), type);
        const Numbers c = of_type(spread(count(angles), -1, 1), type);
        const Numbers s = of_type(spread(count(angles), -1, 0.5), type);
        const DeviceTensor dy(sizes, y, type), x(sizes, v, type);
        const DeviceTensor cosine(angles, c, type), sine(angles, s, type);
        const DeviceTensor dx(sizes, Numbers(v.size()), type);
        const DeviceTensor dcos(angles, Numbers(c.size()), type);
        const DeviceTensor dsin(angles, Numbers(c.size()), type);
        ASSERT_EQ(
            DAVSIM_CALL(RotaryPositionEmbeddingGrad, dy, cosine, sine, x, mode, dx, dcos, dsin),
            ACL_SUCCESS)
            << last_error();
        const Gradients expected = gradients(y, v, sizes, c, s, angles, mode);
        expect_near(dx.values(), expected.x, 2 * rounding_of(type));
        expect_near(dcos.values(), expected.cosines, 4 * rounding_of(type));
        expect_near(dsin.values(), expected.sines, 4 * rounding_of(type));
        aclTensor* const null = nullptr;
        ASSERT_EQ(
            DAVSIM_CALL(RotaryPositionEmbeddingGrad, dy, cosine, sine, null, mode, dy, null, null),
            ACL_SUCCESS)
            << last_error();
        expect_near(dy.values(), expected.x, 2 * rounding_of(type));
      }
    }
  }
}

TEST_F(RotaryEmbeddingsTest, OfAllModesAndLayouts) {
  const Sizes sizes = {3, 20, 6, 40};
  for (const Sizes& angles :
       {Sizes{3, 20, 1, 40}, Sizes{1, 20, 1, 40}, Sizes{3, 1, 6, 40}, Sizes{1, 1, 6, 40},
        Sizes{3, 20, 6, 40}, Sizes{1, 1, 1, 40}, Sizes{3, 1, 1, 40}}) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      for (const std::int64_t mode : {0, 1, 2, 3}) {
        SCOPED_TRACE("mode " + std::to_string(mode) + ", angles " + std::to_string(count(angles)));
        const Numbers x = of_type(spread(count(sizes), -3, 3), type);
        const Numbers c = of_type(spread(count(angles), -1, 1), type);
        const Numbers s = of_type(spread(count(angles) + 1, -1, 1), type);
        const Numbers sines(s.begin() + 1, s.end());
        const DeviceTensor input(sizes, x, type), cosine(angles, c, type);
        const DeviceTensor sine(angles, sines, type), out(sizes, Numbers(x.size()), type);
        ASSERT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, input, cosine, sine, mode, out), ACL_SUCCESS)
            << last_error();
        expect_near(out.values(), rotated(x, sizes, c, sines, angles, mode), 2 * rounding_of(type));
      }
    }
  }
}

TEST_F(RotaryEmbeddingsTest, OfStridedTensors) {
  // [B, S, N, D] that lies as [B, N, S, D], into another order.
  const Sizes sizes = {2, 5, 3, 8}, angles = {1, 5, 1, 8};
  const Numbers c = spread(40, -1, 1), s = spread(40, -1, 0.5);
  const DeviceTensor cosine(angles, c), sine(angles, s);
  for (const std::int64_t mode : {0, 1, 2, 3}) {
    const DeviceTensor input(sizes, {120, 8, 40, 1}, 0, spread(240, -3, 3));
    const DeviceTensor out(sizes, {1, 2, 10, 30}, 0, Numbers(240));
    ASSERT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, input, cosine, sine, mode, out), ACL_SUCCESS)
        << last_error();
    expect_near(out.values(), rotated(input.values(), sizes, c, s, angles, mode), 5e-6);
  }
}

TEST_F(RotaryEmbeddingsTest, OfLongRows) {
  const Sizes sizes = {2, 3, 2, 9000}, angles = {2, 3, 1, 9000};
  const Numbers x = spread(count(sizes), -3, 3), c = spread(count(angles), -1, 1);
  const Numbers s = spread(count(angles), -1, 0.5);
  const DeviceTensor input(sizes, x), cosine(angles, c), sine(angles, s);
  ASSERT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, input, cosine, sine, 0, input), ACL_SUCCESS);
  expect_near(input.values(), rotated(x, sizes, c, s, angles, 0), 5e-6);
}

TEST_F(RotaryEmbeddingsTest, OfQueryAndKeyInPlace) {
  const Sizes queries = {2, 70, 8, 128}, keys = {2, 70, 2, 128}, angles = {2, 70, 1, 128};
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16}) {
    const Numbers q = of_type(spread(count(queries), -3, 3), type);
    const Numbers k = of_type(spread(count(keys), -2, 2), type);
    const Numbers c = of_type(spread(count(angles), -1, 1), type);
    const Numbers s = of_type(spread(count(angles), -1, 0.5), type);
    const DeviceTensor query(queries, q, type), key(keys, k, type);
    const DeviceTensor cosine(angles, c, type), sine(angles, s, type);
    ASSERT_EQ(DAVSIM_CALL(ApplyRotaryPosEmb, query, key, cosine, sine, 1), ACL_SUCCESS)
        << last_error();
    expect_near(query.values(), rotated(q, queries, c, s, angles, 0), 2 * rounding_of(type));
    expect_near(key.values(), rotated(k, keys, c, s, angles, 0), 2 * rounding_of(type));
  }
}

TEST_F(RotaryEmbeddingsTest, RulesOfArguments) {
  const DeviceTensor x({1, 2, 3, 8}, Numbers(48)), odd({1, 2, 3, 3}, Numbers(18));
  const DeviceTensor angles({1, 2, 1, 8}, Numbers(16)), other({1, 3, 1, 8}, Numbers(24));
  const DeviceTensor flat({2, 8}, Numbers(16)), half({1, 2, 3, 8}, Numbers(48), ACL_FLOAT16);
  const DeviceTensor nothing({0, 2, 3, 8}, {}), six({1, 2, 3, 6}, Numbers(36));
  const DeviceTensor six_angles({1, 1, 1, 6}, Numbers(6));
  aclTensor* const null = nullptr;
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, null, angles, angles, 0, x), 161001);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, x, angles, null, 0, x), 161001);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, x, angles, angles, 4, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, odd, angles, angles, 0, odd), 161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, six, six_angles, six_angles, 2, six), 161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, x, other, angles, 0, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, x, flat, angles, 0, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, x, angles, angles, 0, half), 161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbedding, nothing, angles, angles, 0, nothing), ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(DAVSIM_CALL(ApplyRotaryPosEmb, x, null, angles, angles, 1), 161001);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbeddingGrad, x, angles, angles, null, 2, x, null, null),
            161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbeddingGrad, x, angles, angles, x, 0, x, angles, null),
            161001);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbeddingGrad, x, angles, angles, x, 0, x, angles, other),
            161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbeddingGrad, x, angles, other, null, 0, x, null, null),
            161002);
  EXPECT_EQ(DAVSIM_CALL(RotaryPositionEmbeddingGrad, x, angles, angles, null, 0, half, null, null),
            161002);
}

}  // namespace
}  // namespace davsim::test::rotary_embeddings
