// Every test asserts something, itself or through a helper that it calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace davsim::tree {
namespace {

namespace fs = std::filesystem;

/// C++ without comments and without what stands in literals.
std::string code_of(const std::string& text) {
  std::string code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i), text.size() - 2) + 1;
    } else if (text.compare(i, 2, "R\"") == 0) {
      const std::size_t open = text.find('(', i);
      const std::string close = ")" + text.substr(i + 2, open - i - 2) + "\"";
      i = std::min(text.find(close, open), text.size() - close.size()) + close.size() - 1;
      code += "\"\"";
    } else if (text[i] == '"' ||
               (text[i] == '\'' &&
                (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) {
      const char quote = text[i];
      for (++i; i < text.size() && text[i] != quote; ++i) i += text[i] == '\\' ? 1 : 0;
      code += "\"\"";
    } else {
      code += text[i];
    }
  }
  return code;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// The end of the bracket that opens at `open`, behind it.
std::size_t end_of(std::string_view code, std::size_t open, char left, char right) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += code[i] == left ? 1 : code[i] == right ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return code.size();
}

struct Function {
  std::string name, arguments, body;
};

/// What is called like a function and followed by a body: functions, tests, named lambdas.
std::vector<Function> functions_of(const std::string& code) {
  static const std::set<std::string> kNone = {"if", "for", "while", "switch", "catch"};
  std::vector<Function> functions;
  for (std::size_t open = code.find('('); open != std::string::npos;
       open = code.find('(', open + 1)) {
    const std::size_t close = end_of(code, open, '(', ')');
    // Between the parameters and the body there are only words and a type.
    std::size_t brace = close;
    while (brace < code.size() &&
           (is_word(code[brace]) || std::isspace(static_cast<unsigned char>(code[brace])) ||
            std::string_view("->:<>*&").find(code[brace]) != std::string_view::npos)) {
      ++brace;
    }
    if (brace >= code.size() || code[brace] != '{') continue;
    std::size_t end = open;
    if (end > 0 && code[end - 1] == ']') {  // a lambda: what it is assigned to
      end = code.rfind('[', end);
      while (end > 0 && (code[end - 1] == ' ' || code[end - 1] == '=')) --end;
    }
    std::size_t begin = end;
    while (begin > 0 && is_word(code[begin - 1])) --begin;
    const std::string name = code.substr(begin, end - begin);
    if (name.empty() || kNone.contains(name)) continue;
    functions.push_back({name, code.substr(open + 1, close - open - 2),
                         code.substr(brace, end_of(code, brace, '{', '}') - brace)});
  }
  return functions;
}

bool asserts(const std::string& body) {
  for (const char* word :
       {"EXPECT_", "ASSERT_", "ADD_FAILURE", "FAIL()", "SUCCEED()", "GTEST_SKIP"}) {
    if (body.find(word) != std::string::npos) return true;
  }
  return false;
}

/// Words that are followed by a parenthesis, or by one behind template arguments.
std::set<std::string> calls_of(const std::string& body) {
  std::set<std::string> calls;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (!is_word(body[i])) continue;
    std::size_t end = i;
    while (end < body.size() && is_word(body[end])) ++end;
    std::size_t after = end;
    if (after < body.size() && body[after] == '<') after = end_of(body, after, '<', '>');
    if (after < body.size() && body[after] == '(') calls.insert(body.substr(i, end - i));
    i = end - 1;
  }
  return calls;
}

using Files = std::map<std::string, std::vector<Function>>;

/// Names of tests ("file: Suite, Name") without an assertion. A helper of the test's own file comes
/// before one of another file that has the same name.
std::vector<std::string> tests_without_assertion(const Files& files) {
  std::set<std::pair<std::string, std::string>> asserting;  // file, name
  std::set<std::string> anywhere;
  const auto reaches = [&](const std::string& file, const Function& function) {
    if (asserts(function.body)) return true;
    const auto& own = files.at(file);
    for (const std::string& call : calls_of(function.body)) {
      const bool here =
          std::any_of(own.begin(), own.end(), [&](const Function& f) { return f.name == call; });
      if (here ? asserting.contains({file, call}) : anywhere.contains(call)) return true;
    }
    return false;
  };
  for (bool more = true; more;) {
    more = false;
    for (const auto& [file, functions] : files) {
      for (const Function& function : functions) {
        if (function.name.starts_with("TEST") || !reaches(file, function)) continue;
        more |= asserting.insert({file, function.name}).second;
        anywhere.insert(function.name);
      }
    }
  }
  std::vector<std::string> found;
  for (const auto& [file, functions] : files) {
    for (const Function& function : functions) {
      const bool test = function.name == "TEST" || function.name == "TEST_F" ||
                        function.name == "TEST_P" || function.name == "TYPED_TEST";
      if (test && !reaches(file, function)) found.push_back(file + ": " + function.arguments);
    }
  }
  return found;
}

TEST(Assertions, EveryTestHasOne) {
  const fs::path root = fs::path(DAVSIM_SOURCE_DIR) / "tests";
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    files[fs::relative(entry.path(), root).generic_string()] = functions_of(code_of(text));
  }
  ASSERT_GT(files.size(), 100u);
  std::string list;
  for (const std::string& name : tests_without_assertion(files)) list += "  " + name + "\n";
  EXPECT_EQ(list, "");
}

TEST(Assertions, AreMissedWhereThereAreNone) {
  const Files files = {
      {"a.cpp", functions_of(code_of("void helper() { EXPECT_EQ(1, 1); }\n"
                                     "int number() { return 1; }\n"
                                     "TEST(A, Asserts) { if (true) { ASSERT_TRUE(1); } }\n"
                                     "TEST(A, Calls) { helper(); }\n"
                                     "TEST_F(A, Nothing) { number(); /* EXPECT_EQ */ }\n"
                                     "TEST(A, Text) { f(\"EXPECT_EQ(\"); }\n"))},
      {"b.cpp",
       functions_of(code_of("int helper(int x) { return x; }\n"
                            "const auto check = [&](int x) { helper(x); EXPECT_TRUE(x); };\n"
                            "TEST(B, OwnHelper) { helper(1); }\n"
                            "TEST(B, Lambda) { check<int>(1); }\n"))}};
  EXPECT_EQ(
      tests_without_assertion(files),
      (std::vector<std::string>{"a.cpp: A, Nothing", "a.cpp: A, Text", "b.cpp: B, OwnHelper"}));
}

}  // namespace
}  // namespace davsim::tree
