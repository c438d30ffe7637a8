#include "data.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace ct {

Dataset::Dataset(const std::string& folder, bool train) {
  std::vector<std::string> names;
  if (train) {
    for (int i = 1; i <= 5; ++i) names.push_back("data_batch_" + std::to_string(i) + ".bin");
  } else {
    names.push_back("test_batch.bin");
  }
  std::vector<char> record(1 + kPixelBytes);
  for (const std::string& name : names) {
    std::ifstream in(folder + "/" + name, std::ios::binary);
    if (!in) throw std::runtime_error("cannot open " + folder + "/" + name);
    while (in.read(record.data(), static_cast<std::streamsize>(record.size()))) {
      labels_.push_back(static_cast<std::uint8_t>(record[0]));
      pixels_.insert(pixels_.end(), record.begin() + 1, record.end());
    }
  }
}

void Dataset::gather(const std::vector<int>& order, int at, int count, Batch& out) const {
  out.labels.resize(count);
  out.pixels.resize(static_cast<std::size_t>(count) * kPixelBytes);
  for (int i = 0; i < count; ++i) {
    const std::size_t from = order[at + i];
    out.labels[i] = labels_[from];
    std::copy_n(pixels_.begin() + from * kPixelBytes, kPixelBytes, out.pixels.begin() + std::size_t(i) * kPixelBytes);
  }
}

}  // namespace ct
