// C interface of the CUDA kernels. bindings.cpp is the only caller; pointers are device pointers.
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// color.cu
cudaError_t vops_bgr_to_gray(const uint8_t* bgr, uint8_t* gray, int height, int width, cudaStream_t stream);
cudaError_t vops_nv12_to_rgb(const uint8_t* y_plane, const uint8_t* uv_plane, uint8_t* rgb, int height, int width,
                             int pitch, cudaStream_t stream);
cudaError_t vops_color_jitter(float* rgb, int batch, int pixels, const float* brightness, const float* contrast,
                              const float* saturation, cudaStream_t stream);

// normalize.cu
cudaError_t vops_hwc_to_chw_norm_f32(const uint8_t* src, float* dst, const float* mean, const float* inv_std,
                                     int batch, int channels, int pixels, cudaStream_t stream);
cudaError_t vops_hwc_to_chw_norm_f16(const uint8_t* src, void* dst, const float* mean, const float* inv_std,
                                     int batch, int channels, int pixels, cudaStream_t stream);
cudaError_t vops_chw_to_hwc_u8(const float* src, uint8_t* dst, const float* mean, const float* std_dev, int batch,
                               int channels, int pixels, cudaStream_t stream);

// activation.cu
cudaError_t vops_bias_silu_f32(float* x, const float* bias, int64_t rows, int channels, cudaStream_t stream);
cudaError_t vops_bias_silu_f16(void* x, const void* bias, int64_t rows, int channels, cudaStream_t stream);
cudaError_t vops_hard_swish_fwd(const float* x, float* y, int64_t n, cudaStream_t stream);
cudaError_t vops_hard_swish_bwd(const float* x, const float* grad_y, float* grad_x, int64_t n, cudaStream_t stream);

// blend.cu
cudaError_t vops_alpha_blend(const float* fg, const float* bg, const float* alpha, float* out, int batch,
                             int channels, int pixels, cudaStream_t stream);
cudaError_t vops_mask_overlay(float* rgb, const uint32_t* packed_mask, int pixels, float r, float g, float b,
                              float opacity, cudaStream_t stream);

// reduce.cu
cudaError_t vops_channel_stats(const float* x, float* mean, float* var, int batch, int channels, int pixels,
                               cudaStream_t stream);
cudaError_t vops_row_l2_normalize(const float* x, float* y, int rows, int cols, float eps, cudaStream_t stream);
cudaError_t vops_soft_argmax2d(const float* heat, float* xy, int maps, int height, int width, float beta,
                               cudaStream_t stream);
cudaError_t vops_dice_sums(const float* pred, const float* target, float* sums, int maps, int pixels,
                           cudaStream_t stream);

#ifdef __cplusplus
}
#endif
