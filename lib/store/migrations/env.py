"""Run by Alembic: migrates over the connection it is given, inside that connection's transaction."""

from __future__ import annotations

from alembic import context

from lib.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"], target_metadata=METADATA, transactional_ddl=True
)
context.run_migrations()
