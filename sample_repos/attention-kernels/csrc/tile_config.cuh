// Tile sizes and launch shapes. Everything that was found by measuring is in this file.
//
// Swept on A100 and H100; A100 wins where the two disagree, because most of the fleet is still A100.
// Re-run benchmarks/sweep_tiles.py before touching any of these.
#pragma once

namespace attn {

constexpr int kWarpSize = 32;
constexpr unsigned kFullMask = 0xffffffffu;

// Elements moved by one 16-byte copy of a 2-byte type. A property of the copy, not a tuning choice.
constexpr int kVec = 8;

// Prefill: four warps, each owns 16 query rows.
constexpr int kFwdWarps = 4;
constexpr int kFwdThreads = kFwdWarps * kWarpSize;

template <int HeadDim>
struct FwdTile;

template <>
struct FwdTile<64> {
  static constexpr int kBlockM = 64;
  static constexpr int kBlockN = 128;  // 64 loses at long contexts
  static constexpr int kStages = 2;
  static constexpr int kMinBlocks = 2;
};

template <>
struct FwdTile<128> {
  static constexpr int kBlockM = 64;
  static constexpr int kBlockN = 64;   // 128 spills
  static constexpr int kStages = 2;
  static constexpr int kMinBlocks = 2;
};

template <int HeadDim>
constexpr int fwd_smem_bytes() {
  using T = FwdTile<HeadDim>;
  return 2 * HeadDim * (T::kBlockM + 2 * T::kStages * T::kBlockN);
}

// Decode: a split covers this many tokens. Below 256 the combine kernel shows up in profiles.
constexpr int kDecodeWarps = 4;
constexpr int kTokensPerSplit = 512;
constexpr int kMaxSplits = 64;

// Tokens in a cache page; part of the cache format, do not change on a whim.
constexpr int kPageTokens = 16;

constexpr int kNormThreads = 512;

}  // namespace attn
