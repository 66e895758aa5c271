// A list that grows at its end and whose elements stay where they are, in chunks of whole pages of
// the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace davsim::sim {

template <class Element>
class Chunks {
 public:
  Element& operator[](std::size_t place) const { return chunks_[place / kChunk][place % kChunk]; }
  std::uint32_t size() const { return size_; }
  void grow() {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<Element[]>(kChunk));
    ++size_;
  }
  void clear() {
    chunks_.clear();
    size_ = 0;
  }

 private:
  static constexpr std::size_t kChunk = 512;
  std::vector<std::unique_ptr<Element[]>> chunks_;
  std::uint32_t size_ = 0;
};

}  // namespace davsim::sim
