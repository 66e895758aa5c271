// The sizes of the model that the prolog operators are written for (DeepSeek-V3.2). The pages of
// the operators state them. The rules refuse other sizes.
#pragma once

#include <cstdint>

namespace davsim::operators::prolog {

inline constexpr std::int64_t kHidden = 7168;
inline constexpr std::int64_t kQueryRank = 1536;  ///< the query's latent
inline constexpr std::int64_t kHeads = 128;
inline constexpr std::int64_t kNope = 128;
inline constexpr std::int64_t kRope = 64;
inline constexpr std::int64_t kLatent = 512;  ///< the key's latent
inline constexpr std::int64_t kLatentGroups = 4;
inline constexpr std::int64_t kPage = 128;  ///< tokens of a cache page
inline constexpr std::int64_t kIndexHeads = 64;
inline constexpr std::int64_t kIndexDim = 128;

inline constexpr std::int64_t kHeadWidth = kNope + kRope;
inline constexpr std::int64_t kKeyWidth = kLatent + kRope;

/// The largest number of tokens of a call. It keeps workspaces below 2 GiB.
inline constexpr std::int64_t kMostTokens = 16384;

}  // namespace davsim::operators::prolog
