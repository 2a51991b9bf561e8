"""Agent loops, traces and prompt sets: the whole of a task, of which output speed is one part."""
