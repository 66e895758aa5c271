#include "tests/library/library_run.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "isa/instr/fault.hpp"

namespace davsim::test {

namespace {

using isa::DType;

template <class T>
void put(std::uint8_t* at, double value) {
  const T element = static_cast<T>(value);
  std::memcpy(at, &element, sizeof element);
}
template <class T>
double get(const std::uint8_t* at) {
  T element;
  std::memcpy(&element, at, sizeof element);
  return static_cast<double>(element);
}

#define FOR_TYPE(type, action)                          \
  switch (type) {                                       \
    case DType::kF16:                                   \
      action(isa::half);                                \
    case DType::kBF16:                                  \
      action(isa::bfloat16_t);                          \
    case DType::kF32:                                   \
      action(float);                                    \
    case DType::kI8:                                    \
      action(std::int8_t);                              \
    case DType::kU8:                                    \
      action(std::uint8_t);                             \
    case DType::kI16:                                   \
      action(std::int16_t);                             \
    case DType::kU16:                                   \
      action(std::uint16_t);                            \
    case DType::kI32:                                   \
      action(std::int32_t);                             \
    case DType::kU32:                                   \
      action(std::uint32_t);                            \
    case DType::kU64:                                   \
      action(std::uint64_t);                            \
    default:                                            \
      throw std::logic_error("no such type in a test"); \
  }

void put_element(DType type, std::uint8_t* at, double value) {
#define PUT(T) return put<T>(at, value)
  FOR_TYPE(type, PUT)
#undef PUT
}
double get_element(DType type, const std::uint8_t* at){
#define GET(T) return get<T>(at)
    FOR_TYPE(type, GET)
#undef GET
}

std::uint32_t bytes_of(DType type, std::size_t elements) {
  return static_cast<std::uint32_t>(elements * isa::dtype_bits(type) / 8);
}

}  // namespace

double as_type(DType type, double value) {
  std::uint8_t bytes[8];
  put_element(type, bytes, value);
  return get_element(type, bytes);
}

Values numbers(std::size_t count, double low, double high, std::uint32_t seed) {
  Values values(count);
  std::uint64_t state = seed * 2654435761ull + 12345;
  for (double& value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = low + (high - low) * static_cast<double>(state >> 40) / 16777216.0;
  }
  return values;
}

sim::Device& LibraryTest::device() {
  static sim::Device* device = [] {
    sim::DeviceOptions options;
    const char* mode = std::getenv("DAVSIM_TEST_MODE");
    if (mode != nullptr && std::string(mode) == "functional") options.mode = sim::Mode::kFunctional;
    return new sim::Device(sim::SocConfig::named("Ascend910B3"), options);
  }();
  return *device;
}

LibraryTest::LibraryTest() {
  device().check(&checker_);
}

std::size_t LibraryTest::add(DType type, std::size_t elements, const Values& values) {
  auto* memory = reinterpret_cast<std::uint8_t*>(
      device().memory().allocate(bytes_of(type, elements) + 64, "tensor"));
  const std::size_t step = isa::dtype_bits(type) / 8;
  for (std::size_t i = 0; i < values.size(); ++i) put_element(type, memory + i * step, values[i]);
  tensors_.push_back({type, elements, values.size(), memory});
  return tensors_.size() - 1;
}

void LibraryTest::kernel(const std::function<void()>& call) {
  using namespace AscendC;
  TPipe pipe;
  std::array<Buffer, 12> buffers;
  buffers_ = &buffers;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    pipe.InitBuffer(buffers[i], bytes_of(tensors_[i].type, tensors_[i].elements));
  }
  const auto global = [&](const Tensor& tensor) {
    GlobalTensor<std::uint8_t> memory;
    memory.SetGlobalBuffer(tensor.memory);
    return memory;
  };
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const std::uint32_t bytes = bytes_of(tensors_[i].type, tensors_[i].loaded);
    if (bytes == 0) continue;
    DataCopyPad(buffers[i].Get<std::uint8_t>(), global(tensors_[i]),
                DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<std::uint8_t>());
  }
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  call();
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    // What was loaded in full is written back whether the call changed it or not; of the others the
    // call has to have written all.
    const std::uint32_t bytes = bytes_of(tensors_[i].type, tensors_[i].elements);
    if (!tensors_[i].read_back) continue;
    if (tensors_[i].loaded != 0 && tensors_[i].loaded != tensors_[i].elements) continue;
    DataCopyPad(global(tensors_[i]), buffers[i].Get<std::uint8_t>(),
                DataCopyExtParams(1, bytes, 0, 0, 0));
  }
  pipe.Destroy();
  buffers_ = nullptr;
}

void LibraryTest::run(const std::function<void()>& call) {
  const isa::KernelEntry entry{"library", isa::KernelType::kAivOnly, nullptr, nullptr};
  checker_.forget_findings();
  cycles_ = device().launch(entry, 1, {}, [&] { kernel(call); }).cycles;
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

std::string LibraryTest::refusal(const std::function<void()>& call) {
  const isa::KernelEntry entry{"library", isa::KernelType::kAivOnly, nullptr, nullptr};
  try {
    device().launch(entry, 1, {}, [&] { kernel(call); });
  } catch (const isa::Fault& fault) {
    return fault.message;
  }
  return "the call went through";
}

Values LibraryTest::got(std::size_t number) const {
  const Tensor& tensor = tensors_[number];
  Values values(tensor.elements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = get_element(tensor.type, tensor.memory + i * isa::dtype_bits(tensor.type) / 8);
  }
  return values;
}

void LibraryTest::expect_near(std::size_t number, const Values& expected, double relative,
                              double absolute, const std::string& what) const {
  const Values values = got(number);
  ASSERT_LE(expected.size(), values.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(values[i])) continue;
    if (values[i] == expected[i]) continue;
    // An infinite bound would let any number pass.
    const double bound = std::isinf(expected[i]) ? 0 : absolute + relative * std::abs(expected[i]);
    ASSERT_LE(std::abs(values[i] - expected[i]), bound)
        << what << " element " << i << " is " << values[i] << ", expected " << expected[i];
  }
}

}  // namespace davsim::test
