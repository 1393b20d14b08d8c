"""LSP features: plain values in, lsprotocol values out; nothing is fetched to answer.

Mentions. `documents.Documents` takes `didOpen`, `didChange` and `didClose` (synchronously, in order);
`index.MentionIndex` follows the catalogue: `index.refresh(view, changed_servers)` with an `index.CatalogView`, after
each change of a list or a state. Every function below takes a `Document` of an open document (`documents.get(uri)`; for
`None` the answer is `null`) and the index; mentions are cached per line, so none parses what has not changed.

    textDocument/completion              completion.complete; then, where completion.open_argument finds a variable,
                                         completion.with_values with operations' completeArgument (async)
    completionItem/resolve               completion.resolve
    textDocument/hover                   hover.hover
    textDocument/documentLink            links.document_links
    textDocument/definition              links.definition
    textDocument/references              references.references over all open documents
    textDocument/documentHighlight       references.highlights
    textDocument/prepareRename, rename   references.prepare_rename, rename_server (the config file's edit: the caller)
    publishDiagnostics, diagnostic       mention_diagnostics.mention_diagnostics, after didOpen, didChange, refresh
    textDocument/codeAction, resolve     mention_actions.code_actions, resolve_action (async, reads the resource)
    textDocument/codeLens                mention_lenses.mention_lenses
    textDocument/semanticTokens          semantic_tokens.full_tokens, range_tokens, token_edits; LEGEND
    workspace/textDocumentContent        content.document_content of what was read for the document's URI
    codeagent.resolveMentions            resolving.resolve_mentions (async), on resolving.text_document for a bare text
    codeagent.openResource               the command behind lenses and actions: {server, uri}, shows the document
    codeagent.copyExpanded               of a client that names it: resolving.expanded_text (async)

Trigger characters: completion.TRIGGER_CHARACTERS. A client's wishes come in as flags: `markdown` where it prefers
Markdown to plain text, `link_support`, `resolves_edits`, `only`, `client_commands`.
"""
