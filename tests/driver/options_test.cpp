// The command line of davsim-cc.
#include "driver/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "driver/process.hpp"
#include "tests/scratch_folder.hpp"

namespace davsim::driver {
namespace {

using Words = std::vector<std::string>;

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() {
    for (const char* name : {"a.asc", "b.cpp", "c.o", "d.cce"}) std::ofstream(file(name)) << "";
  }
  std::string file(const std::string& name) const { return folder_ / name; }

  /// With a.asc as input.
  Options parse(Words arguments) const {
    arguments.push_back(file("a.asc"));
    return parse_options(arguments);
  }
  std::string error(Words arguments) const {
    try {
      parse(std::move(arguments));
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  ScratchFolder folder_;
};

TEST_F(OptionsTest, WhatBuildFilesOfTheVendorPassIsTaken) {
  const Options options = parse({"-O2",
                                 "-std=c++17",
                                 "-xcce",
                                 "--cce-aicore-arch=dav-c220-vec",
                                 "-mllvm",
                                 "-cce-aicore-stack-size=0x8000",
                                 "-mllvm",
                                 "-cce-of-tomorrow=1",
                                 "--cce-soc-version=Ascend910B1",
                                 "--cce-soc-core-type=VecCore",
                                 "-I",
                                 "include",
                                 "-Iother",
                                 "-DMODE=1",
                                 "-D",
                                 "X",
                                 "--cce-auto-sync=off",
                                 "-fPIC",
                                 "--shared",
                                 "-o",
                                 "out.so"});
  EXPECT_TRUE(options.shared);
  EXPECT_FALSE(options.auto_sync);
  EXPECT_EQ(options.output, "out.so");
  EXPECT_EQ(options.standard, "c++20");
  EXPECT_EQ(options.optimisation, "-O2");
  EXPECT_EQ(options.preprocessor, (Words{"-I", "include", "-Iother", "-DMODE=1", "-D", "X"}));
  EXPECT_EQ(options.compiler, (Words{"-fPIC"}));
  EXPECT_EQ(options.warnings, (Words{"-mllvm -cce-of-tomorrow=1 is ignored"}));
}

TEST_F(OptionsTest, WhatKernelsCannotBeCompiledWithoutIsIgnoredWithAWarning) {
  const Options options = parse({"-fno-exceptions", "-flto=2"});
  EXPECT_TRUE(options.compiler.empty());
  EXPECT_EQ(options.warnings, (Words{"-fno-exceptions is ignored: a kernel that is stopped throws",
                                     "-flto=2 is ignored: kernels are linked before the program"}));
}

TEST_F(OptionsTest, ProgramsAreLinkedWithSharedLibraries) {
  const Options options = parse({"-static", "-static-libstdc++", "-rdynamic"});
  ASSERT_EQ(options.items.size(), 2u);  // and a.asc
  EXPECT_EQ(options.items[0].argument, "-rdynamic");
  ASSERT_EQ(options.warnings.size(), 2u);
  EXPECT_TRUE(options.warnings[0].starts_with("-static is ignored: ")) << options.warnings[0];
}

TEST_F(OptionsTest, SanitizersAreForTheHost) {
  const Options options = parse({"-fsanitize=address", "-g", "-fno-sanitize=null"});
  EXPECT_EQ(options.compiler, (Words{"-g"}));
  EXPECT_EQ(options.sanitizers, (Words{"-fsanitize=address", "-fno-sanitize=null"}));
  EXPECT_EQ(options.items.size(), 1u);  // a.asc
  EXPECT_NE(error({"-fsanitize=thread"}).find("ThreadSanitizer"), std::string::npos);
}

TEST_F(OptionsTest, WhatCountsForAProfileIsForTheHost) {
  const Options options = parse({"--coverage", "-g", "-fprofile-generate=folder", "-pg"});
  EXPECT_EQ(options.compiler, (Words{"-g"}));
  EXPECT_EQ(options.profile, (Words{"--coverage", "-fprofile-generate=folder", "-pg"}));
}

TEST_F(OptionsTest, OptionsOfClangThatMeanNothingToGccAreLeftOut) {
  const Options options = parse(
      {"-fstack-protector-strong", "-xcce", "-Xhost-start", "-Xhost-end", "-Wno-macro-redefined",
       "-fcolor-diagnostics", "-ferror-limit=3", "-Xclang", "-fno-x", "--target=aarch64-linux",
       "-target", "x", "--npu-soc=Ascend910B1", "--std=c++17", "-D_FORTIFY_SOURCE=2",
       "--cce-fatobj-link", "-Xaicore-start", "-mcmodel=large", "-Xaicore-end"});
  EXPECT_EQ(options.compiler, (Words{"-fstack-protector-strong", "-Wno-macro-redefined"}));
  EXPECT_EQ(options.standard, "c++20");
  EXPECT_EQ(options.preprocessor, (Words{"-D_FORTIFY_SOURCE=2"}));
  EXPECT_TRUE(options.warnings.empty());
}

TEST_F(OptionsTest, ANamedSectionOfTheDeviceEndsWhereItEnds) {
  const Options options =
      parse({"-Xaicore-start", "-mcmodel=large", "-DX", "-O3", "-Xaicore-end", "-march=native"});
  EXPECT_EQ(options.compiler, (Words{"-march=native"}));
  EXPECT_EQ(options.preprocessor, (Words{"-DX"}));
  EXPECT_EQ(options.optimisation, "-O3");
  EXPECT_EQ(parse({"--cce-build-static-lib"}).action, Action::kArchive);
}

TEST_F(OptionsTest, InputsAreMixedByExtensionOrLanguage) {
  const Options options = parse_options({file("a.asc"), file("b.cpp"), file("c.o"), file("d.cce"),
                                         "-x", "asc", file("b.cpp"), "-x", "none", file("b.cpp")});
  const Input::Kind kinds[] = {Input::Kind::kMixed, Input::Kind::kHost,  Input::Kind::kObject,
                               Input::Kind::kMixed, Input::Kind::kMixed, Input::Kind::kHost};
  ASSERT_EQ(options.items.size(), std::size(kinds));
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    EXPECT_EQ(options.items[i].input.kind, kinds[i]) << i;
  }
}

TEST_F(OptionsTest, ObjectsAndLibrariesKeepTheirOrder) {
  const Options options =
      parse_options({"-L/lib", file("c.o"), "-lm", "-Wl,-rpath,/x", file("a.asc"), "-pthread"});
  Words order;
  for (const Options::Item& item : options.items) {
    order.push_back(item.is_input ? item.input.path : item.argument);
  }
  EXPECT_EQ(order,
            (Words{"-L/lib", file("c.o"), "-lm", "-Wl,-rpath,/x", file("a.asc"), "-pthread"}));
}

TEST_F(OptionsTest, StandardsBelowTwentyAreRaised) {
  EXPECT_EQ(parse({"-std=gnu++14"}).standard, "gnu++20");
  EXPECT_EQ(parse({"-std=c++23"}).standard, "c++23");
  EXPECT_EQ(parse({}).standard, "gnu++20");
  EXPECT_EQ(error({"-std=c11"}), "-std=c11 is no C++ standard");
}

TEST_F(OptionsTest, DependenciesAreOneCompilations) {
  const Options options = parse({"-c", "-MMD", "-MP", "-MF", "a.d", "-MTtarget"});
  EXPECT_EQ(options.dependencies, (Words{"-MMD", "-MP"}));
  EXPECT_EQ(options.dependency_file, "a.d");
  EXPECT_EQ(options.dependency_target, "target");
}

TEST_F(OptionsTest, ResponseFilesAreRead) {
  std::ofstream(file("list")) << "-DA='x y'\n-O1 \"-Ia b\" -Dc\\ d";
  const Options options = parse({"@" + file("list")});
  EXPECT_EQ(options.optimisation, "-O1");
  EXPECT_EQ(options.preprocessor, (Words{"-DA=x y", "-Ia b", "-Dc d"}));
}

TEST_F(OptionsTest, ResponseFilesMayNameOthers) {
  std::ofstream(file("inner")) << "-O1";
  std::ofstream(file("outer")) << "@" + file("inner") + " -DA";
  const Options options = parse({"@" + file("outer"), "-DB"});
  EXPECT_EQ(options.optimisation, "-O1");
  EXPECT_EQ(options.preprocessor, (Words{"-DA", "-DB"}));
}

TEST_F(OptionsTest, ResponseFilesWithoutEndAreRefused) {
  const std::string self = file("self");
  std::ofstream(self) << "-O1 @" + self;
  EXPECT_EQ(error({"@" + self}), "the response file " + self + " stands in itself");
  // Each names the next one twice.
  for (char name = 'p'; name < 'z'; ++name) {
    const std::string next = " @" + file(std::string(1, static_cast<char>(name + 1)));
    std::ofstream(file(std::string(1, name))) << next + next;
  }
  std::ofstream(file("z")) << "-O1 -O1";
  EXPECT_EQ(error({"@" + file("p")}), "more than 2000 response files");
  EXPECT_EQ(error({"@/dev/zero"}), "the response file /dev/zero has more than 16 MiB");
  EXPECT_EQ(error({"@" + file("")}), "cannot read " + file(""));
}

TEST_F(OptionsTest, ErrorsNameRuleAndValue) {
  EXPECT_EQ(error({"--nonsense"}), "unknown option --nonsense; see davsim-cc --help");
  EXPECT_EQ(error({"--npu-arch=dav-3510"}),
            "davsim simulates architecture dav-2201 (dav-c220); 'dav-3510' is another one");
  EXPECT_EQ(error({"--cce-auto-sync=maybe"}), "--cce-auto-sync=maybe: allowed are on and off");
  EXPECT_EQ(error({"--run-mode=fast"}), "--run-mode is 'fast', allowed are npu, sim and cpu");
  EXPECT_EQ(error({"-c", "-o", "x", file("b.cpp")}), "-o with -c takes one source, not 2");
  EXPECT_THROW(parse_options({}), UsageError);
  EXPECT_THROW(parse_options({"-o"}), UsageError);
  EXPECT_THROW(parse_options({"missing.asc"}), UsageError);
  EXPECT_NE(error({"-S"}).find("-S is not supported"), std::string::npos);
}

TEST_F(OptionsTest, FilesThatCannotBeReadOrWrittenAreRefused) {
  const std::string folder = file(""), output = file("no/such/x.o");
  EXPECT_EQ(error({"-c", folder}), folder + " is a folder, not a file");
  EXPECT_EQ(error({"-o", folder}), "-o " + folder + ": that is a folder");
  EXPECT_EQ(error({"-o", output}), "-o " + output + ": there is no folder " + file("no/such"));
  EXPECT_EQ(error({"-c", "-o", file("a.asc")}),
            "-o " + file("a.asc") + " would overwrite the input " + file("a.asc"));
  EXPECT_EQ(error({"-o", "/dev/null"}), "");
}

TEST(TemporaryFolderTest, AFolderThatIsMissingIsToldByItsVariable) {
  setenv("TMPDIR", "/no/such/folder", 1);
  std::string said;
  try {
    TemporaryFolder folder;
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  EXPECT_EQ(said,
            "the folder for temporary files, which TMPDIR names, cannot be used: No such file or "
            "directory");
}

}  // namespace
}  // namespace davsim::driver
