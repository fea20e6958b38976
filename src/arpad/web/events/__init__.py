"""Events: crosstable, performances, norms, fit, and what an administrator can do about it."""
