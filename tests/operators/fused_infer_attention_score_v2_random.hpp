// Random legal calls of fused_infer_attention_score_v2, of every scene.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/operators/fused_infer_attention_score_v2_recipes.hpp"
#include "tests/operators/random_choice.hpp"

namespace davsim::test {

class FiaRandom : RandomChoice {
 public:
  explicit FiaRandom(memory::GlobalMemory& memory, std::uint64_t seed)
      : RandomChoice(memory, seed) {}

  /// Scenes come in turn; everything else is random.
  Recipe next() {
    switch (turn_++ % 8) {
      case 0:
        return prompt();
      case 1:
        return decode();
      case 2:
        return antiquant();
      case 3:
        return tnd();
      case 4:
        return mla128();
      case 5:
        return mla512();
      case 6:
        return mla512_int8();
      default:
        return gqa_nz();
    }
  }

 private:
  using DType = isa::DType;

  DType half() { return flag() ? DType::kF16 : DType::kBF16; }

  std::vector<std::int64_t> lengths(std::int64_t count, std::int64_t most) {
    std::vector<std::int64_t> list;
    for (std::int64_t b = 0; b < count; ++b) list.push_back(seldom() ? most : number(0, most));
    return list;
  }

  void heads(Recipe& r) {
    r.kv_heads = number(1, 3);
    r.heads = r.kv_heads * one_of<std::int64_t>({1, 2, 3, 7});
  }

  /// Lengths, pse_shift, lse and int8 output: what the general scenes share.
  void general(Recipe& r) {
    r.batch = number(1, 3);
    heads(r);
    if (flag()) r.kv_lengths = lengths(r.batch, r.kv_rows);
    r.pse = seldom();
    r.lse = seldom();
    if (seldom() && r.kv != DType::kI4 && !(r.kv == DType::kI8 && r.query_rows > 1)) {
      r.out_quant = r.lse || flag() ? "tensor" : "channel";
      r.width = (r.width + 31) / 32 * 32;
    }
  }

  void paged(Recipe& r, std::int64_t page_rows) {
    const bool rows = r.layout == "BSH" || r.layout == "BSND" || flag();
    r.cache = rows ? "BnBsH" : "BnNBsD";
    r.page_rows = page_rows;
    if (r.kv_lengths.empty()) r.kv_lengths = lengths(r.batch, r.kv_rows);
  }

  Recipe prompt() {
    Recipe r;
    r.layout = one_of({"BSH", "BSND", "BNSD", "BNSD_BSND"});
    r.query = half();
    r.query_rows = number(2, 40), r.kv_rows = number(1, 90);
    r.width = 16 * number(1, 6);
    general(r);
    if (flag()) r.query_lengths = lengths(r.batch, r.query_rows);
    r.sparse_mode = number(0, 4);
    if (r.sparse_mode > 0 || flag()) r.mask = r.sparse_mode < 2 ? "full" : "square";
    if (flag() && r.kv_rows > 4) band(r);
    if (seldom()) paged(r, 128);
    r.inner_precise = number(0, 3);
    return r;
  }

  void band(Recipe& r) {
    r.pre = number(0, r.kv_rows), r.next = number(0, r.query_rows);
    if (!r.out_quant.empty()) return;
    // Mode 0 and 4 let go by different lengths: the shorter one is good for both.
    const std::int64_t most = std::min(r.query_rows, r.kv_rows) - 1;
    if (seldom()) r.pre = -number(0, most), r.next = number(-r.pre, -r.pre + 9);
    if (seldom()) r.next = -number(0, most), r.pre = std::max(-r.next, number(0, 30));
  }

  Recipe decode() {
    Recipe r;
    r.layout = one_of({"BSH", "BSND", "BNSD"});
    r.query = half();
    r.kv_rows = number(1, 300);
    r.width = 16 * number(1, 9);
    general(r);
    if (flag()) r.mask = "full";
    r.sparse_mode = number(0, 4);
    if (flag()) {
      paged(r, 16 * number(1, 4));
    } else if (seldom()) {
      r.list = true, r.kv_lengths.clear();
    }
    return r;
  }

  Recipe antiquant() {
    Recipe r;
    r.layout = one_of({"BSH", "BSND", "BNSD"});
    r.kv = flag() ? DType::kI8 : DType::kI4;
    r.query = half();
    r.kv_rows = number(1, 200);
    r.width = r.kv == DType::kI4 ? 64 * number(1, 2) : 32 * number(1, 3);
    r.offsets = flag();
    if (seldom()) {
      r.kv = DType::kI8, r.query = DType::kBF16, r.query_rows = number(2, 16);
      r.key_mode = r.value_mode = number(0, 1);
      general(r);
      return r;
    }
    r.key_mode = r.value_mode = r.kv == DType::kI4 ? one_of({0, 1, 3}) : number(0, 3);
    if (r.key_mode == 0 && seldom() && (r.kv == DType::kI4 || r.query == DType::kF16)) {
      r.value_mode = 1;
    }
    general(r);
    if (r.kv == DType::kI8 && r.key_mode == r.value_mode && flag()) {
      r.key_mode = r.value_mode = number(0, 5);
      paged(r, 32 * number(1, 2));
    }
    return r;
  }

  /// Lengths that add up.
  void behind_one_another(Recipe& r) {
    const std::int64_t batches = number(1, 4);
    r.query_lengths.clear(), r.kv_lengths.clear();
    std::int64_t query = 0, kv = 0;
    for (std::int64_t b = 0; b < batches; ++b) {
      const std::int64_t rows = number(b == 0 ? 1 : 0, 20);
      query += rows, kv += rows + number(0, 20);
      r.query_lengths.push_back(query), r.kv_lengths.push_back(kv);
    }
    r.query_rows = query, r.kv_rows = kv;
  }

  Recipe tnd() {
    Recipe r = fia_tnd(flag() ? 128 : 192);
    r.layout = flag() ? "TND" : "NTD_TND";
    heads(r);
    behind_one_another(r);
    if (flag()) r.sparse_mode = 3, r.mask = "square";
    r.lse = flag();
    return r;
  }

  Recipe mla128() {
    Recipe r = tnd();
    r.width = r.value_width = 128, r.rope = true;
    return r;
  }

  Recipe mla512() {
    Recipe r = fia_mla512(flag() ? 1 : number(2, 6), flag() ? "BnBsH" : "NZ");
    r.query = half();
    r.heads = one_of<std::int64_t>({1, 8, 16, 32});
    r.kv_rows = number(1, 300);
    r.kv_lengths = lengths(r.batch, r.kv_rows);
    if (flag()) {
      tnd_rows(r);
    } else {
      r.layout = one_of({"BSH", "BSND", "BSH_NBSD", "BSND_NBSD"});
    }
    return r;
  }

  void tnd_rows(Recipe& r) {
    r.layout = flag() ? "TND" : "TND_NTD";
    const std::int64_t first = number(0, 4), second = number(1, 5);
    r.query_lengths = {first, first + second}, r.query_rows = first + second;
  }

  Recipe mla512_int8() {
    Recipe r = mla512();
    r.query = DType::kI8, r.cache = "NZ";
    if (r.layout == "BSH_NBSD") r.layout = "BSH";
    return r;
  }

  Recipe gqa_nz() {
    Recipe r = fia_gqa_nz(flag() ? 1 : number(2, 6));
    r.layout = one_of({"BSH", "BSND", "BNSD"});
    r.kv_rows = number(1, 300);
    r.kv_lengths = lengths(r.batch, r.kv_rows);
    r.key_mode = r.value_mode = number(0, 1);
    if (seldom()) r.heads = 64, r.kv_heads = 8;
    return r;
  }

  int turn_ = 0;
};

/// For messages of tests.
inline std::string to_string(const Recipe& r) {
  const auto list = [](const std::vector<std::int64_t>& numbers) {
    return operators::to_string(numbers);
  };
  std::string text = r.layout + " " + std::string(isa::dtype_name(r.query)) + " B " +
                     std::to_string(r.batch) + " Sq " + std::to_string(r.query_rows) + " Skv " +
                     std::to_string(r.kv_rows) + " heads " + std::to_string(r.heads) + "/" +
                     std::to_string(r.kv_heads) + " D " + std::to_string(r.width);
  text += " lengths " + list(r.query_lengths) + list(r.kv_lengths) + " mode " +
          std::to_string(r.sparse_mode) + " " + r.mask + " " + std::to_string(r.pre) + "/" +
          std::to_string(r.next) + " cache " + r.cache + " " + std::to_string(r.page_rows);
  text += " quant " + std::to_string(r.key_mode) + "/" + std::to_string(r.value_mode) + " " +
          r.out_quant;
  for (const auto& [set, name] : {std::pair{r.pse, " pse"},
                                  {r.lse, " lse"},
                                  {r.rope, " rope"},
                                  {r.list, " list"},
                                  {r.offsets, " offsets"}}) {
    if (set) text += name;
  }
  return text;
}

}  // namespace davsim::test
