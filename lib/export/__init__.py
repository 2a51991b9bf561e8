"""A finished run as files: the recording as JSON, figures and deltas as tables. No page and no network."""
