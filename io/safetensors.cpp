#include "io/safetensors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "io/pending_file.hpp"
#include "io/strict_json.hpp"

namespace davsim::io {

using memory::element_count;
using memory::Shape;
using memory::Tensor;
namespace {

namespace json = boost::json;
using isa::DType;

static_assert(std::endian::native == std::endian::little,
              "tensors are read and written as they lie");

constexpr std::uint64_t kLengthBytes = 8;
constexpr const char* kMetadataKey = "__metadata__";

struct DtypeName {
  DType dtype;
  std::string_view name;
};
constexpr std::array<DtypeName, 12> kDtypes = {{{DType::kF16, "F16"},
                                                {DType::kBF16, "BF16"},
                                                {DType::kF32, "F32"},
                                                {DType::kI8, "I8"},
                                                {DType::kU8, "U8"},
                                                {DType::kBool, "BOOL"},
                                                {DType::kI16, "I16"},
                                                {DType::kU16, "U16"},
                                                {DType::kI32, "I32"},
                                                {DType::kU32, "U32"},
                                                {DType::kI64, "I64"},
                                                {DType::kU64, "U64"}}};

/// What the header says of one tensor.
struct Entry {
  std::string name;
  DType dtype = DType::kNone;
  Shape shape;
  std::uint64_t begin = 0, end = 0;  ///< relative to the end of the header
};

std::uint64_t host_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// An open file, with errors that name it.
class Source {
 public:
  explicit Source(const std::string& path) : path_(path), file_(path) {
    struct stat status {};
    if (file_.id >= 0 && fstat(file_.id, &status) == 0 && S_ISFIFO(status.st_mode)) spool();
    if (file_.id < 0 || fstat(file_.id, &status) != 0) {
      throw FileError(path_, "a tensor file can be read",
                      std::string("it cannot be read: ") + std::strerror(errno));
    }
    if (!S_ISREG(status.st_mode))
      fail("a tensor file is a regular file or a pipe", "it is neither");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }

  std::uint64_t size() const { return size_; }

  [[noreturn]] void fail(const std::string& rule, const std::string& found) const {
    throw FileError(path_, rule, rule + "; " + found);
  }

  void read(std::uint64_t offset, void* to, std::uint64_t bytes) const {
    auto* target = static_cast<char*>(to);
    while (bytes > 0) {
      // Linux reads at most 2 GiB at once.
      const std::uint64_t chunk = std::min<std::uint64_t>(bytes, 1u << 30);
      const ssize_t got = pread(file_.id, target, chunk, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("a tensor file can be read", std::strerror(errno));
      if (got == 0) fail("a tensor file keeps its length while it is read", "it became shorter");
      target += got, offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::uint64_t>(got);
    }
  }

 private:
  struct Descriptor {
    explicit Descriptor(const std::string& path)
        : id(path == kStandardStream ? dup(STDIN_FILENO)
                                     : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~Descriptor() {
      if (id >= 0) close(id);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int id;
  };

  /// Puts what a pipe gives into a file without a name, which can be read in any order.
  void spool() {
    char name[] = "/tmp/davsim-pipe-XXXXXX";
    const int file = mkstemp(name);
    if (file < 0) fail("a pipe goes through a file in /tmp", std::strerror(errno));
    unlink(name);
    std::vector<char> bytes(std::size_t{1} << 16);
    std::uint64_t length = 0;
    for (;;) {
      const ssize_t got = ::read(file_.id, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      length += static_cast<std::uint64_t>(got);
      const bool stored = length <= host_memory() &&
                          write(file, bytes.data(), static_cast<std::size_t>(got)) == got;
      if (stored) continue;
      close(file);
      fail("the tensors of a pipe fit in the host's memory and in /tmp",
           "after " + std::to_string(length) + " bytes they do not");
    }
    dup2(file, file_.id);
    close(file);
  }

  std::string path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

/// Reads and checks a header; knows nothing of the data behind it but its length.
class HeaderReader {
 public:
  explicit HeaderReader(const Source& source) : source_(source) {}

  /// Entries in the order of their names.
  std::vector<Entry> read() {
    const json::value header = parse(read_text());
    if (!header.is_object()) source_.fail("the header is a JSON object", "it is another value");
    std::vector<Entry> entries;
    for (const auto& member : header.get_object()) {
      if (member.key() == kMetadataKey) {
        check_metadata(member.value());
      } else {
        entries.push_back(entry(std::string(member.key()), member.value()));
      }
    }
    check_layout(entries);
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
  }
  std::uint64_t data_start() const { return kLengthBytes + header_bytes_; }

 private:
  std::string read_text() {
    const std::string rule = "a safetensors file starts with 8 bytes that give its header's length";
    if (source_.size() < kLengthBytes) {
      source_.fail(rule, "the file has " + std::to_string(source_.size()) + " bytes");
    }
    source_.read(0, &header_bytes_, kLengthBytes);
    if (header_bytes_ > source_.size() - kLengthBytes) {
      source_.fail("the header ends inside the file",
                   "its length is given as " + std::to_string(header_bytes_) + ", the file has " +
                       std::to_string(source_.size()) + " bytes");
    }
    if (header_bytes_ > kMaxSafetensorsHeader) {
      source_.fail("the header has at most " + std::to_string(kMaxSafetensorsHeader) + " bytes",
                   "it has " + std::to_string(header_bytes_));
    }
    data_bytes_ = source_.size() - kLengthBytes - header_bytes_;
    std::string text(header_bytes_, '\0');
    source_.read(kLengthBytes, text.data(), text.size());
    if (text.empty() || text.front() != '{') {
      source_.fail("the header starts with '{'", "it does not: this is no safetensors file");
    }
    return text;
  }

  json::value parse(const std::string& text) const {
    try {
      return parse_strict_json(text);
    } catch (const std::invalid_argument& error) {
      source_.fail("the header is JSON and names no tensor twice",
                   std::string("header: ") + error.what());
    }
  }

  void check_metadata(const json::value& metadata) const {
    const bool strings = metadata.is_object() &&
                         std::all_of(metadata.get_object().begin(), metadata.get_object().end(),
                                     [](const auto& member) { return member.value().is_string(); });
    if (!strings) source_.fail("__metadata__ maps strings to strings", "it does not");
  }

  Entry entry(std::string name, const json::value& value) const {
    const json::object* fields = value.if_object();
    if (fields == nullptr || fields->size() != 3 || !fields->contains("dtype") ||
        !fields->contains("shape") || !fields->contains("data_offsets")) {
      fail(name, "has dtype, shape and data_offsets and nothing else", "found other fields");
    }
    Entry result;
    result.dtype = dtype(name, fields->at("dtype"));
    for (const std::uint64_t dim : numbers(name, "shape", fields->at("shape"))) {
      if (dim > std::numeric_limits<std::int64_t>::max()) {
        fail(name, "has dimensions below 2^63", "found " + std::to_string(dim));
      }
      result.shape.push_back(static_cast<std::int64_t>(dim));
    }
    const auto offsets = numbers(name, "data_offsets", fields->at("data_offsets"));
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes_) {
      fail(name, "has data_offsets [begin, end], begin <= end <= bytes of data",
           "found " + json::serialize(fields->at("data_offsets")) + ", the file has " +
               std::to_string(data_bytes_) + " bytes of data");
    }
    result.begin = offsets[0], result.end = offsets[1];
    result.name = std::move(name);
    check_size(result);
    return result;
  }

  DType dtype(const std::string& name, const json::value& value) const {
    std::string allowed;
    for (const DtypeName& known : kDtypes) {
      if (value.is_string() && std::string_view(value.get_string()) == known.name) {
        return known.dtype;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(known.name);
    }
    fail(name, "has a dtype out of " + allowed, "found " + json::serialize(value));
  }

  std::vector<std::uint64_t> numbers(const std::string& name, const std::string& field,
                                     const json::value& value) const {
    std::vector<std::uint64_t> list;
    bool good = value.is_array();
    if (good) {
      for (const json::value& item : value.get_array()) {
        boost::system::error_code error;
        const bool integer = item.is_int64() || item.is_uint64();
        list.push_back(integer ? item.to_number<std::uint64_t>(error) : 0);
        good = good && integer && !error;
      }
    }
    if (!good) fail(name, "has a " + field + " of integers >= 0", "found another value");
    return list;
  }

  void check_size(const Entry& entry) const {
    std::int64_t count = 0;
    try {
      count = element_count(entry.shape);
    } catch (const std::length_error&) {
      fail(entry.name, "has fewer than 2^63 elements", "its shape is too large");
    }
    std::uint64_t bytes = 0;
    const bool overflows = __builtin_mul_overflow(static_cast<std::uint64_t>(count),
                                                  isa::dtype_bytes(entry.dtype), &bytes);
    if (overflows || bytes != entry.end - entry.begin) {
      fail(entry.name, "has as many bytes as its shape and dtype say",
           "data_offsets span " + std::to_string(entry.end - entry.begin) + " bytes, " +
               std::to_string(count) + " elements of " + std::string(isa::dtype_name(entry.dtype)) +
               " take " + (overflows ? std::string("too many") : std::to_string(bytes)));
    }
  }

  /// Tensors lie one behind the other and fill the data.
  void check_layout(std::vector<Entry>& entries) const {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t end = 0;
    for (const Entry& entry : entries) {
      if (entry.begin != end) {
        fail(entry.name, "starts where the tensor before it ends",
             (entry.begin < end ? "they overlap: it starts at " : "there is a gap: it starts at ") +
                 std::to_string(entry.begin) + ", the one before it ends at " +
                 std::to_string(end));
      }
      end = entry.end;
    }
    if (end != data_bytes_) {
      source_.fail("the tensors fill the file", "the last one ends at byte " + std::to_string(end) +
                                                    " of " + std::to_string(data_bytes_) +
                                                    " bytes of data");
    }
  }

  [[noreturn]] void fail(const std::string& tensor, const std::string& rule,
                         const std::string& found) const {
    source_.fail("a tensor " + rule, "tensor '" + tensor + "': " + found);
  }

  const Source& source_;
  std::uint64_t header_bytes_ = 0, data_bytes_ = 0;
};

/// A sparse file may claim more than the host has; better said than killed.
void check_host_memory(const Source& source) {
  const std::uint64_t host = host_memory();
  if (source.size() > host) {
    source.fail("the tensors fit in the host's memory",
                "the file has " + std::to_string(source.size()) + " bytes, the host " +
                    std::to_string(host));
  }
}

std::string_view file_dtype(const std::string& name, DType dtype) {
  for (const DtypeName& known : kDtypes) {
    if (known.dtype == dtype) return known.name;
  }
  throw std::invalid_argument("tensor '" + name + "': safetensors files have no " +
                              std::string(isa::dtype_name(dtype)));
}

std::string header_text(const TensorMap& tensors,
                        const std::map<std::string, std::string>& metadata) {
  json::object header;
  if (!metadata.empty()) {
    json::object& entries = header[kMetadataKey].emplace_object();
    for (const auto& [key, value] : metadata) entries[key] = value;
  }
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t end = offset + tensor.bytes();
    header[name] = {{"dtype", file_dtype(name, tensor.dtype())},
                    {"shape", json::array(tensor.shape().begin(), tensor.shape().end())},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = json::serialize(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data starts at a multiple of 8, as usual
  return text;
}

}  // namespace

TensorMap read_safetensors(const std::string& path, memory::GlobalMemory& memory) {
  const Source source(path);
  HeaderReader header(source);
  const std::vector<Entry> entries = header.read();
  check_host_memory(source);
  TensorMap tensors;
  for (const Entry& entry : entries) {
    try {
      Tensor tensor(memory, entry.dtype, entry.shape, entry.name);
      source.read(header.data_start() + entry.begin, tensor.data(), tensor.bytes());
      tensors.emplace(entry.name, std::move(tensor));
    } catch (const std::bad_alloc&) {
      source.fail("the tensors fit in global memory",
                  "tensor '" + entry.name + "' of shape " + memory::to_string(entry.shape) +
                      " does not; the SoC has " + std::to_string(memory.capacity()) + " bytes");
    }
  }
  return tensors;
}

void write_safetensors(std::ostream& out, const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string header = header_text(tensors, metadata);
  const std::uint64_t length = header.size();
  out.write(reinterpret_cast<const char*>(&length), kLengthBytes);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  for (const auto& [name, tensor] : tensors) {
    out.write(reinterpret_cast<const char*>(tensor.data()),
              static_cast<std::streamsize>(tensor.bytes()));
  }
}

void write_safetensors(const std::string& path, const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata) {
  PendingFile file(path);
  write_safetensors(file.stream(), tensors, metadata);
  file.commit();
}

}  // namespace davsim::io
