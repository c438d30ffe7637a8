#!/bin/bash
# Run on a new node before it joins the cluster.
set -euo pipefail

want_driver=570
want_gpus=8

driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)
if [ "${driver%%.*}" -lt "$want_driver" ]; then
  echo "driver $driver is older than $want_driver" >&2
  exit 1
fi

gpus=$(nvidia-smi -L | wc -l)
[ "$gpus" -eq "$want_gpus" ] || { echo "$gpus GPUs, $want_gpus expected" >&2; exit 1; }

if nvidia-smi nvlink --status | grep -qi inactive; then
  echo "an NVLink is down" >&2
  exit 1
fi
lsmod | grep -q nvidia_peermem || modprobe nvidia_peermem
dcgmi diag -r 2
nvidia-smi -pm 1
df -h /var/lib/containerd | tail -1
echo "node is fine"
