# ./dev pictures, which sources this file: draws the timelines of the pages in this folder again.

pictures() {
  build release davsim davsim_timeline
  mkdir -p build/pictures
  local operator example
  while read -r operator example; do
    build/bin/davsim run "$operator" --case "$example" --soc Ascend910B3 --no-check --quiet \
      --trace build/pictures/trace.json
    build/bin/davsim_timeline build/pictures/trace.json --title "$operator, $example" \
      --label query_norm.h='norm of the query' --label latent.h='key to its caches' \
      --label index_key.h="indexer's key" --label query_split.h='queries' \
      --label index_query.h="indexer's queries" --label index_quant.h="indexer's quantisation" \
      >"docs/operators/$operator.svg"
  done <<'EOF'
fused_infer_attention_score_v2 FIA-12
kv_rmsnorm_rope_cache KVR-5
lightning_indexer_prolog_quant IPQ-7
matmul MM-1024
mla_indexer_prolog_quant MIP-3
mla_prolog_quant MPQ-3
paged_attention PA-2
rope_quant_kvcache RQK-3
sparse_flash_attention_quant SFA-7
EOF
  # Operators of several dies: a page has one picture of its family.
  local page system
  while read -r page system operator example; do
    # The ranks begin together: what they do and not how long they wait is to be seen.
    printf 'include = %s.ini\n[Launch]\nspread = 0 us | assumed: a picture\n' "$system" \
      >"build/pictures/$system.ini"
    build/bin/davsim run-system "build/pictures/$system.ini" "$operator" --case "$example" --no-check \
      --trace build/pictures/trace.json >build/pictures/figures.txt
    build/bin/davsim_timeline build/pictures/trace.json --title "$operator, $example" \
      >"docs/operators/$page.svg"
  done <<'EOF'
matmul_collective ascend_910c npu_all_gather_base_mm AGM-1
moe_distribute atlas_a3_server npu_moe_distribute_dispatch_v2 MDD2-1
EOF
}
