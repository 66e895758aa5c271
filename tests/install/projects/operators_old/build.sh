#!/bin/bash
# Builds the package as scripts of such projects do.
set -e
cd "$(dirname "$(realpath "$0")")"
mkdir -p build_out
rm -rf build_out/*
cmake -S . -B build_out --preset=default
cmake --build build_out --target binary -j2
cmake --build build_out --target package -j2
