// The last layer: three matrix products. All matrices are fp16 and row-major; `classes` is padded to 16.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

namespace ct {

// logits[n, classes] = x[n, features] * w[classes, features]^T
bool classifier_forward(const __half* x, const __half* w, __half* logits, int n, int features, int classes,
                        cudaStream_t s);
// dx[n, features] = dlogits[n, classes] * w[classes, features]
bool classifier_dgrad(const __half* dlogits, const __half* w, __half* dx, int n, int features, int classes,
                      cudaStream_t s);
// dw[classes, features] = dlogits[n, classes]^T * x[n, features]
bool classifier_wgrad(const __half* dlogits, const __half* x, __half* dw, int n, int features, int classes,
                      cudaStream_t s);

}  // namespace ct
