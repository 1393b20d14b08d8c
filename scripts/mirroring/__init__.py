"""Mirrors of the wire in other languages: a model read from `codeagent_lsp.protocol`, and one writer per language."""
