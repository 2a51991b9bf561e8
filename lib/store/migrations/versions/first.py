"""The first schema: runs, lanes, tags, journal, recordings, and the search in each database's own way."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "first"
down_revision = None


def upgrade() -> None:
    """Make every table."""
    _make_run()
    _make_lane()
    op.create_table("tag", _of_run(), sa.Column("tag", sa.Text, primary_key=True))
    op.create_index("tag_named", "tag", ["tag", "run"])
    for table, place in (("journal", "batch"), ("recording", "lane")):
        op.create_table(
            table,
            _of_run(),
            sa.Column(place, sa.Integer, primary_key=True, autoincrement=False),
            sa.Column("rows", sa.LargeBinary, nullable=False),
        )
    _make_search()


def downgrade() -> None:
    """Drop every table."""
    for table in ("run_search", "recording", "journal", "tag", "lane", "run"):
        op.drop_table(table)


def _number() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _of_run() -> sa.Column[int]:
    owner = sa.ForeignKey("run.number", ondelete="CASCADE")
    return sa.Column("run", _number(), owner, primary_key=True, nullable=False)


def _make_run() -> None:
    op.create_table(
        "run",
        sa.Column("number", _number(), primary_key=True, autoincrement=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column("deleted_ms", sa.BigInteger),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        *(
            sa.Column(f"is_{origin}", sa.Boolean, nullable=False)
            for origin in ("live", "simulated", "recorded")
        ),
        sa.Column("prompt_digest", sa.Text, nullable=False),
        sa.Column("clock_health_ms", sa.Double),
        sa.Column("writer", sa.BigInteger),
        sa.Column("notes", sa.Text, nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("header", sa.LargeBinary, nullable=False),
    )
    op.create_index(
        "run_listed",
        "run",
        ["deleted_ms", "started_ms", "number", "status", "mode", "is_live", "is_simulated", "is_recorded",
         "prompt_digest"],
    )  # fmt: skip
    kept = sa.text("deleted_ms IS NULL")
    op.create_index("run_newest", "run", ["started_ms", "number"], sqlite_where=kept, postgresql_where=kept)
    running = sa.text("status = 'running'")
    op.create_index("run_running", "run", ["status"], sqlite_where=running, postgresql_where=running)


def _make_lane() -> None:
    figures = ("ttft_ms", "ttfat_ms", "whole_ms", "decode_tok_s", "e2e_tok_s", "normalised_e2e_tok_s")
    op.create_table(
        "lane",
        _of_run(),
        sa.Column("lane", sa.Integer, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.Text, nullable=False)
          for name in ("backend_id", "name", "model", "base_url", "origin", "status")),
        sa.Column("error_kind", sa.Text),
        *(sa.Column(name, sa.Double) for name in figures),
        sa.Column("output_tokens", sa.BigInteger),
        sa.Column("is_estimated", sa.Boolean),
        sa.Column("cost", sa.Text),
    )  # fmt: skip
    op.create_index("lane_named", "lane", ["name", "run"])


def _make_search() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE run_search USING fts5(body, tokenize = 'unicode61 remove_diacritics 0')"
        )
        return
    op.execute(
        "CREATE TABLE run_search (run BIGINT PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,"
        " body TSVECTOR NOT NULL)"
    )
    op.execute("CREATE INDEX run_search_words ON run_search USING gin (body)")
