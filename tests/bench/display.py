"""How old the newest word on the screen is: samples of a page against what the server sent. Pure.

Age = moment after the paint minus the moment the server sent the last token that is wholly visible in the
lane, as long as something of the lane is not visible yet. It contains the network, the collector, the
batches, the playout delay and the drawing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from tests.bench.browser import Sample
from tests.bench.truth import Sent
from tests.bench.truth_content import letters_before


def ages_ms(
    samples: Iterable[Sample], lanes: Sequence[Sent], tokens: tuple[int, int] | None = None
) -> list[float]:
    """The ages in all samples that show a part of their lane; optionally only between two token numbers."""
    first, last = tokens or (1, max(len(lane.sends_ns) for lane in lanes))
    letters = letters_before(last)
    found = []
    for sample in samples:
        sends = lanes[sample.lane].sends_ns
        shown = bisect_right(letters, sample.letters) - 1
        if first <= shown < min(last, len(sends)):
            found.append((sample.at_ns - sends[shown - 1]) / 1e6)
    return found
