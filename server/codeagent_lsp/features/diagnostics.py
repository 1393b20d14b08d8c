"""The problems of the config files, as LSP diagnostics."""

from lsprotocol import types

from codeagent_lsp.config.document import Encoding
from codeagent_lsp.config.files import ReadFile
from codeagent_lsp.protocol.values import Severity

SOURCE = "codeagent"

SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def config_diagnostics(file: ReadFile, encoding: Encoding) -> list[types.Diagnostic]:
    """One diagnostic for each problem of a config file, in the encoding that was negotiated for positions."""
    found: list[types.Diagnostic] = []
    for problem in file.problems:
        where = file.range(problem, encoding)
        found.append(
            types.Diagnostic(
                range=types.Range(
                    types.Position(where.start.line, where.start.character),
                    types.Position(where.end.line, where.end.character),
                ),
                message=problem.message,
                severity=SEVERITIES[problem.severity],
                source=SOURCE,
            )
        )
    return found
