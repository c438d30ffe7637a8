#include "augment.hpp"

#include "check.hpp"

namespace ct {
namespace {

constexpr int kImage = 32;  // pixels a side
constexpr int kPixelsPerBlock = 256;

}  // namespace

Augment::Augment(const std::string& fatbin) {
  CT_CHECK(cuModuleLoad(&module_, fatbin.c_str()));
  CT_CHECK(cuModuleGetFunction(&kernel_, module_, "crop_flip"));
}

Augment::~Augment() { cuModuleUnload(module_); }

void Augment::run(const std::uint8_t* bytes, void* out, int n, std::uint32_t seed, cudaStream_t s) {
  int pixels = n * kImage * kImage;
  void* args[] = {&bytes, &out, &pixels, &seed};
  const unsigned blocks = (pixels + kPixelsPerBlock - 1) / kPixelsPerBlock;
  CT_CHECK(cuLaunchKernel(kernel_, blocks, 1, 1, kPixelsPerBlock, 1, 1, 0, s, args, nullptr));
}

}  // namespace ct
