#!/bin/bash
# Thirty seconds of a running configuration under Nsight Systems; the report lands in /tmp.
set -eu
out="/tmp/engine-$(date +%Y%m%d-%H%M)"
. "$(dirname "$0")/nccl-env.sh"
nsys profile --trace=cuda,nvtx --duration=30 --output="$out" python3 -m engine.main
nsys stats "$out.nsys-rep" | head -60
