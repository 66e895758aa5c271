// Random legal calls of the DeepSeek operators.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/prolog/prolog_operator.hpp"
#include "kernels/sparse_flash_attention_quant/recipe.hpp"
#include "tests/operators/random_choice.hpp"

namespace davsim::test {

class DeepseekRandom : RandomChoice {
 public:
  DeepseekRandom(memory::GlobalMemory& memory, std::uint64_t seed)
      : RandomChoice(memory, seed), data_(memory, seed + 1) {}

  /// Of one of the three prologs. Some tokens are not cached, or share a row of the caches.
  operators::Call prolog(const std::string& name) {
    const operators::Operator& op = operators::find_operator(name);
    const auto& prolog = dynamic_cast<const operators::prolog::PrologOperator&>(op);
    const std::int64_t tokens = one_of<std::int64_t>({1, number(2, 15), 16, number(17, 40)});
    operators::Call call = prolog.make_call(data_, {tokens, number(1, 3)});
    for (const operators::AttributeSpec& attribute : op.info().attributes) {
      if (attribute.type != "float") continue;
      call.attributes[attribute.name] = one_of({1e-6, 1e-5, 1e-3});
    }
    const operators::Tensor& index = call.tensors.at(prolog.cache_index());
    for (std::int64_t token = 0; token < tokens; ++token) {
      if (seldom()) index.as<std::int64_t>()[token] = flag() ? -1 : index.as<std::int64_t>()[0];
    }
    return call;
  }

  /// Batches without keys, with fewer keys than topk and with several pages of them.
  operators::Call sparse_attention() {
    operators::sparse_flash_attention::Recipe recipe{};
    for (std::int64_t batch = number(1, 4); batch > 0; --batch) {
      recipe.lengths.push_back(one_of<std::int64_t>({0, 1, number(2, 127), 128, number(129, 700)}));
    }
    recipe.steps = number(1, 3);
    recipe.topk = one_of<std::int64_t>({1, number(2, 200), 512, 2048});
    recipe.quantised = flag();
    operators::Call call = operators::sparse_flash_attention::make_call(data_, recipe);
    if (seldom()) call.attributes["softmax_scale"] = one_of({0.0, -0.1, 1e-8, 0.5});
    return call;
  }

 private:
  operators::SeededData data_;
};

}  // namespace davsim::test
