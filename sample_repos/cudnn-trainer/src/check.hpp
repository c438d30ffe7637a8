// Turns the four kinds of status code into exceptions.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <cudnn.h>

#include <stdexcept>
#include <string>

namespace ct {

[[noreturn]] inline void fail(const std::string& why, const char* file, int line) {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + why);
}

inline std::string why(cudaError_t e) { return cudaGetErrorString(e); }
inline std::string why(cudnnStatus_t s) { return cudnnGetErrorString(s); }
inline std::string why(CUresult r) {
  const char* text = nullptr;
  cuGetErrorString(r, &text);
  return text ? text : "unknown driver error";
}

}  // namespace ct

#define CT_CHECK(call)                                                  \
  do {                                                                  \
    const auto ct_status = (call);                                      \
    if (static_cast<int>(ct_status) != 0) ::ct::fail(::ct::why(ct_status), __FILE__, __LINE__); \
  } while (0)
