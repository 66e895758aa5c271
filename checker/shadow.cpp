#include "checker/shadow.hpp"

namespace davsim::checker {

Shadow::Page& Shadow::page(std::uint64_t number) {
  auto& page = pages_.at(number);
  if (page == nullptr) {
    page = std::make_unique<Page>(1);
    page->front().end = kPageBytes;
    page->front().cell.written = written_;
  }
  return *page;
}

/// Cuts a run in two at byte `at`; the first half stays at `index`, which is returned.
std::size_t Shadow::split(Page& page, std::size_t index, std::uint16_t at) {
  Run head = page[index];
  head.end = at;
  page.insert(page.begin() + static_cast<std::ptrdiff_t>(index), std::move(head));
  return index;
}

/// Joins neighbours that are alike among runs [first - 1, last + 1].
void Shadow::join_alike(Page& page, std::size_t first, std::size_t last) {
  std::size_t to = first == 0 ? 0 : first - 1;
  const std::size_t end = std::min(last + 2, page.size());
  for (std::size_t from = to + 1; from < end; ++from) {
    if (page[to].cell == page[from].cell) {
      page[to].end = page[from].end;
    } else if (++to != from) {
      page[to] = std::move(page[from]);
    }
  }
  page.erase(page.begin() + static_cast<std::ptrdiff_t>(to + 1),
             page.begin() + static_cast<std::ptrdiff_t>(end));
}

std::uint64_t Shadow::host_bytes() const {
  std::uint64_t bytes = pages_.capacity() * sizeof(pages_[0]);
  for (const auto& page : pages_) {
    if (page != nullptr) bytes += sizeof(Page) + page->capacity() * sizeof(Run);
  }
  return bytes;
}

std::uint64_t Shadow::touched_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& page : pages_) {
    if (page == nullptr) continue;
    std::uint64_t start = 0;
    for (const Run& run : *page) {
      const bool touched = run.cell.write.stamp != 0 || run.cell.reads[0].stamp != 0;
      if (touched) bytes += run.end - start;
      start = run.end;
    }
  }
  return bytes;
}

}  // namespace davsim::checker
