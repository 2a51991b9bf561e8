"""What can be raced: configured backends with their keys, and the ones this machine offers."""
