"""Series of trials: a run that stands for them in lists, and the runs of its rounds, which lists leave out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "series"
down_revision = "first"
_LISTED = ["deleted_ms", "started_ms", "number", "status", "mode", "is_live", "is_simulated", "is_recorded",
           "prompt_digest"]  # fmt: skip


def upgrade() -> None:
    """Add what a series needs."""
    number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.add_column("run", sa.Column("within", number))
    op.add_column("run", sa.Column("round", sa.Integer))
    owner = sa.ForeignKey("run.number", ondelete="CASCADE")
    op.create_table(
        "series",
        sa.Column("run", number, owner, primary_key=True, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("has_warm_up", sa.Boolean, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("ended", sa.Text),
    )
    within = sa.text("within IS NOT NULL")
    op.create_index("run_within", "run", ["within", "round"], sqlite_where=within, postgresql_where=within)
    _make_list_indexes([*_LISTED, "within"], "deleted_ms IS NULL AND within IS NULL")


def downgrade() -> None:
    """Take it away; the rounds become runs of their own."""
    _make_list_indexes(_LISTED, "deleted_ms IS NULL")
    op.drop_index("run_within", "run")
    op.drop_table("series")
    for name in ("within", "round"):
        op.drop_column("run", name)


def _make_list_indexes(listed: list[str], newest: str) -> None:
    op.drop_index("run_listed", "run")
    op.create_index("run_listed", "run", listed)
    op.drop_index("run_newest", "run")
    shown = sa.text(newest)
    op.create_index("run_newest", "run", ["started_ms", "number"], sqlite_where=shown, postgresql_where=shown)
