"""The charts of a result as Vega-Lite specifications, for the page and for every export alike; draws no page."""
