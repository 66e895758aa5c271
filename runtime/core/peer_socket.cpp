#include "runtime/core/peer_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstdint>
#include <utility>

namespace davsim::runtime {
namespace {

using Protocol = boost::asio::local::stream_protocol;
using boost::system::error_code;

/// A name that begins with zero has no file, and goes with the process that listens.
Protocol::endpoint endpoint_of(const std::string& name) {
  return {std::string(1, '\0') + name};
}

[[noreturn]] void lost(const error_code& why) {
  throw PeerLost(why.message());
}

}  // namespace

struct PeerSocket::Socket {
  boost::asio::io_context context;
  Protocol::socket socket{context};
};

PeerSocket::PeerSocket(std::unique_ptr<Socket> socket) : socket_(std::move(socket)) {}
PeerSocket::PeerSocket(PeerSocket&&) noexcept = default;
PeerSocket& PeerSocket::operator=(PeerSocket&&) noexcept = default;
PeerSocket::~PeerSocket() = default;

PeerSocket PeerSocket::to(const std::string& name) {
  auto made = std::make_unique<Socket>();
  error_code error;
  made->socket.connect(endpoint_of(name), error);
  if (error) lost(error);
  return PeerSocket(std::move(made));
}

void PeerSocket::send(std::string_view message) {
  const std::uint64_t bytes = message.size();
  const std::array parts = {boost::asio::buffer(&bytes, sizeof bytes),
                            boost::asio::buffer(message.data(), message.size())};
  error_code error;
  boost::asio::write(socket_->socket, parts, error);
  if (error) lost(error);
}

std::string PeerSocket::receive() {
  std::uint64_t bytes = 0;
  error_code error;
  boost::asio::read(socket_->socket, boost::asio::buffer(&bytes, sizeof bytes), error);
  if (error) lost(error);
  std::string message(bytes, '\0');
  boost::asio::read(socket_->socket, boost::asio::buffer(message), error);
  if (error) lost(error);
  return message;
}

bool PeerSocket::is_own_user() const {
  ucred other{};
  socklen_t bytes = sizeof other;
  const int socket = socket_->socket.native_handle();
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &bytes) == 0 && other.uid == geteuid();
}

struct PeerListener::Acceptor {
  boost::asio::io_context context;
  Protocol::acceptor acceptor{context};
};

PeerListener::PeerListener(const std::string& name) : acceptor_(std::make_unique<Acceptor>()) {
  try {
    acceptor_->acceptor = Protocol::acceptor(acceptor_->context, endpoint_of(name));
  } catch (const boost::system::system_error& error) {
    if (error.code() == boost::asio::error::address_in_use) throw NameTaken(name);
    throw;
  }
}
PeerListener::~PeerListener() = default;

PeerSocket PeerListener::accept() {
  for (;;) {
    auto made = std::make_unique<PeerSocket::Socket>();
    acceptor_->acceptor.accept(made->socket);
    PeerSocket socket(std::move(made));
    if (socket.is_own_user()) return socket;
  }
}

void PeerListener::stop() {
  shutdown(acceptor_->acceptor.native_handle(), SHUT_RDWR);
}

}  // namespace davsim::runtime
