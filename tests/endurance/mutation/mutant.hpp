// What sources with mutants in them ask: which mutant this run has. `DAVSIM_MUTANT` is its number.
// None has number 0, which stands for the program as it is. `DAVSIM_MUTANTS_REACHED` names a file
// of kMost bytes, in which byte N becomes 1 when the place of mutant N is reached.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace davsim_mutation {

inline constexpr int kMost = 16384;

inline unsigned char* map_reached() {
  const char* const path = std::getenv("DAVSIM_MUTANTS_REACHED");
  const int file = path == nullptr ? -1 : open(path, O_RDWR);
  if (file < 0) return nullptr;
  void* const bytes = mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return bytes == MAP_FAILED ? nullptr : static_cast<unsigned char*>(bytes);
}

inline const int chosen =
    std::getenv("DAVSIM_MUTANT") == nullptr ? 0 : std::atoi(std::getenv("DAVSIM_MUTANT"));
inline unsigned char* const reached = map_reached();

inline bool on(int number) {
  if (reached != nullptr) [[unlikely]]
    reached[number] = 1;
  return number == chosen;
}

}  // namespace davsim_mutation
