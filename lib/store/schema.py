"""The tables of the history. `lib/store/migrations` makes them; a test holds the two equal.

The recording is the truth; every figure beside it is there to be listed, filtered and verified. Texts that
come from outside are kept whole in `run.header` and `recording.rows`; the columns beside them serve search.
"""

from __future__ import annotations

import sqlalchemy as sa

METADATA = sa.MetaData()
SEARCH = "run_search"  # words by run; its own kind of table in each database (`lib/store/words.py`)
RUNNING = "running"  # of a run whose recording is still a journal
_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # SQLite numbers rows by INTEGER alone


def _of_run() -> sa.Column[int]:
    owner = sa.ForeignKey("run.number", ondelete="CASCADE")
    return sa.Column("run", _NUMBER, owner, primary_key=True, nullable=False)


RUN = sa.Table(
    "run",
    METADATA,
    sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("started_ms", sa.BigInteger, nullable=False),  # since 1970 UTC
    sa.Column("deleted_ms", sa.BigInteger),
    sa.Column("status", sa.Text, nullable=False),  # running, or the worst of its lanes
    sa.Column("mode", sa.Text, nullable=False),
    sa.Column("is_live", sa.Boolean, nullable=False),
    sa.Column("is_simulated", sa.Boolean, nullable=False),
    sa.Column("is_recorded", sa.Boolean, nullable=False),
    sa.Column("prompt_digest", sa.Text, nullable=False),
    sa.Column("clock_health_ms", sa.Double),
    sa.Column("writer", sa.BigInteger),  # who keeps it while it runs (`lib/store/presence.py`)
    sa.Column("notes", sa.Text, nullable=False),
    sa.Column("prompt", sa.Text, nullable=False),
    sa.Column("header", sa.LargeBinary, nullable=False),  # the run's document without events, compressed
    sa.Column("within", _NUMBER),  # of a round: the run that stands for its series
    sa.Column("round", sa.Integer),  # of a round: which, 0 is the warm-up
)
sa.Index(
    "run_listed",
    *(RUN.c[name] for name in ("deleted_ms", "started_ms", "number", "status", "mode", "is_live", "is_simulated",
                               "is_recorded", "prompt_digest", "within")),
)  # fmt: skip
_KEPT = sa.and_(RUN.c.deleted_ms.is_(None), RUN.c.within.is_(None))
sa.Index("run_newest", RUN.c.started_ms, RUN.c.number, sqlite_where=_KEPT, postgresql_where=_KEPT)
sa.Index("run_running", RUN.c.status, sqlite_where=RUN.c.status == RUNNING,
         postgresql_where=RUN.c.status == RUNNING)  # fmt: skip

_ROUND = RUN.c.within.is_not(None)
sa.Index("run_within", RUN.c.within, RUN.c.round, sqlite_where=_ROUND, postgresql_where=_ROUND)

SERIES = sa.Table(  # of a run that stands for a series of trials: it has no recording, its rounds are runs
    "series",
    METADATA,
    _of_run(),
    sa.Column("rounds", sa.Integer, nullable=False),  # as planned
    sa.Column("condition", sa.Text, nullable=False),
    sa.Column("has_warm_up", sa.Boolean, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("ended", sa.Text),  # why before its end; empty when the plan was carried out
)
LANE = sa.Table(
    "lane",
    METADATA,
    _of_run(),
    sa.Column("lane", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("backend_id", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("base_url", sa.Text, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("error_kind", sa.Text),
    sa.Column("ttft_ms", sa.Double),
    sa.Column("ttfat_ms", sa.Double),
    sa.Column("whole_ms", sa.Double),
    sa.Column("decode_tok_s", sa.Double),
    sa.Column("e2e_tok_s", sa.Double),
    sa.Column("normalised_e2e_tok_s", sa.Double),
    sa.Column("output_tokens", sa.BigInteger),
    sa.Column("is_estimated", sa.Boolean),  # the tokens were counted here, not reported
    sa.Column("cost", sa.Text),  # a decimal, in the currency of the backend's prices
)
sa.Index("lane_named", LANE.c.name, LANE.c.run)

TAG = sa.Table(
    "tag",
    METADATA,
    _of_run(),
    sa.Column("tag", sa.Text, primary_key=True),
)
sa.Index("tag_named", TAG.c.tag, TAG.c.run)

JOURNAL = sa.Table(  # of a run that has not ended: batches as the collector shipped them
    "journal",
    METADATA,
    _of_run(),
    sa.Column("batch", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("rows", sa.LargeBinary, nullable=False),
)
RECORDING = sa.Table(  # of a run that has ended: all rows of a lane, compressed
    "recording",
    METADATA,
    _of_run(),
    sa.Column("lane", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("rows", sa.LargeBinary, nullable=False),
)
