"""Errors as the editor is told them: a code, a clean message, and data; never a traceback or a secret."""

import logging
import re
from typing import Any

from pygls.exceptions import JsonRpcException

from codeagent_lsp.errors import HostError

log = logging.getLogger(__name__)

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
CANCELLED = -32800


def told(error: BaseException, method: str = "") -> tuple[int, str, Any]:
    """Code, message and data for an error that a handler raised; an unforeseen one goes to the log alone."""
    if isinstance(error, HostError):
        return error.code, error.text(), error.data()
    if isinstance(error, JsonRpcException):
        return error.code, error.message, None
    log.error("`%s` failed", method, exc_info=error)
    return INTERNAL_ERROR, f"codeagent-lsp failed on `{method}`: its log (standard error) says why.", None


def first_problem(error: Exception) -> str:
    """What cattrs did not like, with the field as it is written in JSON."""
    from cattrs import transform_error

    try:
        text = transform_error(error)[0]
    except Exception:  # noqa: BLE001 - an error that cattrs itself cannot describe
        return "they have another shape"
    text = text.replace("$.params.", "").replace("$.params", "params")
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), text)
