#!/bin/sh
# Tries block sizes and prints the time of the tests for each; the winners go into src/tuning.h by hand.
# usage: scripts/sweep.sh CUDA|HIP
set -eu
backend="$1"
for block in 128 256 512; do
  sed "s/kReduceBlock = [0-9]*/kReduceBlock = $block/" src/tuning.h > src/tuning.h.new
  cp src/tuning.h src/tuning.h.old
  mv src/tuning.h.new src/tuning.h
  cmake -S . -B "build-$backend" -DFIELDKIT_BACKEND="$backend" > /dev/null
  cmake --build "build-$backend" > /dev/null
  mv src/tuning.h.old src/tuning.h
  start=$(date +%s%N)
  "build-$backend/fieldkit_tests" > /dev/null
  echo "$block $(( ($(date +%s%N) - start) / 1000000 )) ms"
done
