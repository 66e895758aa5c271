#!/usr/bin/env bash
# two_namespaces.sh COMMAND...: runs it by mpirun as four ranks, two in each of two network namespaces that
# reach each other over a pair of virtual interfaces, as two hosts do. Ends with 77 where the host does not allow it.
set -u
a=davsim-a-$$ b=davsim-b-$$
folder=$(mktemp -d)
cleanup() {
  ip netns del "$a" 2>/dev/null
  ip netns del "$b" 2>/dev/null
  rm -rf "$folder"
}
trap cleanup EXIT
{ ip netns add "$a" && ip netns add "$b" && unshare --uts true &&
  ip link add v0 netns "$a" type veth peer name v0 netns "$b" &&
  ip -n "$a" addr add 10.99.0.1/24 dev v0 && ip -n "$b" addr add 10.99.0.2/24 dev v0 &&
  ip -n "$a" link set lo up && ip -n "$a" link set v0 up &&
  ip -n "$b" link set lo up && ip -n "$b" link set v0 up; } 2>/dev/null || exit 77

# mpirun calls this instead of ssh: HOST COMMAND...
cat >"$folder/agent" <<TEXT
#!/bin/bash
shift
exec unshare --uts ip netns exec $b bash -c "hostname davsim-b; \$*"
TEXT
chmod +x "$folder/agent"
net=10.99.0.0/24
unshare --uts ip netns exec "$a" bash -c 'hostname davsim-a; exec "$@"' bash \
  mpirun --enable-recovery --mca plm_rsh_agent "$folder/agent" --mca btl tcp,self \
  --mca btl_tcp_if_include "$net" --mca oob_tcp_if_include "$net" --host davsim-a:2,10.99.0.2:2 -n 4 \
  --wdir "$PWD" "$@"
