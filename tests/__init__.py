"""What must hold; each test says it in its name. `make test` runs them all."""
