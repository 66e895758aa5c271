#include "session/program.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "isa/instr/fault.hpp"
#include "session/crash_report.hpp"
#include "session/fault_text.hpp"
#include "session/program_crash.hpp"
#include "session/settings.hpp"
#include "session/tools.hpp"

namespace davsim::session {
namespace {

int tell(const std::string& text, int status) {
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
  return status;
}

}  // namespace

struct Program::State {
  Settings settings;
  std::map<std::string, std::string> models;
  std::string wrong;  ///< about the options

  int status(Tools::Outcome outcome, bool right) const {
    if (outcome == Tools::Outcome::kFound) return kFaulted;
    if (outcome == Tools::Outcome::kNotWritten) return kUsage;
    return right ? kRight : kWrongResult;
  }
};

Program::Program(int& argc, char** argv, const std::string& soc)
    : state_(std::make_unique<State>()) {
  try {
    state_->settings = settings_from_arguments(argc, argv, soc);
  } catch (const std::exception& error) {
    state_->wrong = error.what();
  }
}

Program::~Program() = default;

std::string Program::options_help() {
  return settings_help();
}

void Program::choose_soc(const std::string& soc) {
  state_->settings.soc = soc;
}

void Program::choose_models(std::map<std::string, std::string> models) {
  state_->models = std::move(models);
}

int Program::run(const std::function<bool(sim::Device&)>& body) {
  if (!state_->wrong.empty()) return tell("davsim: " + state_->wrong + "\n", kUsage);
  const Settings& settings = state_->settings;
  tell_crashes();
  tell_exits();
  give_handler_stack();
  if (!settings.exports.empty() || !settings.report.empty()) clean_up_when_interrupted();
  std::unique_ptr<sim::Device> device;  // the tools end before it
  std::optional<Tools> tools;
  try {
    tools.emplace(settings);
    device = make_device(settings, state_->models);
    tools->attach(*device, Tools::Told::kByDevice);
    try {
      const bool right = body(*device);
      return state_->status(tools->finish(), right);
    } catch (const isa::Fault& fault) {
      tell(fault_text(fault), kFaulted);
      tools->failed();
      tools->finish();
      return kFaulted;
    }
  } catch (const std::bad_alloc&) {
    return tell("davsim: the host ran out of memory\n", kUsage);
  } catch (const std::exception& error) {
    return tell(std::string("davsim: ") + error.what() + "\n", kUsage);
  }
}

}  // namespace davsim::session
