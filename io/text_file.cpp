#include "io/text_file.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <streambuf>
#include <utility>
#include <vector>

#include "io/file_error.hpp"

namespace davsim::io {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;

/// Reads what zlib reads: packed files unpacked, others as they are.
class UnpackingBuffer : public std::streambuf {
 public:
  explicit UnpackingBuffer(gzFile file) : file_(file), bytes_(kBuffer) {}
  ~UnpackingBuffer() override { gzclose(file_); }
  UnpackingBuffer(const UnpackingBuffer&) = delete;
  UnpackingBuffer& operator=(const UnpackingBuffer&) = delete;

 private:
  int_type underflow() override {
    const int got = gzread(file_, bytes_.data(), static_cast<unsigned>(bytes_.size()));
    int error = Z_OK;
    gzerror(file_, &error);
    // An exception in a buffer turns its stream bad.
    if (got < 0 || (got == 0 && error != Z_OK && error != Z_STREAM_END)) {
      throw std::runtime_error("the packed file is damaged or torn");
    }
    if (got == 0) return traits_type::eof();
    unpacked_ += got;
    // gzoffset is the place in the packed file. A file that is not packed gives 1 to 1.
    const std::int64_t packed = gzoffset(file_);  // -1: of a pipe
    if (unpacked_ > kFreely && packed > 0 && unpacked_ / kMostRatio > packed) {
      throw std::runtime_error("it is packed at more than " + std::to_string(kMostRatio) + " to 1");
    }
    setg(bytes_.data(), bytes_.data(), bytes_.data() + got);
    return traits_type::to_int_type(bytes_.front());
  }

  /// Traces pack at 8 to 1. A bomb packs at up to 1000 to 1.
  static constexpr std::int64_t kMostRatio = 100, kFreely = std::int64_t{64} << 20;

  gzFile file_;
  std::vector<char> bytes_;
  std::int64_t unpacked_ = 0;
};

class UnpackingStream : public std::istream {
 public:
  explicit UnpackingStream(gzFile file) : std::istream(nullptr), buffer_(file) { init(&buffer_); }

 private:
  UnpackingBuffer buffer_;
};

}  // namespace

/// Packs what is written to it into another stream.
class TextFile::Packer : public std::streambuf {
 public:
  explicit Packer(std::ostream& target) : target_(target), bytes_(kBuffer), packed_(kBuffer) {
    // Traces shrink to an eighth at the lowest level, and little more at others that take longer.
    constexpr int kLevel = 1, kGzip = 16, kMemory = 8;
    if (deflateInit2(&state_, kLevel, Z_DEFLATED, MAX_WBITS + kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~Packer() override { deflateEnd(&state_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  /// Writes what is left, and the end of the file.
  void finish() { pack(Z_FINISH); }

 private:
  int_type overflow(int_type next) override {
    if (!pack(Z_NO_FLUSH)) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(next);
      pbump(1);
    }
    return traits_type::not_eof(next);
  }
  int sync() override { return pack(Z_NO_FLUSH) ? 0 : -1; }

  /// Everything in the buffer. False if the target takes no more.
  bool pack(int flush) {
    state_.next_in = reinterpret_cast<Bytef*>(pbase());
    state_.avail_in = static_cast<uInt>(pptr() - pbase());
    do {
      state_.next_out = packed_.data();
      state_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&state_, flush);
      const std::size_t made = packed_.size() - state_.avail_out;
      target_.write(reinterpret_cast<const char*>(packed_.data()),
                    static_cast<std::streamsize>(made));
    } while (state_.avail_out == 0 && target_);
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return static_cast<bool>(target_);
  }

  std::ostream& target_;
  std::vector<char> bytes_;
  std::vector<Bytef> packed_;
  z_stream state_{};
};

TextFile::TextFile(std::string path) : file_(std::move(path)) {
  if (!file_.path().ends_with(".gz")) return;
  packer_ = std::make_unique<Packer>(file_.stream());
  packed_ = std::make_unique<std::ostream>(packer_.get());
}

TextFile::~TextFile() = default;

std::ostream& TextFile::stream() {
  return packed_ ? *packed_ : file_.stream();
}

void TextFile::commit() {
  if (packer_) packer_->finish();
  file_.commit();
}

std::string readable_path(const std::string& path) {
  return path == kStandardStream ? "/dev/stdin" : path;
}

void require_readable(const std::string& path, const std::string& rule) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || access(path.c_str(), R_OK) != 0) {
    throw io::FileError(path, rule, std::string("it cannot be read: ") + std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) throw io::FileError(path, rule, "it is a directory");
}

std::unique_ptr<std::istream> open_text(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return nullptr;
  return std::make_unique<UnpackingStream>(file);
}

}  // namespace davsim::io
