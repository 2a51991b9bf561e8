"""The process that opens streams and stamps what arrives, and its client half for the app."""
