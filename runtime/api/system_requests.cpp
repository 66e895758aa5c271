#include <boost/json.hpp>
#include <memory>
#include <string>
#include <vector>

#include "davsim/system_call.h"
#include "runtime/aclnn/system_call.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::runtime;

namespace {

namespace json = boost::json;

std::vector<std::int64_t> numbers(const json::value& list) {
  std::vector<std::int64_t> all;
  for (const json::value& number : list.as_array()) all.push_back(number.to_number<std::int64_t>());
  return all;
}

/// The part that a request describes, and its tensors.
class Request {
 public:
  /// Throws ApiError(100000) for what is no request.
  explicit Request(const char* text) {
    require_pointer(text, "request");
    try {
      const json::object all = json::parse(text).as_object();
      arguments_.name = json::value_to<std::string>(all.at("operator"));
      arguments_.group = json::value_to<std::string>(all.at("group"));
      arguments_.attributes = all.at("attributes").as_object();
      const json::value* const pairs = arguments_.attributes.if_contains("tp_world_size");
      if (pairs != nullptr && *pairs == 2) arguments_.groups_of = 2;
      for (const json::value& tensor : all.at("tensors").as_array()) add(tensor.as_object());
    } catch (const ApiError&) {
      throw;
    } catch (const std::exception& error) {
      throw ApiError(ACL_ERROR_INVALID_PARAM, std::string("this is no request: ") + error.what());
    }
  }
  const SystemArguments& arguments() const { return arguments_; }

 private:
  void add(const json::object& tensor) {
    const std::vector<std::int64_t> shape = numbers(tensor.at("shape"));
    const json::value* const given = tensor.if_contains("strides");
    const std::vector<std::int64_t> strides =
        given == nullptr ? std::vector<std::int64_t>() : numbers(*given);
    const auto type = static_cast<aclDataType>(tensor.at("type").to_number<int>());
    auto* const data = reinterpret_cast<void*>(tensor.at("address").to_number<std::uint64_t>());
    tensors_.emplace_back(aclCreateTensor(shape.data(), shape.size(), type,
                                          given == nullptr ? nullptr : strides.data(), 0,
                                          ACL_FORMAT_ND, shape.data(), shape.size(), data),
                          [](aclTensor* made) { aclDestroyTensor(made); });
    const auto name = json::value_to<std::string>(tensor.at("name"));
    const bool output = tensor.contains("output");
    arguments_.tensors.push_back(
        {name, name, tensors_.back().get(),
         output ? SystemTensor::Role::kOutput : SystemTensor::Role::kInput});
  }

  SystemArguments arguments_;
  std::vector<std::shared_ptr<aclTensor>> tensors_;
};

}  // namespace

aclError davsim_system_outputs(const char* request, const char** outputs) {
  return api_call("davsim_system_outputs", [&] {
    require_pointer(outputs, "outputs");
    const Request part(request);
    json::array all;
    for (const SystemOutput& output : outputs_of_system_call(part.arguments())) {
      all.push_back({{"name", output.name},
                     {"type", static_cast<int>(output.type)},
                     {"shape", json::value_from(output.shape)}});
    }
    static thread_local std::string kept;
    kept = json::serialize(all);
    *outputs = kept.c_str();
  });
}

aclError davsim_system_call(const char* request, aclrtStream stream) {
  return api_call("davsim_system_call",
                  [&] { queue_system_call(Request(request).arguments(), stream); });
}
