// Models of captured work: aclmdlRI.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <vector>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/timeout.hpp"

using namespace davsim::runtime;

namespace {

/// The models that live. A handle is looked up before it is used.
class Models {
 public:
  static Models& instance() {
    static auto* models = new Models();  // static variables of the program may still use it
    return *models;
  }

  std::shared_ptr<CapturedWork> create() {
    const std::lock_guard lock(mutex_);
    auto made = std::make_shared<CapturedWork>(ids_++);
    models_[made.get()] = made;
    return made;
  }
  std::shared_ptr<CapturedWork> model(aclmdlRI handle) {
    require_pointer(handle, "modelRI");
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(handle);
    if (found != models_.end()) return found->second;
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID, "the model does not exist, or not any more");
  }
  std::shared_ptr<CapturedWork> with_group(aclrtTaskGrp handle) {
    require_pointer(handle, "handle");
    const std::lock_guard lock(mutex_);
    for (const auto& [unused, model] : models_) {
      if (model->has_group(static_cast<CapturedWork::Group*>(handle))) return model;
    }
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID, "the group of tasks does not exist");
  }
  void destroy(aclmdlRI handle) {
    std::vector<Callback> callbacks;
    {
      const auto kept = model(handle);  // it goes behind the lock
      const std::lock_guard lock(mutex_);
      models_.erase(handle);
      const auto own = callbacks_.extract(handle);
      if (own) callbacks = own.mapped();
    }
    for (const Callback& callback : callbacks) callback.function(callback.data);
  }

  /// What destroy() calls.
  struct Callback {
    void (*function)(void* data);
    void* data;
  };
  void at_destruction(aclmdlRI handle, Callback callback) {
    const auto kept = model(handle);
    const std::lock_guard lock(mutex_);
    callbacks_[handle].push_back(callback);
  }
  /// Returns how many there were.
  std::size_t forget_callbacks(aclmdlRI handle, void (*function)(void* data)) {
    const auto kept = model(handle);
    const std::lock_guard lock(mutex_);
    const auto own = callbacks_.find(handle);
    if (own == callbacks_.end()) return 0;
    return std::erase_if(own->second,
                         [&](const Callback& one) { return one.function == function; });
  }

  /// How the captures that go on began.
  void began(const CapturedWork* model, CaptureMode mode) {
    capture_begins(mode);
    const std::lock_guard lock(mutex_);
    modes_[model] = mode;
  }
  void ended(const CapturedWork* model) {
    const std::lock_guard lock(mutex_);
    const auto mode = modes_.find(model);
    if (mode == modes_.end()) return;
    capture_ends(mode->second);
    modes_.erase(mode);
  }

 private:
  std::mutex mutex_;
  std::uint32_t ids_ = 0;
  std::map<const void*, std::shared_ptr<CapturedWork>> models_;
  std::map<const CapturedWork*, CaptureMode> modes_;
  std::map<const void*, std::vector<Callback>> callbacks_;
};

CaptureMode mode_of(aclmdlRICaptureMode mode) {
  if (mode >= ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED) {
    return static_cast<CaptureMode>(mode);
  }
  refuse_rt("there is no mode " + std::to_string(mode));
}

void capture(const std::shared_ptr<Stream>& stream, const std::shared_ptr<CapturedWork>& model) {
  const std::lock_guard lock(stream->mutex);
  if (stream->capture) {
    throw ApiError(ACL_ERROR_RT_STREAM_CAPTURED, "the stream is captured already");
  }
  stream->capture = model;
  model->join(stream);
}

/// What the stream is captured in. Throws ApiError where it is not.
std::shared_ptr<CapturedWork> capture_of(Stream& stream) {
  auto model = captured(stream);
  if (model != nullptr) return model;
  throw ApiError(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "the stream is not captured");
}

void end_capture(aclrtStream handle, aclmdlRI* result) {
  require_pointer(result, "modelRI");
  *result = nullptr;
  const auto stream = Process::instance().stream(handle);
  const auto model = capture_of(*stream);
  if (!model->began_on(*stream)) {
    throw ApiError(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
                   "the capture did not begin on this stream");
  }
  const bool joined = model->is_joined();
  model->finish();
  Models::instance().ended(model.get());
  if (!joined) {
    Models::instance().destroy(model.get());
    throw ApiError(ACL_ERROR_RT_STREAM_UNJOINED,
                   "the stream has not waited for all that other captured streams have queued; "
                   "what was captured is dropped");
  }
  *result = model.get();
}

void begin_update(aclrtStream handle, aclrtTaskGrp group) {
  const auto stream = Process::instance().stream(handle);
  const auto model = Models::instance().with_group(group);
  const std::lock_guard lock(stream->mutex);
  if (stream->capture || stream->replacement) {
    throw ApiError(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
                   "the stream is captured, or replaces other tasks");
  }
  stream->replacement = {model, static_cast<CapturedWork::Group*>(group)->tasks};
}

void end_update(aclrtStream handle) {
  const auto stream = Process::instance().stream(handle);
  const std::lock_guard lock(stream->mutex);
  if (!stream->replacement) {
    throw ApiError(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "the stream replaces no tasks");
  }
  const Replacement done = *stream->replacement;
  stream->replacement.reset();
  if (done.next < done.tasks.size()) {
    throw ApiError(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
                   std::to_string(done.next) + " of the group's " +
                       std::to_string(done.tasks.size()) + " tasks were replaced");
  }
}

void execute(aclmdlRI handle, const std::shared_ptr<Stream>& stream) {
  const auto model = Models::instance().model(handle);
  if (model->goes_on()) {
    throw ApiError(ACL_ERROR_RT_MODEL_CAPTURED, "the model is not complete: its capture goes on");
  }
  Simulator& simulator = Simulator::instance();
  require_device_sound(simulator);
  simulator.execute(*model, stream);
}

}  // namespace

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  return api_call("aclmdlRICaptureBegin", [&] {
    const CaptureMode wanted = mode_of(mode);
    const auto on = Process::instance().stream(stream);
    const auto model = Models::instance().create();
    try {
      capture(on, model);
    } catch (const ApiError&) {
      Models::instance().destroy(model.get());
      throw;
    }
    Models::instance().began(model.get(), wanted);
  });
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return api_call("aclmdlRICaptureEnd", [&] { end_capture(stream, modelRI); });
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                aclmdlRI* modelRI) {
  return api_call("aclmdlRICaptureGetInfo", [&] {
    const auto model = captured(*Process::instance().stream(stream));
    if (status != nullptr) {
      *status = model ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    }
    if (modelRI != nullptr) *modelRI = model.get();
  });
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return api_call("aclmdlRICaptureThreadExchangeMode", [&] {
    require_pointer(mode, "mode");
    *mode = static_cast<aclmdlRICaptureMode>(exchange_capture_mode(mode_of(*mode)));
  });
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream) {
  return api_call("aclmdlRICaptureTaskGrpBegin", [&] {
    const auto on = Process::instance().stream(stream);
    capture_of(*on)->begin_group(*on);
  });
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle) {
  return api_call("aclmdlRICaptureTaskGrpEnd", [&] {
    require_pointer(handle, "handle");
    const auto on = Process::instance().stream(stream);
    *handle = capture_of(*on)->end_group(*on);
  });
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle) {
  return api_call("aclmdlRICaptureTaskUpdateBegin", [&] { begin_update(stream, handle); });
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream) {
  return api_call("aclmdlRICaptureTaskUpdateEnd", [&] { end_update(stream); });
}

aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t) {
  return api_call("aclmdlRIBuildBegin", [&] {
    require_pointer(modelRI, "modelRI");
    *modelRI = Models::instance().create().get();
  });
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t) {
  return api_call("aclmdlRIBindStream", [&] {
    capture(Process::instance().stream(stream), Models::instance().model(modelRI));
  });
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream) {
  return api_call("aclmdlRIEndTask", [&] {
    Models::instance().model(modelRI);
    Process::instance().stream(stream);
  });
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void*) {
  return api_call("aclmdlRIBuildEnd", [&] { Models::instance().model(modelRI)->finish(); });
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream) {
  return api_call("aclmdlRIUnbindStream", [&] {
    Models::instance().model(modelRI)->leave(Process::instance().stream(stream));
  });
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return api_call("aclmdlRIExecuteAsync",
                  [&] { execute(modelRI, Process::instance().stream(stream)); });
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  return api_call("aclmdlRIExecute", [&] {
    const auto stream = Process::instance().stream(nullptr);
    execute(modelRI, stream);
    Simulator& simulator = Simulator::instance();
    if (!simulator.synchronise(*stream, timeout_of(std::max(timeout, -1)))) {
      throw ApiError(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the model is not done within the timeout");
    }
    require_sound(simulator, *stream);
  });
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return api_call("aclmdlRIDestroy", [&] {
    const auto model = Models::instance().model(modelRI);
    if (model->goes_on()) {
      throw ApiError(ACL_ERROR_RT_MODEL_CAPTURED, "the model's capture goes on; end it first");
    }
    Models::instance().destroy(modelRI);
  });
}

aclError aclmdlRIAbort(aclmdlRI modelRI) {
  return api_call("aclmdlRIAbort", [&] {
    Models::instance().model(modelRI);
    if (Simulator* simulator = Simulator::if_started()) simulator->synchronise_all();
  });
}

aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, void (*func)(void* userData),
                                         void* userData) {
  return api_call("aclmdlRIDestroyRegisterCallback", [&] {
    require_pointer(reinterpret_cast<const void*>(func), "func");
    Models::instance().at_destruction(modelRI, {func, userData});
  });
}

aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, void (*func)(void* userData)) {
  return api_call("aclmdlRIDestroyUnregisterCallback", [&] {
    require_pointer(reinterpret_cast<const void*>(func), "func");
    if (Models::instance().forget_callbacks(modelRI, func) == 0) {
      refuse_rt("func was not registered for the model");
    }
  });
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
  return api_call("aclmdlRIDebugPrint", [&] {
    std::fputs(Models::instance().model(modelRI)->description().c_str(), stdout);
  });
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t) {
  return api_call("aclmdlRIDebugJsonPrint", [&] {
    require_pointer(path, "path");
    std::ofstream file(path);
    file << Models::instance().model(modelRI)->description() << std::flush;
    if (!file) refuse_rt(std::string(path) + " cannot be written");
  });
}

aclError aclmdlRISetName(aclmdlRI modelRI, const char* name) {
  return api_call("aclmdlRISetName", [&] {
    require_pointer(name, "name");
    Models::instance().model(modelRI)->set_name(name);
  });
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name) {
  return api_call("aclmdlRIGetName", [&] {
    require_pointer(name, "name");
    const std::string own = Models::instance().model(modelRI)->name();
    if (own.size() >= maxLen) {
      refuse_rt("maxLen is " + std::to_string(maxLen) + ", the name takes " +
                std::to_string(own.size() + 1) + " bytes");
    }
    std::memcpy(name, own.c_str(), own.size() + 1);
  });
}

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId) {
  return api_call("aclmdlRIGetId", [&] {
    require_pointer(modelRIId, "modelRIId");
    *modelRIId = Models::instance().model(modelRI)->id();
  });
}
