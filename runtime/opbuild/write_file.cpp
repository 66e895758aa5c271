#include "runtime/opbuild/write_file.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace davsim::opbuild {

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ifstream old(path, std::ios::binary);
  std::ostringstream text;
  text << old.rdbuf();
  if (old && text.str() == content) return;
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush()) throw std::invalid_argument("cannot write " + path.string());
}

}  // namespace davsim::opbuild
