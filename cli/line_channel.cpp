#include "cli/line_channel.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace davsim::cli {

std::optional<std::string> LineChannel::read() {
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = pending_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    searched = pending_.size();
    if (searched > kLongestLine) throw std::length_error("a message has more than 256 MiB");
    std::array<char, 1 << 16> buffer;
    const ssize_t got = recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void LineChannel::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw std::system_error(errno, std::generic_category(), "the client is gone");
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace davsim::cli
