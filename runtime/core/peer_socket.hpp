// Messages between processes of one machine, over local sockets that have a name and no file.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace davsim::runtime {

/// The other process is not there, or not any more.
class PeerLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NameTaken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One end of a connection. One thread sends and one receives. Both throw PeerLost.
class PeerSocket {
 public:
  /// To the process that listens by this name. Throws PeerLost if there is none.
  static PeerSocket to(const std::string& name);
  PeerSocket(PeerSocket&&) noexcept;
  PeerSocket& operator=(PeerSocket&&) noexcept;
  ~PeerSocket();

  void send(std::string_view message);
  std::string receive();

 private:
  friend class PeerListener;
  struct Socket;
  explicit PeerSocket(std::unique_ptr<Socket> socket);
  /// Whether a process of the same user is at the other end.
  bool is_own_user() const;

  std::unique_ptr<Socket> socket_;
};

/// Takes connections from processes of the same user.
class PeerListener {
 public:
  /// Throws NameTaken if the name is another listener's, std::runtime_error where the host refuses.
  explicit PeerListener(const std::string& name);
  ~PeerListener();
  PeerListener(const PeerListener&) = delete;
  PeerListener& operator=(const PeerListener&) = delete;

  /// Waits for a connection. Throws std::runtime_error from stop() on.
  PeerSocket accept();
  /// Ends accept() in another thread.
  void stop();

 private:
  struct Acceptor;
  std::unique_ptr<Acceptor> acceptor_;
};

}  // namespace davsim::runtime
