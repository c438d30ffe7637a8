// Block shapes, found with scripts/sweep.sh on A100 and MI250X and checked again on H100 and MI300X.
#pragma once

namespace fieldkit::tuning {

#if defined(__HIP_PLATFORM_AMD__)
constexpr int kMapBlock = 512;
constexpr int kReduceBlock = 256;
constexpr int kCompactBlock = 256;
constexpr int kTile = 32;
constexpr int kTileRows = 16;
#else
constexpr int kMapBlock = 256;
constexpr int kReduceBlock = 512;
constexpr int kCompactBlock = 256;
constexpr int kTile = 32;
constexpr int kTileRows = 8;
#endif

}  // namespace fieldkit::tuning
