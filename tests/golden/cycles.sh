#!/usr/bin/env bash
# Whole-kernel cycle counts of this version: cycles.csv holds a few, this runs their cases.
#   cycles.sh check DAVSIM [uncounted]   says what is not as the file says it; fails if anything is not
#   cycles.sh write DAVSIM               writes the file anew; `./dev golden` calls it
# The file has the cycles of each case with its scalar work and without. `uncounted` is for builds
# without the compiler plugin: their kernels have no scalar work.
set -euo pipefail
mode=${1:?check or write} davsim=${2:?the davsim command} counted=${3:-counted}
file=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/cycles.csv

# Core cycles of a case, of all its launches together.
cycles_of() { # OPERATOR CASE SOC [OPTIONS]
  "$davsim" run "$1" --case "$2" --soc "$3" --no-check "${@:4}" |
    awk '/^[0-9]+ cycles at / { sum += $1 } END { print sum + 0 }'
}

new=$(mktemp)
trap 'rm -f "$new"' EXIT
changed=0 rows=0
{
  read -r header
  echo "$header" >>"$new"
  while IFS=, read -r operator case soc expected expected_without; do
    without=$(cycles_of "$operator" "$case" "$soc" --set scalar.work=0 </dev/null)
    cycles=$expected
    [[ $counted == uncounted ]] || cycles=$(cycles_of "$operator" "$case" "$soc" </dev/null)
    echo "$operator,$case,$soc,$cycles,$without" >>"$new"
    rows=$((rows + 1))
    if [[ $cycles,$without != "$expected,$expected_without" ]]; then
      changed=$((changed + 1))
      echo "$operator $case on $soc: $expected -> $cycles cycles," \
        "without scalar work $expected_without -> $without"
    fi
  done
} <"$file"

if ((rows == 0)); then
  echo "$file has no rows" >&2
  exit 1
fi
if ((changed == 0)); then
  echo "$rows cases take the cycles of $(basename "$file")"
elif [[ $mode == write ]]; then
  cat "$new" >"$file"
  echo "$changed of $rows written to tests/golden/cycles.csv"
else
  echo "$changed of $rows differ. If they are meant to, './dev golden' writes tests/golden/cycles.csv anew."
  exit 1
fi
