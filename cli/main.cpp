// The davsim command. It finds the subcommand and converts errors to exit statuses.
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/guard.hpp"
#include "cli/table.hpp"
#include "io/file_error.hpp"
#include "session/ranks.hpp"
#include "traces/output/json_output.hpp"

namespace davsim::cli {

const std::vector<const Command*>& commands() {
  static const std::vector<const Command*> all = {
      &list_command(),    &describe_command(), &run_command(),
      &compare_command(), &sweep_command(),    &explain_command(),
      &check_command(),   &serve_command(),    &run_system_command()};
  return all;
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> known = {"help", "version"};
  for (const Command* command : commands()) {
    if (command->name == name) return *command;
    known.push_back(command->name);
  }
  const std::string hint = did_you_mean(name, known);
  throw UsageError("unknown command '" + name + "'" +
                   (hint.empty() ? "; the commands are: " + joined(known) : hint));
}

namespace {

std::string overview() {
  Table table({"command", ""});
  for (const Command* command : commands()) table.add({command->name, command->summary});
  table.add({"help", "explain a command: davsim help COMMAND"});
  table.add({"version", "print the version"});
  return "davsim simulates the Ascend Da Vinci NPUs (Atlas A2 and A3), cycle by cycle: it runs "
         "operator\n"
         "kernels on the host, gives their results, and says how long they take on a SoC and why.\n"
         "\n"
         "usage: davsim COMMAND [arguments]\n"
         "\n" +
         table.text() +
         "\n"
         "First steps:\n"
         "  davsim list                                   what there is\n"
         "  davsim describe rope_quant_kvcache            its tensors, attributes and example "
         "cases\n"
         "  davsim run rope_quant_kvcache --case RQK-3    run an example on Ascend910B3\n"
         "\n"
         "Exit status: 0 done, 1 result differs from the reference, 2 wrong usage, 3 the operator\n"
         "refused the call, 4 the kernel went wrong, 70 internal error. See `davsim help run`.\n";
}

bool asks_for_help(const std::string& argument) {
  return argument == "--help" || argument == "-h";
}

int help(const Arguments& topics) {
  if (topics.size() > 1) throw UsageError("usage: davsim help [COMMAND]");
  if (topics.empty() || topics[0] == "help") {
    std::cout << overview();
  } else if (topics[0] == "version") {
    std::cout << "usage: davsim version\n\nPrints the version of davsim.\n";
  } else {
    std::cout << find_command(topics[0]).help();
  }
  return kDone;
}

int version(const Arguments& arguments) {
  if (!arguments.empty()) throw UsageError("usage: davsim version");
  std::cout << "davsim " << DAVSIM_VERSION << "\n";
  return kDone;
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    std::cerr << overview();
    return kUsage;
  }
  const std::string& name = arguments.front();
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (asks_for_help(name) || name == "help") return help(rest);
  if (std::any_of(rest.begin(), rest.end(), asks_for_help)) return help({name});
  if (name == "--version" || name == "version") return version(rest);
  const Command& command = find_command(name);
  return command.run(command, rest);
}

/// Opens the standard streams that the caller closed, as >&- does. Otherwise the first file that is
/// opened would receive what is printed.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
}

/// Whether a terminal shows this character of UTF-8 and obeys no part of it: it is none of the
/// controls of ASCII and of the 32 behind it.
bool is_shown(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first >= ' ' && first < 0x7f;
  return first > 0xc2 || static_cast<unsigned char>(character[1]) >= 0xa0;
}

/// What the user gave may hold bytes that a terminal obeys. They are shown as \xNN.
std::string printable(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const std::size_t length = traces::utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    if (character == "\n" || character == "\t" || (length > 0 && is_shown(character))) {
      result += character;
      continue;
    }
    for (const char c : character) {
      const auto byte = static_cast<unsigned char>(c);
      result += std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
    }
  }
  return result;
}

/// Runs the command; errors go to standard error, as JSON if --json is among the arguments.
int run_main(const Arguments& arguments) {
  const bool as_json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  int status = kInternal;
  try {
    status = dispatch(arguments);
    if (!std::cout.flush()) {
      throw io::FileError("standard output", "what is printed can be written",
                          "it takes nothing more");
    }
  } catch (...) {
    std::cout.flush();
    const Failure failure = failure_of(std::current_exception());
    std::cerr << (as_json ? failure.json() : printable(failure.text));
    status = failure.status;
  }
  session::leave_ranks(status);
  return status;
}

/// What the main thread has by default on Linux. Kernels and SystemC count on it.
constexpr std::size_t kStackBytes = std::size_t{8} << 20;

/// Calls `body` on a stack of kStackBytes, whatever the shell allows (ulimit -s). New threads have
/// such a stack from then on.
int on_a_large_stack(const std::function<int()>& body) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes) return body();
  struct Job {
    const std::function<int()>& body;
    int status;
  } job = {body, kInternal};
  const auto start = [](void* given) -> void* {
    auto& todo = *static_cast<Job*>(given);
    todo.status = todo.body();
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_t thread{};
  const bool started = pthread_create(&thread, &attributes, start, &job) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) return body();
  pthread_join(thread, nullptr);
  return job.status;
}

}  // namespace
}  // namespace davsim::cli

int main(int argc, char** argv) {
  davsim::cli::keep_standard_streams();
  davsim::cli::clean_up_when_interrupted();
  return davsim::cli::on_a_large_stack([&] {
    return davsim::cli::run_main({argv + (argc > 0 ? 1 : 0), argv + argc});
  });
}
