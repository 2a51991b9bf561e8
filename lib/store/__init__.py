"""History: every run kept as it comes, on SQLite by default or PostgreSQL by URL. No page, no figures of its own."""
