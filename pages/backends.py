"""Backends: what can be raced, what is added, and whether it works before the show."""

from __future__ import annotations

from lib.ui.backend_form import show_form
from lib.ui.backend_list import show_built_in, show_configured
from lib.ui.local_models import show_local_models
from lib.ui.titles import show_title

show_title("Backends", "What can be raced here, and whether it works. Try it before the show.")
show_configured()
show_form()
show_local_models()
show_built_in()
