"""Every figure of the product, computed from a recording and nothing else (docs/metrics.md lists them)."""
