#!/usr/bin/env bash
# An operator package: installs vendors/<vendor> into a folder. The archive follows this script.
set -euo pipefail

usage() {
  cat <<TEXT
usage: $0 [--install-path=FOLDER] [--quiet]
       $0 --extract=FOLDER

Installs the operators into FOLDER/vendors, by default that of the variable ASCEND_OPP_PATH, or
unpacks them only, into FOLDER/packages/vendors. Other options of such packages are accepted and
change nothing.
TEXT
}

target=${ASCEND_OPP_PATH:-}
quiet=
extract=
while (($#)); do
  case $1 in
    --install-path=*) target=${1#*=} ;;
    --install-path)
      target=${2:?--install-path needs a folder}
      shift
      ;;
    --quiet | -q) quiet=1 ;;
    --extract=*) extract=${1#*=} ;;
    --install | --full | --run | --devel | --upgrade | --install-for-all | --force | --) ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      echo "$0: unknown option $1" >&2
      usage >&2
      exit 2
      ;;
  esac
  shift
done
first=$(awk '/^__ARCHIVE__$/ { print NR + 1; exit }' "$0")
if [[ -n $extract ]]; then
  mkdir -p "$extract/packages"
  tail -n "+$first" "$0" | tar xz -C "$extract/packages"
  exit 0
fi
if [[ -z $target ]]; then
  echo "$0: no folder to install into: set ASCEND_OPP_PATH or give --install-path=FOLDER" >&2
  exit 1
fi
mkdir -p "$target"
target=$(cd "$target" && pwd)
list=$(tail -n "+$first" "$0" | tar tz)
tail -n "+$first" "$0" | tar xz -C "$target"
for vendor in $(sed -n 's|^vendors/\([^/]*\)/.*|\1|p' <<<"$list" | sort -u); do
  folder=$target/vendors/$vendor
  mkdir -p "$folder/bin"
  cat >"$folder/bin/set_env.bash" <<TEXT
export ASCEND_CUSTOM_OPP_PATH=$folder\${ASCEND_CUSTOM_OPP_PATH:+:\$ASCEND_CUSTOM_OPP_PATH}
export LD_LIBRARY_PATH=$folder/op_api/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
TEXT
  [[ -n $quiet ]] || echo "installed $folder; its libraries are found after: source $folder/bin/set_env.bash"
done
exit 0
__ARCHIVE__
