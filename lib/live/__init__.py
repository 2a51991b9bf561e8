"""Runs in progress in the app process: what viewers follow, and the routes they follow it on."""
