// The same for the one BLAS routine we call.
#pragma once

#include "gpu_compat.h"

#if defined(__HIP_PLATFORM_AMD__)
#include <hipblas/hipblas.h>

#define CUBLAS_OP_N HIPBLAS_OP_N
#define CUBLAS_OP_T HIPBLAS_OP_T
#define CUBLAS_STATUS_SUCCESS HIPBLAS_STATUS_SUCCESS
#define cublasCreate hipblasCreate
#define cublasDestroy hipblasDestroy
#define cublasHandle_t hipblasHandle_t
#define cublasSetStream hipblasSetStream
#define cublasSgemv hipblasSgemv
#define cublasStatus_t hipblasStatus_t
#else
#include <cublas_v2.h>
#endif
