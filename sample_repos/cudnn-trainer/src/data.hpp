// CIFAR-10 in its binary form: records of one label byte and 3072 pixel bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ct {

constexpr int kPixelBytes = 3 * 32 * 32;

struct Batch {
  std::vector<std::uint8_t> labels;
  std::vector<std::uint8_t> pixels;
};

class Dataset {
 public:
  Dataset(const std::string& folder, bool train);
  int size() const { return static_cast<int>(labels_.size()); }
  // Records in the order of `order`, from `at` on.
  void gather(const std::vector<int>& order, int at, int count, Batch& out) const;

 private:
  std::vector<std::uint8_t> labels_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace ct
