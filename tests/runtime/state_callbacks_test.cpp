// Functions of the program that are called when the interface, a device or a stream changes its
// state.
#include <fstream>
#include <utility>

#include "tests/runtime/runtime_test.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::test {
namespace {

using Told = std::vector<std::pair<std::int64_t, int>>;

void device_told(std::int32_t device, aclrtDeviceState state, void* told) {
  static_cast<Told*>(told)->emplace_back(device, state);
}
void stream_told(aclrtStream stream, aclrtStreamState state, void* told) {
  static_cast<Told*>(told)->emplace_back(reinterpret_cast<std::int64_t>(stream), state);
}

TEST(StateCallbacks, ADeviceIsSetAndReset) {
  Told told;
  EXPECT_EQ(aclrtRegDeviceStateCallback("one", device_told, &told), ACL_SUCCESS);
  EXPECT_EQ(aclrtRegDeviceStateCallback("one", device_told, &told), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtRegDeviceStateCallback(nullptr, device_told, &told), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtRegDeviceStateCallback("", device_told, &told), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(told, (Told{{0, ACL_RT_DEVICE_STATE_SET_PRE}, {0, ACL_RT_DEVICE_STATE_SET_POST}}));
  told.clear();
  EXPECT_EQ(aclrtSetDevice(7), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(told, Told());
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(told, (Told{{0, ACL_RT_DEVICE_STATE_RESET_PRE}, {0, ACL_RT_DEVICE_STATE_RESET_POST}}));
  EXPECT_EQ(aclrtRegDeviceStateCallback("one", nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(told.size(), 2u);
}

TEST(StateCallbacks, AStreamIsCreatedAndDestroyed) {
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  Told told;
  EXPECT_EQ(aclrtRegStreamStateCallback("one", stream_told, &told), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStreamWithConfig(&stream, 0, 0), ACL_SUCCESS);
  const auto number = reinterpret_cast<std::int64_t>(stream);
  EXPECT_EQ(told, (Told{{number, ACL_RT_STREAM_STATE_CREATE_POST}}));
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(told.size(), 2u);
  EXPECT_EQ(told.back(), std::pair(number, int{ACL_RT_STREAM_STATE_DESTROY_PRE}));
}

std::vector<std::string> g_texts;
aclError began(const char* text, std::size_t length, void* code) {
  g_texts.emplace_back(text, length);
  return code == nullptr ? ACL_SUCCESS : *static_cast<aclError*>(code);
}
aclError ended(void* count) {
  ++*static_cast<int*>(count);
  return ACL_SUCCESS;
}

TEST(StateCallbacks, TheInterfaceBeginsAndEnds) {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "acl.json").string();
  std::ofstream(file) << "{}";
  int ends = 0;
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, began, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, ended, &ends), ACL_SUCCESS);
  EXPECT_EQ(aclInit(file.c_str()), ACL_SUCCESS);
  EXPECT_EQ(g_texts, std::vector<std::string>{"{}"});
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, began, nullptr), ACL_SUCCESS);
  EXPECT_EQ(g_texts.size(), 2u) << "called at once";
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, began), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, began), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, ended), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(g_texts.size(), 3u) << "the one of models is left";
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(ends, 1);
  aclError wrong = 100003;
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, began, &wrong), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), wrong);
}

}  // namespace
}  // namespace davsim::test
