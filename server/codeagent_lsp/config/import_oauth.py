"""The OAuth client of another tool's entry, in our words: the client is carried, the state of a sign-in never is."""

import re
from typing import Any, cast

from codeagent_lsp.config.foreign import texts
from codeagent_lsp.config.import_taken import Taken
from codeagent_lsp.config.templates import references
from codeagent_lsp.protocol.values import JsonObject

_STATE = frozenset(
    {
        *("clientInformation", "tokens", "codeVerifier", "discoveryState", "redirectUrl", "lastError"),
        *("lastAuthenticatedAt", "authorizationRequired", "accessToken", "access_token", "refreshToken"),
        *("refresh_token", "idToken", "id_token", "expiresAt", "expires_at", "state", "registration", "token"),
    }
)
_ID = ("clientId", "client_id", "CLIENT_ID")
_SECRET = ("clientSecret", "client_secret", "CLIENT_SECRET")
_SCOPES = ("scopes", "scope", "authScope")
_PORT = ("callbackPort", "oauthPort")


def take_oauth(taken: Taken) -> JsonObject:
    """Take every field that is about OAuth; the `oauth` of ours, empty where there is nothing to say."""
    found: JsonObject = {}
    for key in ("oauth", "oauthClient", "auth"):
        value = taken.peek(key)
        if isinstance(value, dict):
            taken.drop(key)
            _take(taken, key, cast(JsonObject, value), found)
        elif value is False:
            taken.drop(key)
            taken.note("signed in to by no OAuth elsewhere: here it is, if the server asks for it")
    top = {key: taken.first(key) for key in (*_ID, *_SECRET, "oauthPort", "authScope") if taken.peek(key) is not None}
    if top:
        _take(taken, "", top, found)
    return found


def _take(taken: Taken, key: str, fields: JsonObject, found: JsonObject) -> None:
    inner = fields.get("oauth")
    if isinstance(inner, dict):  # `auth.oauth`
        fields = {**fields, **cast(JsonObject, inner)}
        del fields["oauth"]
    if _STATE & set(fields):
        taken.note("was signed in to: that is not carried, you sign in again here")
    client_id, secret = _first(fields, _ID), _first(fields, _SECRET)
    if isinstance(client_id, str) and client_id:
        found.setdefault("clientId", client_id)
    if isinstance(secret, str) and secret:
        found.setdefault("clientSecret", _without_secret(taken, secret))
    scopes = _first(fields, _SCOPES)
    listed = scopes.split() if isinstance(scopes, str) else texts(scopes)
    if listed:
        found.setdefault("scopes", listed)
    port = _first(fields, _PORT)
    if isinstance(port, int) and not isinstance(port, bool) and 0 < port < 65536:
        found.setdefault("callbackPort", port)
    known = {*_ID, *_SECRET, *_SCOPES, *_PORT, *_STATE, "enabled", "type"}
    rest = [f"`{key}.{name}`" for name, value in fields.items() if name not in known and value not in (None, "", [])]
    if rest:
        taken.note(f"has {', '.join(rest)}, which has no counterpart here: not carried")


def _first(fields: JsonObject, keys: tuple[str, ...]) -> Any:
    return next((fields[key] for key in keys if fields.get(key) not in (None, "")), None)


def _without_secret(taken: Taken, secret: str) -> str:
    if references(secret) or re.search(r"\{env:|\$[A-Za-z_{]", secret):
        return secret
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", taken.name).strip("-") or "server"
    taken.note(f"had the secret of its OAuth client in plain text: you are asked for it (`${{input:{name}-secret}}`)")
    return f"${{input:{name}-secret}}"
