"""LSP features: plain values in, lsprotocol values out."""
