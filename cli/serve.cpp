// davsim serve: one device that runs operators for another program.
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <csignal>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/line_channel.hpp"
#include "cli/operator_libraries.hpp"
#include "cli/served_device.hpp"
#include "io/temporaries.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

constexpr std::uint64_t kMostDescriptors = 1u << 20;

int descriptor_option(const po::variables_map& values, const std::string& name) {
  if (!is_given(values, name)) {
    throw UsageError("--" + name + " is missing; programs start `davsim serve`, such as the " +
                     "Python package (docs/python.md)");
  }
  return static_cast<int>(number_option(values, name, 0, kMostDescriptors));
}

void require_socket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM) return;
  throw UsageError("--socket is " + std::to_string(descriptor) +
                   "; it is the number of an open stream socket");
}

ServeOptions serve_options(const po::variables_map& values, int socket) {
  ServeOptions options;
  options.socket = socket;
  options.soc = text_option(values, "SOC");
  options.set = list_option(values, "set");
  options.functional = flag_option(values, "functional");
  options.max_cycles = number_option(values, "max-cycles", 0, ~std::uint64_t{0});
  options.threads = static_cast<std::uint32_t>(number_option(values, "threads", 2, 2));
  if (options.threads == 0) throw UsageError("--threads is '0'; it is 1 or 2");
  options.memory_file = descriptor_option(values, "memory");
  return options;
}

/// A run may take long, and nobody would hear its end once the client is gone.
void end_with_client(int socket) {
  std::thread([socket] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    pollfd watched{socket, POLLRDHUP, 0};
    while (poll(&watched, 1, -1) <= 0 || (watched.revents & (POLLRDHUP | POLLHUP)) == 0) {
      if ((watched.revents & (POLLERR | POLLNVAL)) != 0) break;
    }
    io::temporaries::remove_all();
    _exit(kDone);
  }).detach();
}

int serve(const po::variables_map& values, int socket) {
  LineChannel channel(socket);
  std::optional<ServedDevice> device;
  try {
    load_operator_libraries(values);
    device.emplace(serve_options(values, socket));
  } catch (...) {
    const Failure failure = failure_of(std::current_exception());
    channel.write(failure.json());
    return failure.status;
  }
  channel.write(json::serialize(device->hello()) + "\n");
  end_with_client(socket);
  while (const auto request = channel.read()) channel.write(device->answer(*request));
  return kDone;
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  const int socket = descriptor_option(values, "socket");
  require_socket(socket);
  return serve(values, socket);
}

constexpr const char* kDescription =
    R"(Runs operators for another program, such as Python with the davsim package. The program
starts `davsim serve` and hands down two descriptors: a stream socket for messages, one line of
JSON each, and a file in memory that becomes the device's global memory, so that both processes
see the tensors. docs/python.md lists the messages. The command ends when the socket is closed.)";

void add_options(po::options_description& options) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = options.add_options();
  add_operators_option(options.add_options());
  add("socket", text("FD"), "number of the socket");
  add("memory", text("FD"), "number of the file in memory");
  add("set", po::value<std::vector<std::string>>()->composing()->value_name("NAME=VALUE"),
      "replace one parameter of the SoC, as --set of `davsim run` does. May be repeated");
  add("max-cycles", text("N"), "stop a kernel after N simulated cycles");
  add("threads", text("1|2"), "threads of a timed run, as --threads of `davsim run`");
  add("functional", po::bool_switch(), "compute the results only, without time");
}

Command make_command() {
  Command command;
  command.name = "serve";
  command.summary = "run operators for another program, such as Python";
  command.usage = "SOC --socket FD --memory FD [options]";
  command.positional = "SOC";
  command.description = kDescription;
  add_options(command.options);
  command.run = run;
  return command;
}

}  // namespace

const Command& serve_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
