// Some hundred mutated inputs for each target, from a seed; `./dev fuzz` runs far more. The inputs
// of the corpus, where found mistakes are kept, are the first.
#include "tests/fuzz/targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/child_process.hpp"
#include "tests/fuzz/generator.hpp"

namespace davsim::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> corpus_of(const fuzz::Target& target) {
  std::vector<std::string> inputs = {""};
  for (const std::string& word : target.words) inputs.push_back(word);
  const fs::path folder = fs::path(DAVSIM_FUZZ_CORPUS) / target.name;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

class Mutator {
 public:
  Mutator(const fuzz::Target& target, std::uint64_t seed)
      : target_(target), corpus_(corpus_of(target)), random_(seed) {}

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    for (std::size_t left = 1 + below(8); left > 0; --left) change(text);
    text.resize(std::min<std::size_t>(text.size(), 1 << 16));
    return text;
  }

 private:
  std::size_t below(std::size_t count) { return count == 0 ? 0 : random_() % count; }
  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1), length = below(text.size() - at + 1);
    switch (below(7)) {
      case 0:
        return void(text.insert(at, target_.words[below(target_.words.size())]));
      case 1:
        return void(text.erase(at, std::min<std::size_t>(length, 16)));
      case 2:
        return void(text.insert(at, text.substr(at, length)));
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        return;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        return;
      case 5:
        return void(text.insert(at, std::to_string(random_() >> below(64))));
      default:
        text.insert(at, corpus_[below(corpus_.size())].substr(0, 256));
    }
  }

  const fuzz::Target& target_;
  std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

class FuzzTargets : public ::testing::TestWithParam<const char*> {};

TEST_P(FuzzTargets, AnyBytesEndInAResultOrAnError) {
  const fuzz::Target& target = fuzz::target_named(GetParam());
  for (const std::string& input : corpus_of(target)) ASSERT_NO_THROW(target.run(input)) << input;
  const std::uint64_t first = generator_option("DAVSIM_FUZZ_SEED", 1);
  // A changed SoC takes a millisecond, other inputs take microseconds.
  const std::uint64_t few = std::string_view(GetParam()) == "settings" ? 50 : 500;
  const std::uint64_t count = generator_option("DAVSIM_FUZZ_COUNT", few);
  Mutator mutator(target, first);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string input = mutator.next();
    ASSERT_NO_THROW(target.run(input)) << "input " << i << " of seed " << first << ":\n" << input;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTargets,
                         ::testing::Values("safetensors", "json", "ini", "settings", "system",
                                           "trace", "source"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace davsim::test
