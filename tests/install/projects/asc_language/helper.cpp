int helper() { return VALUE; }
