"""Reads, merges and expands the configuration; starts nothing."""
