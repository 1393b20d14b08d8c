"""The language features at work: open documents, the index of what can be mentioned, and the answers to the editor."""
