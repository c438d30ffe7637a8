#include "context.h"

extern "C" int downsample_launch(const float* in, float* out, int height, int width, void* stream);

namespace fieldkit {

void downsample(const Field& in, Field& out, int height, int width) {
  if (height % 2 || width % 2) throw std::invalid_argument("fieldkit: downsample needs even sides");
  if (in.size() != size_t(height) * width || out.size() * 4 != in.size())
    throw std::invalid_argument("fieldkit: wrong shape");
  void* stream = in.context().impl()->stream;
  check(static_cast<cudaError_t>(downsample_launch(in.data(), out.data(), height, width, stream)), "downsample");
}

}  // namespace fieldkit
