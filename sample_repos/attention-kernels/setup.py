"""Builds attention_kernels._C. AK_ARCHS narrows the list of targets, as in AK_ARCHS="86"."""

import os

from setuptools import find_packages, setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

ARCHS = os.environ.get("AK_ARCHS", "80;86;90a").split(";")

nvcc_flags = [
    "-O3",
    "-std=c++17",
    "--use_fast_math",
    "--expt-relaxed-constexpr",
    "-Xptxas=-v",
    "-lineinfo",
]
for arch in ARCHS:
    nvcc_flags.append(f"-gencode=arch=compute_{arch},code=sm_{arch}")

sources = [
    "csrc/bindings.cpp",
    "csrc/flash_fwd.cu",
    "csrc/decode_split.cu",
    "csrc/rmsnorm.cu",
]
macros = []
if any(arch.startswith("90") for arch in ARCHS):
    sources.append("csrc/gather_sm90.cu")
    macros.append(("AK_WITH_SM90", "1"))

setup(
    packages=find_packages(include=["attention_kernels*"]),
    ext_modules=[
        CUDAExtension(
            name="attention_kernels._C",
            sources=sources,
            include_dirs=["csrc"],
            define_macros=macros,
            extra_compile_args={"cxx": ["-O3", "-std=c++17"], "nvcc": nvcc_flags},
        )
    ],
    cmdclass={"build_ext": BuildExtension.with_options(use_ninja=True)},
)
