"""Several trials of the same question: planned in random order, run one at a time per host, summed up honestly."""
