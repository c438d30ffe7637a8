// Random crop and flip on the GPU. The kernel is loaded from a fatbin so that it can be exchanged without
// relinking the trainer.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

namespace ct {

class Augment {
 public:
  explicit Augment(const std::string& fatbin);
  Augment(const Augment&) = delete;
  Augment& operator=(const Augment&) = delete;
  ~Augment();

  // bytes: [n, 3, 32, 32] as on disk. out: fp16 [n, 32, 32, 4], fourth channel zero. seed 0 means no change of
  // the picture, only conversion.
  void run(const std::uint8_t* bytes, void* out, int n, std::uint32_t seed, cudaStream_t s);

 private:
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
};

}  // namespace ct
