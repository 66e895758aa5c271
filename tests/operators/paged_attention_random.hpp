// Random legal calls of paged_attention, of every scene.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/paged_attention/recipe.hpp"
#include "tests/operators/random_choice.hpp"

namespace davsim::test {

class PaRandom : RandomChoice {
 public:
  PaRandom(memory::GlobalMemory& memory, std::uint64_t seed) : RandomChoice(memory, seed) {}

  /// Scenes come in turn; everything else is random.
  operators::paged_attention::Recipe next() {
    switch (turn_++ % 10) {
      case 0:
        return base();
      case 1:
        return parallel();
      case 2:
        return razor(1);
      case 3:
        return razor(2);
      case 4:
        return dequant();
      case 5:
        return full_quant();
      case 6:
        return logn();
      case 7:
        return bnsd();
      case 8:
        return merged();
      default:
        return separate();
    }
  }

 private:
  using Recipe = operators::paged_attention::Recipe;
  using DType = isa::DType;

  std::int64_t context() {
    return one_of<std::int64_t>({1, 16, number(1, 60), number(1, 300), number(1, 900)});
  }

  /// Heads, lengths and pages of one sequence a batch; contexts of 0 now and then.
  Recipe decode() {
    Recipe r;
    r.kv_heads = number(1, 3);
    r.heads = r.kv_heads * one_of<std::int64_t>({1, 2, 3, 8});
    r.width = 16 * number(1, 8);
    r.type = flag() ? DType::kF16 : DType::kBF16;
    for (std::int64_t b = number(1, 5); b > 0; --b) r.contexts.push_back(context());
    r.page_rows = one_of<std::int64_t>({16, 32, 48, 64, 128});
    r.batch_run = seldom();
    if (r.batch_run && r.contexts.size() > 1) r.contexts[0] = 0;
    if (seldom()) r.query_scale = 0.5;
    return r;
  }
  void mask(Recipe& r) {
    r.mask = one_of<const char*>({"", "norm", "norm shared", "norm heads", "alibi", "alibi heads"});
  }

  Recipe base() {
    Recipe r = decode();
    if (seldom()) r.width = one_of<std::int64_t>({192, 256}), r.page_rows = 16;
    mask(r);
    return r;
  }
  Recipe parallel() {
    Recipe r = decode();
    r.batch_run = false;
    for (std::int64_t& each : r.contexts) {
      each = std::max<std::int64_t>(each, 1);
      r.query_rows.push_back(std::min(each, one_of<std::int64_t>({1, 2, number(1, 40)})));
    }
    r.mask = one_of<const char*>({"spec", "norm square", "norm squares"});
    return r;
  }
  Recipe razor(std::int64_t kind) {
    Recipe r = decode();
    r.razor = kind;
    if (kind == 2) r.batch_run = false;
    r.contexts.clear();
    for (std::int64_t t = number(1, 3); t > 0; --t) {
      const bool stopped = r.batch_run && t == 2;
      for (std::int64_t g = 0; g < r.kv_heads; ++g) r.contexts.push_back(stopped ? 0 : context());
    }
    if (kind == 1) mask(r);
    if (kind == 1 && flag()) quantised_caches(r);
    return r;
  }
  void quantised_caches(Recipe& r) {
    r.quant = 1;
    r.offsets = flag();
    if (r.type == DType::kF16 && r.page_rows <= r.width) r.wide_descales = flag();
  }
  Recipe dequant() {
    Recipe r = decode();
    mask(r);
    quantised_caches(r);
    return r;
  }
  Recipe full_quant() {
    Recipe r = flag() ? decode() : latent();
    r.quant = number(2, 3);
    if (!r.merged) mask(r);
    return r;
  }
  Recipe logn() {
    Recipe r = decode();
    r.logn = true;
    mask(r);
    return r;
  }
  Recipe bnsd() {
    Recipe r = decode();
    r.bnsd = true;
    mask(r);
    return r;
  }
  /// Merged, one row a batch, no mask.
  Recipe latent() {
    Recipe r = decode();
    r.kv_heads = 1;
    r.heads = one_of<std::int64_t>({1, 8, 16, 33, 128});
    r.merged = true;
    r.width = one_of<std::int64_t>({576, 192, 16 * number(2, 36)});
    r.value_width = flag() ? r.width : 16 * number(1, r.width / 16);
    if (r.value_width == r.width && r.width <= 256) r.page_rows = 16;
    r.scale = 0.07;
    return r;
  }
  Recipe merged() {
    Recipe r = latent();
    if (flag()) {
      r.mask = one_of<const char*>({"", "norm", "norm shared", "norm heads"});
      return r;
    }
    r.batch_run = false;
    for (std::int64_t& each : r.contexts) {
      each = std::max<std::int64_t>(each, 1);
      r.query_rows.push_back(number(1, 5));
    }
    if (flag()) r.mask = "spec";
    return r;
  }
  Recipe separate() {
    Recipe r = decode();
    r.width = one_of<std::int64_t>({576, 320, 128, 64});
    r.value_width = one_of<std::int64_t>({512, 96, 48, 272});
    r.scale = 0.07;
    mask(r);
    return r;
  }

  int turn_ = 0;
};

inline std::string to_string(const operators::paged_attention::Recipe& r) {
  const auto list = [](const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t each : numbers) text += " " + std::to_string(each);
    return "[" + text + " ]";
  };
  return std::to_string(r.heads) + "/" + std::to_string(r.kv_heads) + " heads of " +
         std::to_string(r.width) + "/" + std::to_string(r.value_width) + ", contexts " +
         list(r.contexts) + ", rows " + list(r.query_rows) + ", pages of " +
         std::to_string(r.page_rows) + ", mask '" + r.mask + "', quant " + std::to_string(r.quant) +
         (r.type == isa::DType::kF16 ? ", f16" : ", bf16") + (r.merged ? ", merged" : "") +
         (r.batch_run ? ", batchRun" : "");
}

}  // namespace davsim::test
