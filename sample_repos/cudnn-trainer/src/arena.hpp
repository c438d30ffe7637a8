// Device memory for the whole run. Addresses never move: a large range is reserved once, and physical memory
// is put behind it as allocations need it.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <vector>

namespace ct {

class Arena {
 public:
  Arena(int device, std::size_t reserve_bytes);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  // 512-byte aligned. Lives until the arena dies.
  void* take(std::size_t bytes);

  template <typename T>
  T* take_n(std::size_t count) {
    return static_cast<T*>(take(count * sizeof(T)));
  }

  std::size_t used() const { return used_; }

 private:
  void grow(std::size_t bytes);

  int device_;
  std::size_t reserved_;
  std::size_t chunk_ = 0;
  std::size_t backed_ = 0;
  std::size_t used_ = 0;
  CUdeviceptr base_ = 0;
  struct Chunk {
    CUmemGenericAllocationHandle handle;
    std::size_t offset;
    std::size_t bytes;
  };
  std::vector<Chunk> chunks_;
};

}  // namespace ct
