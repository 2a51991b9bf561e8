"""Every figure of the product, computed from a recording and from nothing else (docs/metrics.md lists them)."""
