// A queue that mostly has a few elements. They lie in the object itself, beside what uses them. A
// deque would walk through blocks of the heap, and each of its parts is another line of the host's
// caches.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace davsim::sim {

/// `kFew` elements are in the object. When there have been more at a time, all are on the heap.
template <class Element, std::size_t kFew>
class ShortQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// By age, the oldest first.
  Element& operator[](std::size_t place) { return slot(first_ + place); }
  const Element& operator[](std::size_t place) const {
    return const_cast<ShortQueue&>(*this)[place];
  }
  Element& front() { return slot(first_); }
  Element& back() { return slot(first_ + size_ - 1); }
  /// Elements may move.
  void push_back(const Element& element) {
    if (size_ == capacity()) grow();
    ++size_;
    back() = element;
  }
  void pop_front(std::size_t count = 1) {
    first_ += count;
    size_ -= count;
    // An empty queue starts again at its first slots, because the host's caches hold these.
    if (size_ == 0) first_ = 0;
    if (first_ >= capacity()) first_ -= capacity();
  }
  void clear() { first_ = size_ = 0; }

 private:
  std::size_t capacity() const { return many_.empty() ? kFew : many_.size(); }
  Element& slot(std::size_t place) {
    if (place >= capacity()) place -= capacity();
    return many_.empty() ? few_[place] : many_[place];
  }
  void grow() {
    std::vector<Element> more(2 * capacity());
    for (std::size_t place = 0; place < size_; ++place) more[place] = (*this)[place];
    many_ = std::move(more);
    first_ = 0;
  }

  std::size_t first_ = 0, size_ = 0;
  std::vector<Element> many_;
  std::array<Element, kFew> few_{};
};

}  // namespace davsim::sim
