"""The values everything else speaks about; no I/O, no clock, no third-party import but orjson."""
