"""Builds vision_ops._C. Set TORCH_CUDA_ARCH_LIST to narrow the list of cards."""

import os

from setuptools import find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension

if CUDA_HOME is None:
    raise SystemExit("vision-ops needs nvcc; set CUDA_HOME or use the Dockerfile")

DEBUG = os.environ.get("VISION_OPS_DEBUG") == "1"

NVCC_FLAGS = [
    "-O0" if DEBUG else "-O3",
    "-lineinfo",
    "--use_fast_math",
    "-gencode=arch=compute_80,code=sm_80",
    "-gencode=arch=compute_86,code=sm_86",
    "-gencode=arch=compute_90,code=sm_90",
]

setup(
    name="vision-ops",
    version="0.15.0",
    packages=find_packages(include=["vision_ops", "vision_ops.*"]),
    ext_modules=[
        CUDAExtension(
            "vision_ops._C",
            sources=[
                "csrc/bindings.cpp",
                "csrc/activation.cu",
                "csrc/blend.cu",
                "csrc/color.cu",
                "csrc/normalize.cu",
                "csrc/reduce.cu",
            ],
            extra_compile_args={"cxx": ["-O3", "-std=c++17"], "nvcc": NVCC_FLAGS},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    install_requires=["torch>=2.6", "triton>=3.2"],
    python_requires=">=3.10",
)
