#include "driver/compile.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "driver/core_conditions.hpp"
#include "driver/direct_cache.hpp"
#include "driver/launch_functions.hpp"
#include "driver/linked_object.hpp"
#include "driver/messages.hpp"
#include "driver/object_cache.hpp"
#include "driver/pass.hpp"
#include "driver/retries.hpp"
#include "driver/rewrite.hpp"
#include "driver/scan.hpp"

namespace davsim::driver {
namespace {

/// One half of the source's kernels.
struct CompiledHalf {
  Half half;
  std::unique_ptr<Pass> pass;
  std::string text;  ///< what the compiler gets
};

class MixedSource {
 public:
  MixedSource(const Options& options, const Toolchain& toolchain, const std::string& source,
              const std::string& object, const TemporaryFolder& temporary)
      : options_(options),
        toolchain_(toolchain),
        source_(source),
        object_(object),
        temporary_(temporary),
        host_(options, toolchain, std::nullopt, source, temporary) {}

  /// Throws CompiledHeaderFailed if the compiler cannot read a compiled header.
  void compile(const DirectCache& direct) {
    std::string text = host_.preprocess(dependency_options());
    const auto files = user_files(text);
    local_pointers_ = has_local_pointers(files);
    symmetric_memory_ = has_symmetric_memory(files);
    if (asks_for_core(files)) text = look_into_halves(std::move(text));
    const TokenList tokens(text, source_);
    scan_ = scan(tokens);
    for (Kernel& kernel : scan_.kernels) settle_cores(kernel);
    std::string host_text = host_source(tokens, scan_);
    if (options_.launch_functions) host_text += launch_functions(tokens, scan_);
    if (!options_.launch_headers.empty()) {
      write_launch_headers(tokens, scan_, options_.launch_headers);
    }
    for (const Half half : {Half::kVector, Half::kCube}) {
      if (is_needed(half)) add_half(half);
    }
    ObjectCache cache(toolchain_);
    cache.add({options_.auto_sync ? "synchronised" : "as written",
               local_pointers_ ? "local pointers" : "no local pointers",
               symmetric_memory_ ? "symmetric memory" : "no symmetric memory"},
              "");
    cache.add(host_.flags(), host_.header_identity() + host_text);
    for (const CompiledHalf& half : halves_) {
      cache.add(half.pass->flags(), half.pass->header_identity() + half.text);
    }
    if (cache.fetch(object_)) return direct.store(cache, all_files());
    std::vector<Process> running;
    running.push_back(host_.compile(host_text, profile_names(options_, source_, object_)));
    for (const CompiledHalf& half : halves_) running.push_back(half.pass->compile(half.text));
    const bool silent = finish(running, host_text);
    LinkedObject linked(toolchain_, temporary_, scan_,
                        {.auto_sync = options_.auto_sync,
                         .local_pointers = local_pointers_,
                         .symmetric_memory = symmetric_memory_});
    for (const CompiledHalf& half : halves_) linked.add_half(half.half, *half.pass);
    linked.link(host_, object_);
    if (!silent) return;
    cache.store(object_);
    direct.store(cache, all_files());
  }

  std::string host_text() {
    std::string text = host_.preprocess(dependency_options());
    if (asks_for_core(user_files(text))) text = look_into_halves(std::move(text));
    const TokenList tokens(text, source_);
    return host_source(tokens, scan(tokens));
  }

 private:
  /// What the preprocessor makes of the source for one kind of core, before anybody knows whether a
  /// kernel needs that core.
  struct HalfView {
    std::unique_ptr<Pass> pass;
    std::string text;
    Scan scan;
  };

  /// A source may show what it has for each kind of core under #if __DAV_C220_VEC__ only. Returns
  /// `text`, the host's, or another one in which kernels that only a half shows are seen as well.
  std::string look_into_halves(std::string text) {
    const std::string shown = text;
    const Scan host = scan(TokenList(shown, source_));
    Command macros;
    for (const Half half : {Half::kVector, Half::kCube}) {
      HalfView view{
          std::make_unique<Pass>(options_, toolchain_, half, source_, temporary_), {}, {}};
      view.text = view.pass->preprocess({});
      view.scan = scan(TokenList(view.text, source_));
      for (const Kernel& kernel : view.scan.kernels) {
        if (!kernel.defined || find_kernel(host, kernel.name) != nullptr) continue;
        const Command more = core_macros(half);
        macros.insert(macros.end(), more.begin(), more.end());
        break;
      }
      views_.emplace(half, std::move(view));
    }
    return macros.empty() ? text : host_.preprocess(macros);
  }

  static const Kernel* find_kernel(const Scan& scan, const std::string& name) {
    for (const Kernel& kernel : scan.kernels) {
      if (kernel.defined && kernel.name == name) return &kernel;
    }
    return nullptr;
  }

  /// Decides on which cores a kernel runs by what its halves show, if the host's text does not say.
  void settle_cores(Kernel& kernel) {
    if (views_.empty() || kernel.cores.said || !kernel.defined) return;
    const Kernel* vector = find_kernel(views_.at(Half::kVector).scan, kernel.name);
    const Kernel* cube = find_kernel(views_.at(Half::kCube).scan, kernel.name);
    for (const Kernel* half : {vector, cube}) {
      if (half == nullptr || !half->cores.said) continue;
      kernel.cores = half->cores;
      return;
    }
    if (vector == nullptr && cube == nullptr) return;
    kernel.used.cube = cube != nullptr && (cube->used.cube || vector == nullptr);
    kernel.used.vector = vector != nullptr && vector->used.vector;
    kernel.cores.type = deduced_core_type(kernel.used);
  }

  Command dependency_options() const {
    Command more = options_.dependencies;
    if (!options_.writes_dependencies) return more;
    const std::string& target = options_.dependency_target;
    more.insert(more.end(), {"-MF", dependency_file(options_, object_), "-MT",
                             target.empty() ? object_ : target});
    return more;
  }

  bool is_needed(Half half) const {
    return std::any_of(scan_.kernels.begin(), scan_.kernels.end(), [half](const Kernel& kernel) {
      return (kernel.defined || kernel.is_instantiation) && needs(kernel, half);
    });
  }

  /// The preprocessor decides anew: what stands under #if __DAV_C220_CUBE__ is the cube's alone.
  void add_half(Half half) {
    if (const auto view = views_.find(half); view != views_.end()) {
      return add_half(half, std::move(view->second.pass), view->second.text);
    }
    auto pass = std::make_unique<Pass>(options_, toolchain_, half, source_, temporary_);
    const std::string text = pass->preprocess({});
    add_half(half, std::move(pass), text);
  }

  void add_half(Half half, std::unique_ptr<Pass> pass, const std::string& text) {
    const TokenList tokens(text, source_);
    Scan own = scan(tokens);
    // Who runs where is decided once, by what the host sees.
    for (Kernel& kernel : own.kernels) {
      for (const Kernel& known : scan_.kernels) {
        if (known.name == kernel.name && known.defined) kernel.cores = known.cores;
      }
    }
    halves_.push_back({half, std::move(pass), half_source(tokens, own, half)});
  }

  /// Waits for all compilations and shows each message once. Returns whether there was none.
  bool finish(std::vector<Process>& running, const std::string& host_text) {
    std::vector<std::pair<const Pass*, const std::string*>> passes = {{&host_, &host_text}};
    for (const CompiledHalf& half : halves_) passes.emplace_back(half.pass.get(), &half.text);
    int status = 0;
    std::vector<std::string> logs;
    for (std::size_t i = 0; i < running.size(); ++i) {
      const Pass& pass = *passes[i].first;
      const Command names = i == 0 ? profile_names(options_, source_, object_) : Command{};
      const auto outcome = [&pass](Process process) {
        const int own = process.wait();
        return Compilation{own, read_file(pass.file(".log"))};
      };
      const Compilation last = settle(*passes[i].second, source_, outcome(std::move(running[i])),
                                      [&](const std::string& text, Command more) {
                                        more.insert(more.end(), names.begin(), names.end());
                                        return outcome(pass.compile(text, more));
                                      });
      if (status == 0) status = last.status;
      logs.push_back(last.log);
      if (last.status != 0) pass.look_at_failure(last.log);
    }
    const bool silent = show_messages(logs);
    if (status != 0) throw Failed{status};
    return silent;
  }

  /// All files that the object is made of.
  std::set<std::string> all_files() const {
    std::set<std::string> files = host_.files();
    for (const std::string& include : toolchain_.includes) {
      const std::string list = include + "/runtime/kernel_module.hpp";
      if (std::filesystem::exists(list)) files.insert(list);
    }
    const auto add = [&files](const Pass& pass) {
      files.insert(pass.files().begin(), pass.files().end());
    };
    for (const CompiledHalf& half : halves_) add(*half.pass);
    for (const auto& [unused, view] : views_) {
      if (view.pass != nullptr) add(*view.pass);
    }
    return files;
  }

  const Options& options_;
  const Toolchain& toolchain_;
  std::string source_;
  std::string object_;
  const TemporaryFolder& temporary_;
  Pass host_;
  std::vector<CompiledHalf> halves_;
  std::map<Half, HalfView> views_;
  bool local_pointers_ = false, symmetric_memory_ = false;
  Scan scan_;
};

}  // namespace

void compile_mixed(const Options& options, const Toolchain& toolchain, const std::string& source,
                   const std::string& object, const TemporaryFolder& temporary) {
  const DirectCache direct(options, toolchain, source, object);
  if (direct.fetch()) return;
  try {
    return MixedSource(options, toolchain, source, object, temporary).compile(direct);
  } catch (const CompiledHeaderFailed&) {
    // Under load g++ may not get the addresses that its compiled header was made for.
  }
  Toolchain plain = toolchain;
  plain.uses_compiled_headers = false;
  MixedSource(options, plain, source, object, temporary).compile(direct);
}

std::string preprocessed_host(const Options& options, const Toolchain& toolchain,
                              const std::string& source, const std::string& object,
                              const TemporaryFolder& temporary) {
  return MixedSource(options, toolchain, source, object, temporary).host_text();
}

}  // namespace davsim::driver
