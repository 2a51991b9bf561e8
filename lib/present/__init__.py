"""A show for a room: acts, what is on stage, blind names, ghosts, and the link to a race. Pure values, no page."""
