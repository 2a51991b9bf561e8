"""The race: one prompt, several backends, live beside a person reading."""

from __future__ import annotations

from lib.ui import race_setup
from lib.ui.downloads import show_downloads
from lib.ui.race_controls import show_controls
from lib.ui.results import show_results
from lib.ui.share import show_link
from lib.ui.stage import seen, show_stage

live = race_setup.current()
show_controls(running=live is not None and not live.ended)
show_stage(
    live.run if live else None,
    race_setup.backends(),
    race_setup.reader_for_player(),
    on_command=race_setup.obey,
)
if live and live.ended:
    run = seen(live.recorded())
    show_results(run, race_setup.reading_speed())
    show_downloads(run, race_setup.reading_speed())
    show_link(run)
