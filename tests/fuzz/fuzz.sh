# ./dev fuzz, which sources this file: feeds mutated inputs, random calls and random kernels.

# Random calls and random kernels, seed after seed, until the time is up.
fuzz_generator() { # SUITE SECONDS SEED
  local seed=$3 step=20 end=$((SECONDS + $2))
  while ((SECONDS < end)); do
    DAVSIM_FUZZ_SEED=$seed DAVSIM_FUZZ_COUNT=$step build/bin/davsim_fuzz_tests \
      --gtest_filter="$1.*" --gtest_brief=1 || fail "fuzz: $1, seeds $seed to $((seed + step - 1))"
    seed=$((seed + step))
  done
  echo "fuzz: $1: seeds $3 to $((seed - 1)), nothing found"
}

fuzz() { # [TARGET] [--minutes N] [--seed N]
  local targets=(safetensors json ini settings system trace source command calls kernels) minutes=1 seed=1 target
  while (($#)); do
    case $1 in
      --minutes) minutes=${2:-} && shift ;;
      --seed) seed=${2:-} && shift ;;
      -*) fail "fuzz: unknown argument $1" ;;
      *)
        [[ " ${targets[*]} " == *" $1 "* ]] || fail "fuzz: there is no target $1; there are ${targets[*]}"
        targets=("$1")
        ;;
    esac
    shift
  done
  [[ $minutes =~ ^[1-9][0-9]*$ && $seed =~ ^[0-9]+$ ]] || fail "fuzz: --minutes takes a number from 1, --seed one from 0"
  for target in "${targets[@]}"; do
    case $target in
      command)
        build release davsim
        python3 tests/fuzz/command_line.py build/bin/davsim --count $((minutes * 400)) --seed "$seed" ||
          fail "fuzz: command"
        ;;
      calls | kernels)
        build release davsim_fuzz_tests
        fuzz_generator "Fuzz${target^}" $((minutes * 60)) "$seed"
        ;;
      *)
        need clang libclang-rt-14-dev "${build_packages[@]}"
        cmake -S tests/fuzz/program -B build-fuzz -G Ninja -D CMAKE_CXX_COMPILER=clang++ \
          --log-level=WARNING >/dev/null
        cmake --build build-fuzz
        mkdir -p "build-fuzz/corpus/$target" build-fuzz/found
        # What is found stays in build-fuzz/found, and belongs into tests/fuzz/corpus with its cure.
        DAVSIM_FUZZ_TARGET=$target build-fuzz/davsim_fuzz "build-fuzz/corpus/$target" \
          "tests/fuzz/corpus/$target" -max_total_time=$((minutes * 60)) -seed="$seed" -timeout=10 \
          -rss_limit_mb=2048 -max_len=65536 -artifact_prefix="build-fuzz/found/$target-" \
          -print_final_stats=1
        ;;
    esac
  done
}
