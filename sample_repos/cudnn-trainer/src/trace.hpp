// Named ranges for the timeline. Cost nothing when no profiler listens.
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace ct {

class Range {
 public:
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace ct
