#include "io/safetensors.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/scratch_folder.hpp"

namespace davsim::io {

using memory::Shape;
using memory::Tensor;
using memory::to_string;
namespace {

namespace fs = std::filesystem;
using isa::DType;

class SafetensorsTest : public ::testing::Test {
 protected:
  /// A file of this header and so many bytes of data, 0, 1, 2, ...
  void write(const std::string& header, std::size_t data_bytes) {
    write_raw(header.size(), header, data_bytes);
  }
  void write_raw(std::uint64_t length, const std::string& header, std::size_t data_bytes) {
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&length), 8);
    file << header;
    for (std::size_t i = 0; i < data_bytes; ++i) file.put(static_cast<char>(i));
  }
  /// What reading the file says; the empty string if it can be read.
  std::string error() {
    const std::uint64_t before = memory_.allocated_bytes();
    try {
      read_safetensors(path_.string(), memory_);
    } catch (const FileError& error) {
      EXPECT_EQ(memory_.allocated_bytes(), before);
      EXPECT_EQ(std::string(error.what()).find(path_.string()), 0u) << error.what();
      EXPECT_FALSE(error.rule.empty());
      return error.what();
    }
    return "";
  }
  void expect_error(const std::string& text) {
    const std::string found = error();
    EXPECT_NE(found.find(text), std::string::npos) << "found: '" << found << "'";
  }

  memory::GlobalMemory memory_{1 << 20};
  const ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
  const fs::path path_ = folder_ / "t.safetensors";
};

TEST_F(SafetensorsTest, ReadsWhatTheFormatSays) {
  write(R"({"__metadata__":{"a":"b"},"t":{"dtype":"I16","shape":[2,1],"data_offsets":[2,6]},)"
        R"("s":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}   )",
        6);
  const TensorMap tensors = read_safetensors(path_.string(), memory_);
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors.at("t").dtype(), DType::kI16);
  EXPECT_EQ(tensors.at("t").shape(), (Shape{2, 1}));
  EXPECT_EQ(tensors.at("t").as<std::int16_t>()[1], 0x0504);
  EXPECT_EQ(tensors.at("s").as<std::uint8_t>()[1], 1);
}

TEST_F(SafetensorsTest, RoundTripOfEveryDtype) {
  TensorMap tensors;
  for (const DType dtype :
       {DType::kF16, DType::kBF16, DType::kF32, DType::kI8, DType::kU8, DType::kBool, DType::kI16,
        DType::kU16, DType::kI32, DType::kU32, DType::kI64, DType::kU64}) {
    Tensor tensor(memory_, dtype, {3, 5}, "t");
    for (std::uint64_t i = 0; i < tensor.bytes(); ++i) tensor.data()[i] = std::byte(i * 7);
    tensors.emplace(isa::dtype_name(dtype), tensor);
  }
  tensors.emplace("scalar", Tensor(memory_, DType::kF32, {}, "scalar"));
  tensors.emplace("empty", Tensor(memory_, DType::kF16, {4, 0}, "empty"));
  write_safetensors(path_.string(), tensors, {{"operator", "none"}});
  const TensorMap back = read_safetensors(path_.string(), memory_);
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const Tensor& copy = back.at(name);
    EXPECT_EQ(copy.dtype(), tensor.dtype()) << name;
    EXPECT_EQ(copy.shape(), tensor.shape()) << name;
    EXPECT_EQ(std::memcmp(copy.data(), tensor.data(), tensor.bytes()), 0) << name;
  }
}

TEST_F(SafetensorsTest, WritesAlignedSelfContainedFiles) {
  TensorMap tensors;
  tensors.emplace("a", Tensor(memory_, DType::kI64, {2}, "a"));
  std::ostringstream out;
  write_safetensors(out, tensors);
  const std::string bytes = out.str();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(bytes.size(), 8 + length + 16);
  EXPECT_EQ(bytes.substr(8, 21), R"({"a":{"dtype":"I64",")");
}

TEST_F(SafetensorsTest, HasNoInt4) {
  TensorMap tensors;
  tensors.emplace("w", Tensor(memory_, DType::kI4, {8}, "w"));
  EXPECT_THROW(write_safetensors(path_.string(), tensors), std::invalid_argument);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SafetensorsTest, UnreadableFiles) {
  expect_error("No such file");
  fs::create_directory(path_);
  expect_error("regular file");
}

TEST_F(SafetensorsTest, APipeIsReadToItsEnd) {
  TensorMap tensors;
  tensors.emplace("a", Tensor(memory_, DType::kI64, {2}, "a"));
  tensors.at("a").as<std::int64_t>()[1] = 7;
  const fs::path whole = folder_ / "whole";
  write_safetensors(whole.string(), tensors);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream(path_, std::ios::binary) << std::ifstream(whole, std::ios::binary).rdbuf();
  });
  const TensorMap read = read_safetensors(path_.string(), memory_);
  writer.join();
  EXPECT_EQ(read.at("a").as<std::int64_t>()[1], 7);
}

TEST_F(SafetensorsTest, TruncatedFiles) {
  std::ofstream(path_) << "";
  expect_error("the file has 0 bytes");
  std::ofstream(path_) << "short";
  expect_error("the file has 5 bytes");
  write_raw(1000, "{}", 0);
  expect_error("the header ends inside the file");
  write_raw(~std::uint64_t{0}, "{}", 0);
  expect_error("18446744073709551615");
  write(R"({"t":{"dtype":"I32","shape":[4],"data_offsets":[0,16]}})", 15);
  expect_error("the file has 15 bytes of data");
}

TEST_F(SafetensorsTest, HugeHeader) {
  std::ofstream file(path_, std::ios::binary);
  const std::uint64_t length = kMaxSafetensorsHeader + 1;
  file.write(reinterpret_cast<const char*>(&length), 8);
  file.close();
  fs::resize_file(path_, 8 + length);
  expect_error("the header has at most 16777216 bytes");
}

TEST_F(SafetensorsTest, MoreThanTheHostHas) {
  const auto host = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::string bytes = std::to_string(2 * host);
  const std::string header =
      R"({"t":{"dtype":"U8","shape":[)" + bytes + R"(],"data_offsets":[0,)" + bytes + "]}}";
  write(header, 0);
  fs::resize_file(path_, 8 + header.size() + 2 * host);  // sparse
  expect_error("host");
}

TEST_F(SafetensorsTest, MoreThanGlobalMemoryHas) {
  const std::string header = R"({"t":{"dtype":"U8","shape":[2097152],"data_offsets":[0,2097152]}})";
  write(header, 0);
  fs::resize_file(path_, 8 + header.size() + (2u << 20));
  expect_error("the tensors fit in global memory");
}

TEST_F(SafetensorsTest, NotJson) {
  for (const char* header :
       {"", "PK", " {}", "[]", "{", "{}x", "{'a':1}", R"({"a":})", "{} {}", "{\"\xff\":1}"}) {
    write(header, 0);
    EXPECT_NE(error(), "") << header;
  }
  std::string deep = R"({"t":)";
  deep.append(100000, '[');
  write(deep, 0);
  expect_error("not JSON");
}

TEST_F(SafetensorsTest, NamesTwice) {
  write(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
        R"("t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
        1);
  expect_error("key 't' appears twice");
  write(R"({"t":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}})", 1);
  expect_error("key 'shape' appears twice");
  write(R"({"":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
        R"("":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
        0);
  expect_error("appears twice");
}

TEST_F(SafetensorsTest, BadEntries) {
  const char* entries[] = {
      R"(1)",
      R"({})",
      R"({"dtype":"U8","shape":[1]})",
      R"({"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1})",
      R"({"dtype":"F64","shape":[],"data_offsets":[0,8]})",
      R"({"dtype":8,"shape":[8],"data_offsets":[0,8]})",
      R"({"dtype":"U8","shape":8,"data_offsets":[0,8]})",
      R"({"dtype":"U8","shape":[-8],"data_offsets":[0,8]})",
      R"({"dtype":"U8","shape":[8.0],"data_offsets":[0,8]})",
      R"({"dtype":"U8","shape":["8"],"data_offsets":[0,8]})",
      R"({"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,8]})",
      R"({"dtype":"U8","shape":[4294967296,4294967304],"data_offsets":[0,8]})",
      R"({"dtype":"I64","shape":[2305843009213693953],"data_offsets":[0,8]})",
      R"({"dtype":"U8","shape":[8],"data_offsets":[0]})",
      R"({"dtype":"U8","shape":[8],"data_offsets":[0,8,8]})",
      R"({"dtype":"U8","shape":[8],"data_offsets":[8,0]})",
      R"({"dtype":"U8","shape":[8],"data_offsets":[-8,0]})",
      R"({"dtype":"U8","shape":[8],"data_offsets":[0,9]})",
      R"({"dtype":"U8","shape":[7],"data_offsets":[0,8]})",
      R"({"dtype":"I16","shape":[8],"data_offsets":[0,8]})",
      R"({"dtype":"U8","shape":[7],"data_offsets":[1,8]})",
      R"({"dtype":"U8","shape":[7],"data_offsets":[0,7]})",
      R"({"dtype":"U8","shape":[8],"data_offsets":[18446744073709551608,0]})",
  };
  for (const char* entry : entries) {
    write(std::string(R"({"t":)") + entry + "}", 8);
    EXPECT_NE(error(), "") << entry;
  }
  write(R"({"t":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", 8);
  EXPECT_EQ(error(), "");
}

TEST_F(SafetensorsTest, OverlapsAndGaps) {
  const auto two = [](int first_end, int second_begin) {
    const std::string a = std::to_string(first_end), b = std::to_string(second_begin);
    return R"({"a":{"dtype":"U8","shape":[)" + a + R"(],"data_offsets":[0,)" + a +
           R"(]},"b":{"dtype":"U8","shape":[)" + std::to_string(8 - second_begin) +
           R"(],"data_offsets":[)" + b + ",8]}}";
  };
  write(two(4, 4), 8);
  EXPECT_EQ(error(), "");
  write(two(5, 4), 8);
  expect_error("overlap");
  write(two(3, 4), 8);
  expect_error("gap");
  write(two(4, 4), 9);
  expect_error("the tensors fill the file");
}

TEST_F(SafetensorsTest, BadMetadata) {
  write(R"({"__metadata__":{"a":1}})", 0);
  expect_error("__metadata__ maps strings to strings");
  write(R"({"__metadata__":"a"})", 0);
  expect_error("__metadata__");
}

TEST_F(SafetensorsTest, WriterKeepsTheOldFileUntilTheEnd) {
  std::ofstream(path_) << "old";
  TensorMap tensors;
  tensors.emplace("w", Tensor(memory_, DType::kI4, {8}, "w"));
  EXPECT_THROW(write_safetensors(path_.string(), tensors), std::invalid_argument);
  std::ifstream file(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "old");
}

TEST_F(SafetensorsTest, WriterNamesWhatItCannotWrite) {
  const auto error_of = [](const std::string& path) -> std::string {
    try {
      write_safetensors(path, {});
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(error_of(folder_.string()).find("directory"), std::string::npos);
  EXPECT_NE(error_of((folder_ / "no" / "such").string()).find("No such file"), std::string::npos);
  EXPECT_EQ(error_of("/dev/null"), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_NE(error_of("").find("empty"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SafetensorsTest, WriterFollowsSymbolicLinks) {
  const fs::path link = folder_ / "link";
  fs::create_symlink(path_, link);
  write_safetensors(link.string(), {});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_regular_file(path_));
  const fs::path loop = folder_ / "loop";
  fs::create_symlink(loop, loop);
  EXPECT_THROW(write_safetensors(loop.string(), {}), FileError);
}

}  // namespace
}  // namespace davsim::io
