#!/bin/sh
set -eu
: "${MODEL:?MODEL must name a table of models.toml}"
. /usr/local/bin/nccl-env.sh
ulimit -l unlimited || echo "run-engine: no unlimited memlock, RDMA will be slow" >&2
exec python3 -m engine.main
