"""One server: its state, and the one task that owns its session."""
