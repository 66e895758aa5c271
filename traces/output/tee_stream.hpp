// A stream that writes to two others.
#pragma once

#include <cstdint>
#include <ostream>
#include <streambuf>

namespace davsim::traces {

class TeeBuffer : public std::streambuf {
 public:
  TeeBuffer(std::ostream& a, std::ostream& b) : a_(a), b_(b) {}
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    a_.write(text, size);
    b_.write(text, size);
    bytes_ += static_cast<std::uint64_t>(size);
    return a_ && b_ ? size : 0;
  }
  int_type overflow(int_type c) override {
    const char text = traits_type::to_char_type(c);
    return xsputn(&text, 1) == 1 ? c : traits_type::eof();
  }
  int sync() override { return a_.flush() && b_.flush() ? 0 : -1; }

  std::ostream &a_, &b_;
  std::uint64_t bytes_ = 0;
};

class TeeStream : public std::ostream {
 public:
  TeeStream(std::ostream& a, std::ostream& b) : std::ostream(nullptr), buffer_(a, b) {
    rdbuf(&buffer_);
  }
  std::uint64_t bytes() const { return buffer_.bytes(); }

 private:
  TeeBuffer buffer_;
};

}  // namespace davsim::traces
