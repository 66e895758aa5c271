// Memory of a device that another process imports by a key.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "runtime/launch.hpp"
#include "tests/child_process.hpp"
#include "tests/runtime/runtime_test.hpp"

namespace davsim::test::imported_memory {
namespace {

constexpr std::size_t kCount = 4096, kBytes = kCount * sizeof(float);
using Key = std::array<char, 65>;
/// That of scale_custom.
struct Tiling {
  std::uint32_t length;
  std::uint16_t offset;
};

void require(int code, const char* what) {
  if (code != 0) throw std::runtime_error(std::string(what) + ": " + error_text());
}

std::vector<float> numbers(float first) {
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = first + static_cast<float>(i);
  return values;
}
void write_to(void* to, const std::vector<float>& values) {
  require(aclrtMemcpy(to, kBytes, values.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
}
std::vector<float> read_from(const void* from) {
  std::vector<float> values(kCount);
  require(aclrtMemcpy(values.data(), kBytes, from, kBytes, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
  return values;
}
void* allocate() {
  void* block = nullptr;
  require(aclrtMalloc(&block, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  return block;
}

/// Two processes, which take turns.
class ImportedMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(pipe(there_), 0);
    ASSERT_EQ(pipe(back_), 0);
  }
  void TearDown() override {
    for (const int end : {there_[0], there_[1], back_[0], back_[1]}) close(end);
  }
  template <class T>
  static void tell(const int (&ends)[2], const T& what) {
    if (::write(ends[1], &what, sizeof what) != sizeof what) throw std::runtime_error("pipe");
  }
  template <class T>
  static T hear(const int (&ends)[2]) {
    T what;
    if (::read(ends[0], &what, sizeof what) != sizeof what) throw std::runtime_error("pipe");
    return what;
  }

  /// Exports a block, and looks at what has become of it.
  std::string export_numbers(int device) const {
    require(aclrtSetDevice(device), "aclrtSetDevice");
    allocate();  // so that the block is not the first one
    void* const block = allocate();
    write_to(block, numbers(1));
    Key key{};
    require(aclrtIpcMemGetExportKey(block, kBytes, key.data(), key.size(), 0),
            "aclrtIpcMemGetExportKey");
    tell(there_, key);
    hear<char>(back_);
    const bool doubled = read_from(block)[7] == 16 && read_from(block)[kCount - 1] == 2 * kCount;
    write_to(block, numbers(5));
    tell(there_, 'x');
    hear<char>(back_);
    require(aclrtIpcMemClose(key.data()), "aclrtIpcMemClose");
    return doubled ? "" : "the exported block has not what was written there; ";
  }
  /// Reads and writes it, by copies and by a kernel.
  std::string import_numbers(int device) const {
    require(aclrtSetDevice(device), "aclrtSetDevice");
    aclrtStream stream = nullptr;
    require(aclrtCreateStream(&stream), "aclrtCreateStream");
    const Key key = hear<Key>(there_);
    void *block = nullptr, *again = nullptr;
    require(aclrtIpcMemImportByKey(&block, key.data(), 0), "aclrtIpcMemImportByKey");
    require(aclrtIpcMemImportByKey(&again, key.data(), 0), "aclrtIpcMemImportByKey");
    std::string wrong = block == again ? "" : "two imports differ; ";
    if (read_from(block) != numbers(1)) wrong += "the imported block has other numbers; ";
    void* const own = allocate();
    require(aclrtMemcpyAsync(own, kBytes, block, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
            "aclrtMemcpyAsync");
    using Scale = void(void*, void*, float, Tiling);
    require(static_cast<int>(runtime::launch<Scale>("scale_custom", 4, stream, block, block, 2.0f,
                                                    Tiling{kCount / 4, 0})),
            "scale_custom");
    require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    if (read_from(own) != numbers(1)) wrong += "the copy has other numbers; ";
    tell(back_, 'x');
    hear<char>(there_);
    if (read_from(block) != numbers(5)) wrong += "a later write is not seen; ";
    require(aclrtIpcMemClose(key.data()), "aclrtIpcMemClose");
    const int closed = aclrtIpcMemClose(key.data());
    const int gone = aclrtMemcpy(own, kBytes, block, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE);
    tell(back_, 'x');
    return wrong + (closed == ACL_ERROR_RT_PARAM_INVALID ? "" : "closed twice; ") +
           (gone != ACL_SUCCESS ? "" : "used behind its end; ");
  }
  std::string run(int first, int second) {
    const Child exports = start_child([&] { return export_numbers(first); });
    const Child imports = start_child([&] { return import_numbers(second); });
    return result_of(exports) + result_of(imports);
  }

  /// Both sides export a box and import that of the other one. Their kernels then talk.
  std::string converse(int device, bool first) const {
    const auto& to = first ? there_ : back_;
    const auto& from = first ? back_ : there_;
    require(aclrtSetDevice(device), "aclrtSetDevice");
    void *const own = allocate(), *const sum = allocate();
    require(aclrtMemset(own, kBytes, 0, kBytes), "aclrtMemset");
    Key key{};
    require(aclrtIpcMemGetExportKey(own, kBytes, key.data(), key.size(), 0),
            "aclrtIpcMemGetExportKey");
    tell(to, key);
    void* other = nullptr;
    require(aclrtIpcMemImportByKey(&other, hear<Key>(from).data(), 0), "aclrtIpcMemImportByKey");
    constexpr int kRounds = 5;
    using Converse = void(void*, void*, void*, std::int32_t, std::int32_t);
    require(static_cast<int>(runtime::launch<Converse>("converse_custom", 3, nullptr, own, other,
                                                       sum, kRounds, first ? 100 : 200)),
            "converse_custom");
    require(aclrtSynchronizeStream(nullptr), "aclrtSynchronizeStream");
    tell(to, 'x');  // the other kernel may still use the box
    hear<char>(from);
    std::int32_t got = 0;
    require(aclrtMemcpy(&got, 4, sum, 4, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    const int expected = kRounds * (first ? 200 : 100) + 15;
    return got == expected ? "" : "the sum is " + std::to_string(got) + "; ";
  }

  int there_[2], back_[2];
};

TEST_F(ImportedMemoryTest, TwoProcessesHaveTheBytes) {
  setenv("DAVSIM_SYSTEM", "atlas_a2_server:4", 1);
  EXPECT_EQ(run(2, 1), "");
  EXPECT_EQ(run(1, 1), "");  // devices of one number are the same one to programs
}

TEST_F(ImportedMemoryTest, OneDeviceEach) {
  EXPECT_EQ(run(0, 0), "");
}

TEST_F(ImportedMemoryTest, KernelsOfTwoProcessesWaitForEachOther) {
  setenv("DAVSIM_SYSTEM", "atlas_a2_server:2", 1);
  const Child one = start_child([&] { return converse(0, true); });
  const Child other = start_child([&] { return converse(1, false); });
  EXPECT_EQ(result_of(one) + result_of(other), "");
}

TEST_F(ImportedMemoryTest, WrongKeysAreRefused) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  void* block = nullptr;
  EXPECT_EQ(aclrtIpcMemImportByKey(&block, "of another", 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(error_text().find("'of another' is no key"), std::string::npos);
  EXPECT_EQ(aclrtIpcMemImportByKey(&block, "davsim_1_1_3_7_0_40", 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(error_text().find("of device 7, this process has 1"), std::string::npos);
  EXPECT_EQ(aclrtIpcMemImportByKey(&block, "davsim_999999_1_3_0_0_40", 0),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(error_text().find("process 999999, which exported the key"), std::string::npos);
}

}  // namespace
}  // namespace davsim::test::imported_memory
