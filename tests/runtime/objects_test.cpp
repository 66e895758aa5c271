// Data types, descriptions, and the objects of the aclnn interface.
#include <cmath>
#include <memory>

#include "acl/acl_op.h"
#include "opdev/common_types.h"
#include "runtime/aclnn/named_call.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace davsim::test {
namespace {

TEST(Float16, ConvertsAsIeee754) {
  EXPECT_EQ(aclFloatToFloat16(1.0f), 0x3c00);
  EXPECT_EQ(aclFloatToFloat16(-2.0f), 0xc000);
  EXPECT_EQ(aclFloatToFloat16(65504.0f), 0x7bff);
  EXPECT_EQ(aclFloatToFloat16(2049.0f), 0x6800) << "a tie goes to even";
  EXPECT_EQ(aclFloat16ToFloat(0x0001), std::ldexp(1.0f, -24));
  EXPECT_TRUE(std::isinf(aclFloat16ToFloat(0x7c00)));
}

TEST(TensorDesc, KnowsItsSizes) {
  const std::int64_t dims[] = {2, 3, 5};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_ND);
  ASSERT_NE(desc, nullptr);
  EXPECT_EQ(aclGetTensorDescType(desc), ACL_FLOAT16);
  EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_ND);
  EXPECT_EQ(aclGetTensorDescElementCount(desc), 30u);
  EXPECT_EQ(aclGetTensorDescSize(desc), 60u);
  std::int64_t size = 0;
  EXPECT_EQ(aclGetTensorDescDimV2(desc, 2, &size), ACL_SUCCESS);
  EXPECT_EQ(size, 5);
  EXPECT_EQ(aclGetTensorDescDimV2(desc, 3, &size), ACL_ERROR_INVALID_PARAM);
  aclDestroyTensorDesc(desc);
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, -1, dims, ACL_FORMAT_ND), nullptr);
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, 2, nullptr, ACL_FORMAT_ND), nullptr);
}

TEST(TensorDesc, TakesWhatACompilerOfOperatorsWouldAskFor) {
  const std::int64_t dims[] = {2, 3}, stored[] = {4};
  aclTensorDesc* const desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
  std::int64_t ranges[][2] = {{1, 2}, {1, 3}};
  EXPECT_EQ(aclSetTensorShapeRange(desc, 2, ranges), ACL_SUCCESS);
  EXPECT_EQ(aclSetTensorShapeRange(desc, 2, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclSetTensorValueRange(nullptr, 2, ranges), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclSetTensorStorageFormat(desc, ACL_FORMAT_NCHW), ACL_SUCCESS);
  EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_NCHW);
  EXPECT_EQ(aclSetTensorStorageShape(desc, 1, stored), ACL_SUCCESS);
  EXPECT_EQ(aclGetTensorDescElementCount(desc), 4u);
  aclDestroyTensorDesc(desc);
}

TEST(OperatorAttributes, ListsOfListsAreChecked) {
  aclopAttr* const attr = aclopCreateAttr();
  const std::int64_t one[] = {1}, two[] = {2, 3};
  const std::int64_t* const lists[] = {one, two};
  const int sizes[] = {1, 2}, wrong[] = {1, -2};
  EXPECT_EQ(aclopSetAttrListListInt(attr, "pads", 2, sizes, lists), ACL_SUCCESS);
  EXPECT_EQ(aclopSetAttrListListInt(attr, "pads", 0, nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclopSetAttrListListInt(attr, "pads", 2, wrong, lists), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclopSetAttrListListInt(attr, "pads", 2, sizes, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclopSetAttrListListInt(nullptr, "pads", 2, sizes, lists), ACL_ERROR_INVALID_PARAM);
  const aclDataType types[] = {ACL_FLOAT, ACL_INT8};
  const char* texts[] = {"a", "b"};
  EXPECT_EQ(aclopSetAttrListDataType(attr, "types", 2, types), ACL_SUCCESS);
  EXPECT_EQ(aclopSetAttrListDataType(attr, "types", 2, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclopSetAttrListString(attr, "texts", 2, texts), ACL_SUCCESS);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(attr->values.at("texts")))
      << "a value that no operator's attribute takes";
  EXPECT_EQ(aclopSetAttrListString(attr, "texts", 0, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclopSetAttrListString(attr, "texts", 2, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclopSetAttrListString(attr, "texts", -1, texts), ACL_ERROR_INVALID_PARAM);
  aclopDestroyAttr(attr);
}

TEST(DataBuffer, HoldsAnAddress) {
  int value = 0;
  aclDataBuffer* buffer = aclCreateDataBuffer(&value, sizeof value);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &value);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), sizeof value);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
  EXPECT_EQ(aclDestroyDataBuffer(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(AclTensor, IsAViewOfItsStorage) {
  const std::int64_t shape[] = {2, 3}, strides[] = {8, 1}, storage[] = {4, 8};
  int data = 0;
  aclTensor* tensor =
      aclCreateTensor(shape, 2, ACL_FLOAT, strides, 5, ACL_FORMAT_ND, storage, 2, &data);
  ASSERT_NE(tensor, nullptr);
  std::int64_t* list = nullptr;
  std::uint64_t count = 0;
  EXPECT_EQ(aclGetViewShape(tensor, &list, &count), 0);
  EXPECT_EQ(std::vector<std::int64_t>(list, list + count), (std::vector<std::int64_t>{2, 3}));
  delete[] list;
  EXPECT_EQ(aclGetViewStrides(tensor, &list, &count), 0);
  EXPECT_EQ(std::vector<std::int64_t>(list, list + count), (std::vector<std::int64_t>{8, 1}));
  delete[] list;
  aclDataType type = ACL_DT_UNDEFINED;
  EXPECT_EQ(aclGetDataType(tensor, &type), 0);
  EXPECT_EQ(type, ACL_FLOAT);
  void* address = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(address, &data);
  EXPECT_FALSE(tensor->is_contiguous());
  EXPECT_EQ(aclGetDataType(nullptr, &type), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(AclTensor, WithoutStridesItsElementsFollowEachOther) {
  const std::int64_t shape[] = {2, 3, 4};
  aclTensor* tensor =
      aclCreateTensor(shape, 3, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, shape, 3, nullptr);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->strides, (std::vector<std::int64_t>{12, 4, 1}));
  EXPECT_TRUE(tensor->is_contiguous());
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
  const std::int64_t negative[] = {-1};
  EXPECT_EQ(aclCreateTensor(negative, 1, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, negative, 1, nullptr),
            nullptr);
  EXPECT_EQ(aclCreateTensor(nullptr, 1, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, shape, 1, nullptr),
            nullptr);
}

TEST(AclScalar, HasAValueOfItsType) {
  float real = 1.5f;
  aclScalar* scalar = aclCreateScalar(&real, ACL_FLOAT);
  ASSERT_NE(scalar, nullptr);
  EXPECT_EQ(scalar->number(), 1.5);
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
  std::int64_t whole = -7;
  scalar = aclCreateScalar(&whole, ACL_INT64);
  EXPECT_EQ(scalar->number(), -7);
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
  EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
  EXPECT_EQ(aclCreateScalar(&real, ACL_STRING), nullptr);
}

TEST(AclArrays, KeepTheirValuesAndListsTheirMembers) {
  const std::int64_t values[] = {1, 2, 3};
  aclIntArray* array = aclCreateIntArray(values, 3);
  std::uint64_t size = 0;
  EXPECT_EQ(aclGetIntArraySize(array, &size), 0);
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(array->values[2], 3);
  EXPECT_EQ(aclDestroyIntArray(array), 0);
  EXPECT_EQ(aclCreateIntArray(nullptr, 3), nullptr);
  const aclTensor* members[] = {
      aclCreateTensor(values, 3, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, values, 3, nullptr),
      aclCreateTensor(values, 1, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, values, 1, nullptr)};
  aclTensorList* list = aclCreateTensorList(members, 2);
  EXPECT_EQ(aclGetTensorListSize(list, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
}

TEST(AclTensor, NothingIsDestroyedWithoutAnError) {
  EXPECT_EQ(aclDestroyTensor(nullptr), 0);
  EXPECT_EQ(aclDestroyScalar(nullptr), 0);
  EXPECT_EQ(aclDestroyIntArray(nullptr), 0);
  EXPECT_EQ(aclDestroyFloatArray(nullptr), 0);
  EXPECT_EQ(aclDestroyBoolArray(nullptr), 0);
  EXPECT_EQ(aclDestroyTensorList(nullptr), 0);
  EXPECT_EQ(aclDestroyScalarList(nullptr), 0);
}

}  // namespace
}  // namespace davsim::test
