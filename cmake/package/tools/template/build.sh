#!/bin/bash
# Builds the operators and packs them: build_out/custom_opp_<system>_<processor>.run.
set -e
cd "$(dirname "$(realpath "$0")")"
mkdir -p build_out
rm -rf build_out/*
cmake -S . -B build_out --preset=default
cmake --build build_out --target binary -j"$(nproc)"
cmake --build build_out --target "${1:-package}" -j"$(nproc)"
