int helper() {
  return VALUE;
}
