// Functions of each tensor of a list against the mathematics of the host.
#include <cmath>
#include <functional>
#include <limits>

#include "lists/foreach.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::foreach {
namespace {

/// Tensors of several sizes, one without dimensions and one without elements.
const Sizes kSizes[] = {{3, 50}, {}, {0, 4}, {257}};

struct List {
  List(aclDataType type, double least, double most) {
    for (const Sizes& sizes : kSizes) {
      std::size_t count = 1;
      for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
      values.push_back(of_type(spread(count, least, most), type));
      least += 0.01;
      tensors.push_back(std::make_unique<DeviceTensor>(sizes, values.back(), type));
      pointers.push_back(tensors.back()->get());
    }
    list = std::make_unique<TensorList>(pointers.data(), pointers.size());
  }
  operator aclTensorList*() const { return *list; }

  std::vector<Numbers> values;
  std::vector<std::unique_ptr<DeviceTensor>> tensors;
  std::vector<const aclTensor*> pointers;
  std::unique_ptr<TensorList> list;
};

using OfOne = double (*)(double);
using OfTwo = std::function<double(double, double)>;

class ForeachTest : public BasicTest {
 protected:
  static double near(aclDataType type) { return type == ACL_FLOAT ? 1e-5 : 2 * rounding_of(type); }

  static void expect(const List& out, aclDataType type,
                     const std::function<double(std::size_t, std::size_t)>& value) {
    for (std::size_t t = 0; t < out.tensors.size(); ++t) {
      Numbers expected;
      for (std::size_t i = 0; i < out.values[t].size(); ++i) expected.push_back(value(t, i));
      expect_near(out.tensors[t]->values(), expected, near(type));
    }
  }
  void of_one(const std::function<aclnnStatus(const aclTensorList*, const aclTensorList*)>& call,
              OfOne function) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      const List x(type, 0.1, 0.9), out(type, 0, 0);
      ASSERT_EQ(call(x, out), ACL_SUCCESS) << last_error();
      expect(out, type, [&](std::size_t t, std::size_t i) { return function(x.values[t][i]); });
      const DeviceTensor other({5}, Numbers(5), type);
      const aclTensor* const pointers[] = {other};
      EXPECT_EQ(call(x, TensorList(pointers, 1)), 161002);
      EXPECT_EQ(call(x, nullptr), 161001);
    }
  }
  /// Calls with a number of a tensor, a number, numbers and a list, for types that it takes.
  void of_two(
      const std::function<aclnnStatus(const List&, double, aclDataType, int, const List&)>& call,
      const OfTwo& function, bool whole) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32}) {
      const List x(type, type == ACL_INT32 ? 1 : 0.5, type == ACL_INT32 ? 9 : 2), out(type, 0, 0);
      const double number = type == ACL_INT32 ? 3 : 1.5;
      for (const int form : {0, 1, 2}) {
        if (type == ACL_INT32 && (!whole || form == 2)) continue;
        ASSERT_EQ(call(x, number, type, form, out), ACL_SUCCESS) << last_error();
        expect(out, type, [&](std::size_t t, std::size_t i) {
          return function(x.values[t][i], form == 2 ? 0.5 + static_cast<double>(t) : number);
        });
      }
      if (type == ACL_INT32 && !whole) {
        EXPECT_EQ(call(x, number, type, 0, out), 161002);
      }
    }
  }
};

#define DAVSIM_EACH(Name) [&](auto x, auto out) { return DAVSIM_CALL(Foreach##Name, x, out); }

TEST_F(ForeachTest, FunctionsOfOne) {
  of_one(DAVSIM_EACH(Abs), [](double x) { return std::fabs(x); });
  of_one(DAVSIM_EACH(Acos), [](double x) { return std::acos(x); });
  of_one(DAVSIM_EACH(Asin), [](double x) { return std::asin(x); });
  of_one(DAVSIM_EACH(Atan), [](double x) { return std::atan(x); });
  of_one(DAVSIM_EACH(Cos), [](double x) { return std::cos(x); });
  of_one(DAVSIM_EACH(Cosh), [](double x) { return std::cosh(x); });
  of_one(DAVSIM_EACH(Erf), [](double x) { return std::erf(x); });
  of_one(DAVSIM_EACH(Erfc), [](double x) { return std::erfc(x); });
  of_one(DAVSIM_EACH(Exp), [](double x) { return std::exp(x); });
  of_one(DAVSIM_EACH(Expm1), [](double x) { return std::expm1(x); });
  of_one(DAVSIM_EACH(Log), [](double x) { return std::log(x); });
  of_one(DAVSIM_EACH(Log10), [](double x) { return std::log10(x); });
  of_one(DAVSIM_EACH(Log1p), [](double x) { return std::log1p(x); });
  of_one(DAVSIM_EACH(Log2), [](double x) { return std::log2(x); });
  of_one(DAVSIM_EACH(Neg), [](double x) { return -x; });
  of_one(DAVSIM_EACH(Reciprocal), [](double x) { return 1 / x; });
  of_one(DAVSIM_EACH(Sigmoid), [](double x) { return 1 / (1 + std::exp(-x)); });
  of_one(DAVSIM_EACH(Sign), [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; });
  of_one(DAVSIM_EACH(Sin), [](double x) { return std::sin(x); });
  of_one(DAVSIM_EACH(Sinh), [](double x) { return std::sinh(x); });
  of_one(DAVSIM_EACH(Sqrt), [](double x) { return std::sqrt(x); });
  of_one(DAVSIM_EACH(Tan), [](double x) { return std::tan(x); });
  of_one(DAVSIM_EACH(Tanh), [](double x) { return std::tanh(x); });
}

/// Numbers 0.5, 1.5 and so on for a call.
class Scalars {
 public:
  Scalars() {
    std::vector<const aclScalar*> all;
    for (std::size_t t = 0; t < std::size(kSizes); ++t) {
      float value = 0.5F + static_cast<float>(t);
      all.push_back(aclCreateScalar(&value, ACL_FLOAT));
    }
    list_ = aclCreateScalarList(all.data(), all.size());
  }
  ~Scalars() { aclDestroyScalarList(list_); }
  Scalars(const Scalars&) = delete;
  Scalars& operator=(const Scalars&) = delete;
  operator aclScalarList*() const { return list_; }

 private:
  aclScalarList* list_;
};

#define DAVSIM_EACH_WITH(Name)                                                     \
  [&](const List& x, double number, aclDataType type, int form, const List& out) { \
    if (form == 0) {                                                               \
      const DeviceTensor value({1}, {number}, type);                               \
      return DAVSIM_CALL(Foreach##Name##Scalar, x, value, out);                    \
    }                                                                              \
    if (form == 1) {                                                               \
      const Scalar value(number, type == ACL_INT32 ? ACL_INT32 : ACL_FLOAT);       \
      return DAVSIM_CALL(Foreach##Name##ScalarV2, x, value, out);                  \
    }                                                                              \
    return DAVSIM_CALL(Foreach##Name##ScalarList, x, Scalars(), out);              \
  }

TEST_F(ForeachTest, WithNumbers) {
  of_two(
      DAVSIM_EACH_WITH(Add), [](double x, double y) { return x + y; }, true);
  of_two(
      DAVSIM_EACH_WITH(Sub), [](double x, double y) { return x - y; }, true);
  of_two(
      DAVSIM_EACH_WITH(Mul), [](double x, double y) { return x * y; }, true);
  of_two(
      DAVSIM_EACH_WITH(Div), [](double x, double y) { return x / y; }, false);
  of_two(
      DAVSIM_EACH_WITH(Pow), [](double x, double y) { return std::pow(x, y); }, false);
  of_two(
      DAVSIM_EACH_WITH(Maximum), [](double x, double y) { return std::max(x, y); }, true);
  of_two(
      DAVSIM_EACH_WITH(Minimum), [](double x, double y) { return std::min(x, y); }, true);
  const List x(ACL_FLOAT, 0.5, 2), out(ACL_FLOAT, 0, 0);
  ASSERT_EQ(DAVSIM_CALL(ForeachPowScalarAndTensor, Scalar(2.5), x, out), ACL_SUCCESS)
      << last_error();
  expect(out, ACL_FLOAT,
         [&](std::size_t t, std::size_t i) { return std::pow(2.5, x.values[t][i]); });
}

TEST_F(ForeachTest, OfTwoLists) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const List x(type, 0.5, 2), y(type, 1, 3), z(type, 0, 1), out(type, 0, 0);
    const DeviceTensor alpha({1}, {0.75}, type);
    const auto expect_of = [&](aclnnStatus code, const OfTwo& function) {
      ASSERT_EQ(code, ACL_SUCCESS) << last_error();
      expect(out, type, [&](std::size_t t, std::size_t i) {
        return function(x.values[t][i], y.values[t][i]);
      });
    };
    expect_of(DAVSIM_CALL(ForeachAddList, x, y, alpha, out),
              [](double a, double b) { return a + 0.75 * b; });
    expect_of(DAVSIM_CALL(ForeachSubList, x, y, alpha, out),
              [](double a, double b) { return a - 0.75 * b; });
    expect_of(DAVSIM_CALL(ForeachAddListV2, x, y, Scalar(2), out),
              [](double a, double b) { return a + 2 * b; });
    expect_of(DAVSIM_CALL(ForeachSubListV2, x, y, Scalar(2), out),
              [](double a, double b) { return a - 2 * b; });
    expect_of(DAVSIM_CALL(ForeachMulList, x, y, out), [](double a, double b) { return a * b; });
    expect_of(DAVSIM_CALL(ForeachDivList, x, y, out), [](double a, double b) { return a / b; });
    expect_of(DAVSIM_CALL(ForeachPowList, x, y, out),
              [](double a, double b) { return std::pow(a, b); });
    expect_of(DAVSIM_CALL(ForeachMaximumList, x, y, out),
              [](double a, double b) { return std::max(a, b); });
    expect_of(DAVSIM_CALL(ForeachMinimumList, x, y, out),
              [](double a, double b) { return std::min(a, b); });
    expect_of(DAVSIM_CALL(ForeachLerpScalar, x, y, Scalar(0.25), out),
              [](double a, double b) { return a + 0.25 * (b - a); });
    ASSERT_EQ(DAVSIM_CALL(ForeachLerpList, x, y, z, out), ACL_SUCCESS) << last_error();
    expect(out, type, [&](std::size_t t, std::size_t i) {
      return x.values[t][i] + z.values[t][i] * (y.values[t][i] - x.values[t][i]);
    });
  }
}

TEST_F(ForeachTest, SumsOfThreeLists) {
  const Numbers factors{1, -2, 3, 0.5};
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const List x(type, -1, 1), y(type, 1, 2), z(type, 1, 3), out(type, 0, 0);
    const DeviceTensor one({1}, {0.5}, type), each({4}, factors, type);
    const auto expect_of = [&](aclnnStatus code, bool divides, bool own) {
      ASSERT_EQ(code, ACL_SUCCESS) << last_error();
      expect(out, type, [&](std::size_t t, std::size_t i) {
        const double b = y.values[t][i], c = z.values[t][i];
        return x.values[t][i] + (own ? factors[t] : 0.5) * (divides ? b / c : b * c);
      });
    };
    expect_of(DAVSIM_CALL(ForeachAddcmulScalar, x, y, z, one, out), false, false);
    expect_of(DAVSIM_CALL(ForeachAddcmulScalarV2, x, y, z, Scalar(0.5), out), false, false);
    expect_of(DAVSIM_CALL(ForeachAddcmulScalarList, x, y, z, each, out), false, true);
    expect_of(DAVSIM_CALL(ForeachAddcmulList, x, y, z, each, out), false, true);
    expect_of(DAVSIM_CALL(ForeachAddcdivScalar, x, y, z, one, out), true, false);
    expect_of(DAVSIM_CALL(ForeachAddcdivScalarV2, x, y, z, Scalar(0.5), out), true, false);
    expect_of(DAVSIM_CALL(ForeachAddcdivScalarList, x, y, z, each, out), true, true);
    expect_of(DAVSIM_CALL(ForeachAddcdivList, x, y, z, each, out), true, true);
    EXPECT_EQ(DAVSIM_CALL(ForeachAddcmulList, x, y, z, one, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(ForeachAddcmulScalar, x, y, z, each, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(ForeachAddcmulScalar, x, nullptr, z, one, out), 161001);
  }
}

TEST_F(ForeachTest, InPlace) {
  const List x(ACL_FLOAT, -1, 1), y(ACL_FLOAT, 1, 2);
  ASSERT_EQ(DAVSIM_CALL(ForeachAddcmulScalarV2, x, x, y, Scalar(2), x), ACL_SUCCESS)
      << last_error();
  expect(x, ACL_FLOAT,
         [&](std::size_t t, std::size_t i) { return x.values[t][i] * (1 + 2 * y.values[t][i]); });
  ASSERT_EQ(DAVSIM_CALL(ForeachZeroInplace, x), ACL_SUCCESS) << last_error();
  expect(x, ACL_FLOAT, [](std::size_t, std::size_t) { return 0; });
  const List half(ACL_FLOAT16, 0, 0);
  ASSERT_EQ(DAVSIM_CALL(ForeachCopy, y, half), ACL_SUCCESS) << last_error();
  expect(half, ACL_FLOAT16, [&](std::size_t t, std::size_t i) { return y.values[t][i]; });
}

TEST_F(ForeachTest, Norms) {
  const List x(ACL_FLOAT16, -2, 1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double p : {1.0, 2.0, kInfinity}) {
    std::vector<std::unique_ptr<DeviceTensor>> norms;
    std::vector<const aclTensor*> pointers;
    for (std::size_t t = 0; t < x.tensors.size(); ++t) {
      norms.push_back(std::make_unique<DeviceTensor>(Sizes{}, Numbers{9}));
      pointers.push_back(norms.back()->get());
    }
    const TensorList list(pointers.data(), pointers.size());
    ASSERT_EQ(DAVSIM_CALL(ForeachNorm, x, Scalar(p), list), ACL_SUCCESS) << last_error();
    for (std::size_t t = 0; t < x.tensors.size(); ++t) {
      double sum = 0;
      for (const double value : x.values[t]) {
        sum =
            p == kInfinity ? std::max(sum, std::fabs(value)) : sum + std::pow(std::fabs(value), p);
      }
      expect_near(norms[t]->values(), {p == 2 ? std::sqrt(sum) : sum}, 1e-5);
    }
    EXPECT_EQ(DAVSIM_CALL(ForeachNorm, x, Scalar(3), list), 161002);
  }
}

TEST_F(ForeachTest, LooksForNumbersThatAreNotFinite) {
  for (const double value : {1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const double before : {0.0, 1.0}) {
      const DeviceTensor a({2}, {2, 4}), b({3}, {1, value, -6}, ACL_BF16), found({1}, {before}),
          scale({1}, {0.5});
      const aclTensor* const pointers[] = {a, b};
      ASSERT_EQ(DAVSIM_CALL(ForeachNonFiniteCheckAndUnscale, TensorList(pointers, 2), found, scale),
                ACL_SUCCESS)
          << last_error();
      EXPECT_EQ(a.values(), Numbers({1, 2}));
      expect_near(b.values(), {0.5, value / 2, -3}, 0);
      EXPECT_EQ(found.values(), Numbers({value == 1 ? before : 1}));
    }
  }
}

}  // namespace
}  // namespace davsim::test::foreach
