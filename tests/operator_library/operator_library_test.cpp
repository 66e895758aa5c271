// Operators of libraries in the davsim program: listed, described, run and refused as its own are.
#include <gtest/gtest.h>

#include <cmath>

#include "io/safetensors.hpp"
#include "isa/numeric/half.hpp"
#include "tests/cli/program.hpp"

namespace davsim::cli {
namespace {

const std::string kLibrary = std::string(DAVSIM_OPERATOR_PROJECT) + "/libcust.so";
const std::string kMore = std::string(DAVSIM_OPERATOR_PROJECT) + "/libmore.so";

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class OperatorLibraryTest : public ProgramTest {
 protected:
  static Arguments run(const std::string& op, const std::string& library = kMore) {
    return {"run", op, "--operators", library};
  }
  static Arguments add(const std::string& type, const std::string& shape) {
    return run("AddCustom", kLibrary) +
           Arguments{"--tensor", "x=" + type + shape, "--tensor", "y=" + type + shape};
  }

  memory::TensorMap read(const std::string& name) {
    return io::read_safetensors(file(name).string(), memory_);
  }
  memory::Tensor ints(const std::string& name, const std::string& tensor) {
    return read(name).at(tensor);
  }

  memory::GlobalMemory memory_{std::uint64_t{1} << 30};
};

TEST_F(OperatorLibraryTest, IsListedAndDescribedBesideDavsimsOwn) {
  const Outcome list = davsim({"list", "--operators", kLibrary});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_TRUE(holds(list.out, "AddCustom"));
  EXPECT_TRUE(holds(list.out, "rope_quant_kvcache"));

  const json::object described = result({"describe", "AddCustom", "--operators", kLibrary});
  EXPECT_EQ(described.at("products"), json::parse(R"(["A2", "A3"])"));
  const json::array& tensors = described.at("tensors").as_array();
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[1].at("name").as_string(), "y");
  EXPECT_EQ(tensors[1].at("dtypes"), json::parse(R"(["float16", "float32"])"));
  EXPECT_EQ(tensors[2].at("direction").as_string(), "out");
  const json::value& attribute = described.at("attributes").as_array().at(0);
  EXPECT_EQ(attribute.at("name").as_string(), "alpha");
  EXPECT_EQ(attribute.at("type").as_string(), "float");
  EXPECT_EQ(attribute.at("default").to_number<double>(), 1.0);
  EXPECT_EQ(davsim({"describe", "AddCustom", "--operators", kLibrary}).status, 0);
}

TEST_F(OperatorLibraryTest, HalfIsRoundedTwice) {
  // 7 * 1111 elements: the last core has less than the others, and no share is a whole tile.
  const json::object run =
      result(add("float16", "[7,1111]") + Arguments{"--attr", "alpha=2.5", "--save-inputs",
                                                    "in.safetensors", "--outputs",
                                                    "out.safetensors", "--check"});
  EXPECT_GT(run.at("cycles").to_number<std::uint64_t>(), 0u);
  const auto in = read("in.safetensors"), out = read("out.safetensors");
  const auto& z = out.at("z");
  ASSERT_EQ(z.shape(), (memory::Shape{7, 1111}));
  for (std::int64_t i = 0; i < z.elements(); ++i) {
    const float x = static_cast<float>(in.at("x").as<isa::half>()[i]);
    const float y = static_cast<float>(in.at("y").as<isa::half>()[i]);
    const isa::half scaled(y * 2.5f);
    const isa::half expected(x + static_cast<float>(scaled));
    ASSERT_EQ(z.as<isa::half>()[i].bits, expected.bits) << "element " << i;
  }
}

TEST_F(OperatorLibraryTest, FloatIsAColumnOfItsOwnAndTheDefaultOfAlphaHolds) {
  result(add("float32", "[40,64]") + Arguments{"--soc", "Ascend910_9391", "--save-inputs",
                                               "in.safetensors", "--outputs", "out.safetensors"});
  const auto in = read("in.safetensors"), out = read("out.safetensors");
  for (std::int64_t i = 0; i < 40 * 64; ++i) {
    ASSERT_EQ(out.at("z").as<float>()[i], in.at("x").as<float>()[i] + in.at("y").as<float>()[i]);
  }
}

TEST_F(OperatorLibraryTest, ModeIsATilingKeyWithAStructOfItsOwn) {
  const Arguments mode = run("ModeCustom") + Arguments{"--tensor", "x=int32[33]:7", "--outputs",
                                                       "out.safetensors", "--check"};
  result(mode + Arguments{"--attr", "mode=1"});
  EXPECT_EQ(ints("out.safetensors", "y").as<std::int32_t>()[32], 17);
  result(mode + Arguments{"--attr", "mode=2"});
  EXPECT_EQ(ints("out.safetensors", "y").as<std::int32_t>()[32], 21) << "the default's last factor";
  result(mode + Arguments{"--attr", "mode=2", "--attr", "factors=5,6,-4"});
  EXPECT_EQ(ints("out.safetensors", "y").as<std::int32_t>()[0], -28);
}

TEST_F(OperatorLibraryTest, ATemplateIsCompiledForTheSelectedArguments) {
  const Arguments scale =
      run("ScaleCustom") + Arguments{"--tensor", "x=int32[20]:7", "--outputs", "out.safetensors"};
  result(scale);
  EXPECT_EQ(ints("out.safetensors", "y").as<std::int32_t>()[19], -21);
  // int32 is 3 in 8 bits, the factor 4 bits, the sign 1: 3 + (4 << 8) + (1 << 12).
  const json::object other = error(scale + Arguments{"--attr", "factor=4"}, 3);
  EXPECT_TRUE(holds(other.at("message").as_string().c_str(), "names: 4867; it set 5123"));
  const json::object large = error(scale + Arguments{"--attr", "factor=16"}, 3);
  EXPECT_TRUE(holds(large.at("message").as_string().c_str(), "FACTOR has 4 of 64 bits"));
}

TEST_F(OperatorLibraryTest, WithoutInferenceAWarningSaysWhichShapeAnOutputHas) {
  const Outcome run_it =
      davsim(run("ModeCustom") + Arguments{"--tensor", "x=int32[8]", "--attr", "mode=1"});
  EXPECT_EQ(run_it.status, 0);
  EXPECT_TRUE(holds(run_it.err, "ModeCustom registers no InferShape function"));
}

TEST_F(OperatorLibraryTest, ListsOptionalAndInPlaceTensorsReachTheKernel) {
  const Arguments join = run("JoinCustom") + Arguments{"--tensor",  "parts.0=int32[3]:5",
                                                       "--tensor",  "parts.1=int32[2,2]:-1",
                                                       "--tensor",  "total=int32[8]:100",
                                                       "--outputs", "out.safetensors"};
  result(join);
  EXPECT_EQ(ints("out.safetensors", "total").as<std::int32_t>()[0], 111);
  EXPECT_EQ(ints("out.safetensors", "sizes").shape(), memory::Shape{2});
  EXPECT_EQ(ints("out.safetensors", "sizes").as<std::int64_t>()[1], 4);
  result(join + Arguments{"--tensor", "offset=int32[1]:1000"});
  EXPECT_EQ(ints("out.safetensors", "total").as<std::int32_t>()[0], 1111);
}

TEST_F(OperatorLibraryTest, AnOutputWhoseSizesAreOpenIsRefused) {
  Arguments join = run("JoinCustom") + Arguments{"--tensor", "total=int32[8]"};
  for (int i = 0; i < 5; ++i) {
    join = join + Arguments{"--tensor", "parts." + std::to_string(i) + "=int32[3]"};
  }
  const json::object open = error(join, 3);
  EXPECT_EQ(open.at("class").as_string(), "E_SHAPE");
  EXPECT_TRUE(holds(open.at("message").as_string().c_str(), "InferShape gives output sizes"));
}

TEST_F(OperatorLibraryTest, WrongCallsAreRefusedWithTheClassesOfDavsimsOwn) {
  const Arguments mode = run("ModeCustom") + Arguments{"--tensor", "x=int32[8]"};
  const json::object key = error(mode + Arguments{"--attr", "mode=77"}, 3);
  EXPECT_EQ(key.at("class").as_string(), "E_UNSUPPORTED");
  EXPECT_TRUE(holds(key.at("message").as_string().c_str(),
                    "a tiling key that the source of mode_custom names: 1, 2; it set 77"));
  const json::object failed = error(mode + Arguments{"--attr", "mode=-1"}, 3);
  EXPECT_TRUE(holds(failed.at("message").as_string().c_str(), "it returned GRAPH_FAILED"));
  EXPECT_EQ(error_class(mode, 3), "E_ATTR") << "mode is required";
  EXPECT_EQ(error_class(mode + Arguments{"--attr", "mode=fast"}, 3), "E_ATTR");
  EXPECT_EQ(error_class(mode + Arguments{"--attr", "mode=1", "--attr", "factors=1,x"}, 3),
            "E_ATTR");
  EXPECT_EQ(error_class(mode + Arguments{"--attr", "mode=1", "--soc", "Ascend910_9391"}, 3),
            "E_UNSUPPORTED")
      << "configured for ascend910b alone";
  EXPECT_EQ(
      error_class(run("ModeCustom") + Arguments{"--tensor", "x=int8[8]", "--attr", "mode=1"}, 3),
      "E_DTYPE");
  EXPECT_EQ(error_class(run("AddCustom", kLibrary) + Arguments{"--tensor", "x=float16[8]"}, 3),
            "E_NULL");
  const json::object mixed =
      error(run("AddCustom", kLibrary) +
                Arguments{"--tensor", "x=float16[8]", "--tensor", "y=float32[8]"},
            3);
  EXPECT_EQ(mixed.at("class").as_string(), "E_DTYPE");
  EXPECT_TRUE(holds(mixed.at("message").as_string().c_str(),
                    "x float16, y float16 or x float32, y float32; found x float16, y float32"));
}

TEST_F(OperatorLibraryTest, FilesThatAreNoLibrariesOfOperatorsAreWrongUsage) {
  write_file(file("text.so"), "no library");
  EXPECT_EQ(error_class({"list", "--operators", "text.so"}, 2), "usage");
  EXPECT_EQ(error_class({"list", "--operators", "missing.so"}, 2), "usage");
  const json::object twice = error({"list", "--operators", kMore, "--operators", kMore}, 2);
  EXPECT_TRUE(holds(twice.at("message").as_string().c_str(), "none that is not loaded already"));
}

}  // namespace
}  // namespace davsim::cli
