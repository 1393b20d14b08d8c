"""May this server start, may this call run."""
