#!/bin/sh
# Counters of the prefill kernel: tensor pipe, shared memory conflicts, occupancy limits.
set -eu
out="${1:-flash_fwd}"
ncu --set full --kernel-name regex:flash_fwd_kernel --launch-skip 3 --launch-count 1 \
    -o "$out" python benchmarks/bench_prefill.py
ncu --import "$out.ncu-rep" --page details --print-summary per-kernel
