#include "driver/core_type.hpp"

#include <algorithm>
#include <array>

namespace davsim::driver {
namespace {

struct TypeName {
  std::string_view name;
  CoreType type;
};
constexpr TypeName kTypeNames[] = {
    {"KERNEL_TYPE_AIV_ONLY", CoreType::kAivOnly},
    {"KERNEL_TYPE_AIC_ONLY", CoreType::kAicOnly},
    {"KERNEL_TYPE_MIX_AIV_1_0", CoreType::kAivOnly},
    {"KERNEL_TYPE_MIX_AIC_1_0", CoreType::kAicOnly},
    {"KERNEL_TYPE_MIX_AIC_1_1", CoreType::kMix11},
    {"KERNEL_TYPE_MIX_AIC_1_2", CoreType::kMix12},
    {"kAivOnly", CoreType::kAivOnly},
    {"kAicOnly", CoreType::kAicOnly},
    {"kMix11", CoreType::kMix11},
    {"kMix12", CoreType::kMix12},
};

/// Names of the kernel API that make sense on a cube core only: its buffers and what fills them.
constexpr std::string_view kCubeNames[] = {"A1",
                                           "A2",
                                           "B1",
                                           "B2",
                                           "C1",
                                           "C2",
                                           "CO1",
                                           "CO2",
                                           "Mmad",
                                           "MmadParams",
                                           "LoadData",
                                           "LoadData2DParams",
                                           "LoadData3DParamsV2",
                                           "LoadDataWithTranspose",
                                           "Fixpipe",
                                           "FixpipeParamsV220",
                                           "ASCEND_IS_AIC",
                                           "__DAV_C220_CUBE__",
                                           "AIC",
                                           "mad",
                                           "load_gm_to_cbuf",
                                           "load_cbuf_to_ca",
                                           "load_cbuf_to_cb",
                                           "copy_gm_to_cbuf",
                                           "copy_matrix_cc_to_gm",
                                           "img2colv2_cbuf_to_ca",
                                           "__cbuf__",
                                           "__ca__",
                                           "__cb__",
                                           "__cc__",
                                           "Nd2NzParams"};

/// And on a vector core only.
constexpr std::string_view kVectorNames[] = {"VECIN",
                                             "VECOUT",
                                             "VECCALC",
                                             "LCM",
                                             "ASCEND_IS_AIV",
                                             "__DAV_C220_VEC__",
                                             "AIV",
                                             "__ubuf__",
                                             "copy_gm_to_ubuf",
                                             "copy_ubuf_to_gm",
                                             "copy_gm_to_ubuf_align_b16",
                                             "copy_gm_to_ubuf_align_b32"};

/// A matrix product of the high-level API is called on vector cores and computed on cube cores.
constexpr std::string_view kBothNames[] = {"Matmul", "MatmulImpl", "BatchMatmul",
                                           "REGIST_MATMUL_OBJ", "matmul"};

/// Whether `names` has one of `known` that the source does not define itself.
template <std::size_t kCount>
bool any_of(const std::string_view (&known)[kCount], const Names& names,
            const Definitions& definitions) {
  return std::any_of(std::begin(known), std::end(known), [&](std::string_view name) {
    return names.contains(name) && !definitions.contains(name);
  });
}

}  // namespace

bool CoreTypes::needs_cube() const {
  return driver::needs_cube(type) ||
         std::any_of(keyed.begin(), keyed.end(),
                     [](const KeyedType& key) { return driver::needs_cube(key.type); });
}

bool CoreTypes::needs_vector() const {
  return driver::needs_vector(type) ||
         std::any_of(keyed.begin(), keyed.end(),
                     [](const KeyedType& key) { return driver::needs_vector(key.type); });
}

std::optional<CoreType> core_type_named(std::string_view name) {
  for (const TypeName& known : kTypeNames) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

std::string_view name_of(CoreType type) {
  constexpr std::array<std::string_view, 4> kNames = {"kAivOnly", "kAicOnly", "kMix11", "kMix12"};
  return kNames[static_cast<std::size_t>(type)];
}

UsedCores used_cores(const Names& body, const Definitions& definitions) {
  Names reached = body;
  std::vector<std::string_view> open(body.begin(), body.end());
  while (!open.empty()) {
    const auto found = definitions.find(open.back());
    open.pop_back();
    if (found == definitions.end()) continue;
    for (const std::string_view name : found->second) {
      if (reached.insert(name).second) open.push_back(name);
    }
  }
  const bool both = any_of(kBothNames, reached, definitions);
  return {both || any_of(kCubeNames, reached, definitions),
          both || any_of(kVectorNames, reached, definitions)};
}

CoreType deduced_core_type(UsedCores used) {
  if (used.cube && used.vector) return CoreType::kMix12;
  return used.cube ? CoreType::kAicOnly : CoreType::kAivOnly;
}

}  // namespace davsim::driver
