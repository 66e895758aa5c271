# ./dev package, which sources this file: makes the Debian packages and tries what they install.

package() {
  need dpkg-dev
  build release "${installed_targets[@]}"
  rm -f build/davsim_*.deb build/python3-davsim_*.deb build/davsim-mpi_*.deb
  (cd build && cpack -G DEB)
  # Unpacked elsewhere, it must work without the source tree and the build folder.
  local work=$PWD/build/package part
  rm -rf "$work"
  mkdir -p "$work"
  dpkg-deb -x build/davsim_*.deb "$work/root"
  dpkg-deb -x build/python3-davsim_*.deb "$work/root"
  if dpkg-deb -f build/davsim_*.deb Depends | grep -q mpi; then
    fail "the package davsim depends on MPI, which is davsim-mpi's"
  fi
  if compgen -G 'build/davsim-mpi_*.deb' >/dev/null; then
    # Without it a launcher of MPI is told what is missing; with it two processes work together.
    local call="run-system ascend_910c --op all-reduce --bytes 64KiB"
    if PMI_RANK=0 "$work/root/usr/bin/davsim" $call 2>/dev/null; then
      fail "davsim deals dies to processes without davsim-mpi"
    fi
    dpkg-deb -x build/davsim-mpi_*.deb "$work/root"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
      mpirun --oversubscribe -n 2 "$work/root/usr/bin/davsim" $call
    echo "package: davsim-mpi works"
  fi
  for part in davsim_cc find_package find_operators operators_new operators_old ascendc_library \
    cpu_twin asc_language as_compiler; do
    cmake -D PART="$part" -D PREFIX="$work/root/usr" -D WORK_DIR="$work" -D BUILD_DIR="$PWD/build" \
      -D SOURCE_DIR="$PWD" -D CXX=g++ -D GENERATOR=Ninja -P tests/install/install_test.cmake
    echo "package: $part works"
  done
  if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    PYTHONPATH=$work/root/usr/lib/python3/dist-packages /usr/bin/python3 -c '
import davsim, numpy as np
a = np.ones((32, 32), np.float16)
assert (davsim.run("matmul", a=a, b=a)["c"] == 32).all()'
    echo "package: python3-davsim works"
  fi
  dpkg-deb --info build/davsim_*.deb
  dpkg-deb --info build/python3-davsim_*.deb
  if compgen -G 'build/davsim-mpi_*.deb' >/dev/null; then dpkg-deb --info build/davsim-mpi_*.deb; fi
}
