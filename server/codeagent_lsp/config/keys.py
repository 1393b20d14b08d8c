"""The keys of a server entry: ours, other tools' with what ours is, and those that only a user file may set."""

import difflib
import re
from collections.abc import Iterable
from typing import Literal

Use = Literal["any", "stdio", "remote"]

KEYS: dict[str, Use] = {
    "type": "any",
    "command": "stdio",
    "args": "stdio",
    "env": "stdio",
    "cwd": "stdio",
    "envFile": "stdio",
    "inheritEnv": "stdio",
    "url": "remote",
    "headers": "remote",
    "oauth": "remote",
    "disabled": "any",
    "autostart": "any",
    "startTimeout": "any",
    "timeout": "any",
    "includeTools": "any",
    "excludeTools": "any",
    "trustAnnotations": "any",
    "autoApprove": "any",
    "protocol": "any",
}
"""Every key of an entry, and for which transports it means something."""

OAUTH_KEYS = ("clientId", "clientSecret", "scopes", "callbackPort")

USER_ONLY = frozenset({"trustAnnotations", "autoApprove"})

TYPES: dict[str, str] = {
    "stdio": "stdio",
    "http": "http",
    "sse": "sse",
    "local": "stdio",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
    "remote": "http",
}
"""Every value of `type` that is read; those that are not their own value are other tools' words."""

_FOREIGN: dict[str, str] = {
    "environment": "`env`",
    "envs": "`env`",
    "envVars": "`env`",
    "variables": "`env`",
    "env_file": "`envFile`",
    "transport": "`type`, with `url`, `command` and the rest beside it",
    "transportType": "`type`",
    "kind": "`type`",
    "serverUrl": "`url`",
    "httpUrl": '`url`, with `"type": "http"`',
    "sseUrl": '`url`, with `"type": "sse"`',
    "endpoint": "`url`",
    "uri": "`url`",
    "baseUrl": "`url`",
    "cmd": "`command`",
    "executable": "`command`",
    "program": "`command`",
    "path": "`command`",
    "arguments": "`args`",
    "argv": "`args`",
    "workingDirectory": "`cwd`",
    "working_directory": "`cwd`",
    "workdir": "`cwd`",
    "dir": "`cwd`",
    "httpHeaders": "`headers`",
    "http_headers": "`headers`",
    "requestInit": "`headers`",
    "requestOptions": "`headers`",
    "requestHeaders": "`headers`",
    "apiKey": '`headers`, such as `"Authorization": "Bearer ${TOKEN}"`',
    "bearerToken": '`headers`, such as `"Authorization": "Bearer ${TOKEN}"`',
    "bearer_token_env_var": '`headers`, such as `"Authorization": "Bearer ${TOKEN}"`',
    "auth": "`oauth` or `headers`",
    "oauthClient": "`oauth`",
    "clientId": "`oauth.clientId`",
    "clientSecret": "`oauth.clientSecret`",
    "oauthPort": "`oauth.callbackPort`",
    "authScope": "`oauth.scopes`",
    "alwaysAllow": "`autoApprove`",
    "always_allow": "`autoApprove`",
    "auto_approve": "`autoApprove`",
    "trust": "`trustAnnotations` or `autoApprove`",
    "permissions": "`autoApprove` and `excludeTools`",
    "enabled": "`disabled`",
    "disable": "`disabled`",
    "isActive": "`disabled`",
    "tools": "`includeTools`",
    "enabledTools": "`includeTools`",
    "enabled_tools": "`includeTools`",
    "allowedTools": "`includeTools`",
    "toolFilter": "`includeTools` and `excludeTools`",
    "disabledTools": "`excludeTools`",
    "disabled_tools": "`excludeTools`",
    "excludedTools": "`excludeTools`",
    "startupTimeout": "`startTimeout`",
    "startup_timeout_sec": "`startTimeout`, in milliseconds",
    "startup_timeout_ms": "`startTimeout`",
    "initTimeout": "`startTimeout`",
    "connectionTimeout": "`startTimeout`",
    "requestTimeout": "`timeout`",
    "request_timeout_ms": "`timeout`",
    "toolTimeout": "`timeout`",
    "tool_timeout_sec": "`timeout`, in milliseconds",
    "protocolEra": "`protocol`",
    "protocolVersion": "`protocol`",
    "autoStart": "`autostart`",
    "lazy": '`"autostart": "onDemand"`',
    "alwaysLoad": "`autostart`",
}

_POWERS = re.compile(
    r"trust.*|always_?allow|auto_?approve|permissions?|approv.*|.*proxy|.*(?:cert|certs|certificate|certificates)"
    r"|(?:client|tls|ssl|ca|key|cert).?(?:file|path|key|bundle|cert)|ca|tls|ssl|insecure|verify|verify_?(?:tls|ssl)"
    r"|reject_?unauthorized|(?:log|state|store|storage|cache|data|config).?(?:file|path|dir|folder|home)|storage"
    r"|sandbox.*|capabilities|headers_?helper|auth_?helper|token_?command|inherit_?all.*",
    re.IGNORECASE,
)


def is_power(key: str) -> bool:
    """Whether a key would loosen what guards the user (approval, storage, proxies, certificates): user files only."""
    return key in USER_ONLY or (key not in KEYS and _POWERS.fullmatch(key) is not None)


def is_remark(key: str) -> bool:
    """Whether a key is a remark in a file of a person who does without comments."""
    return key.startswith(("//", "$comment", "_comment")) or key == "#"


def about_unknown(key: str) -> str:
    """What to say of a key that is not ours: which of ours is meant."""
    if key in _FOREIGN:
        return f"`{key}` is another tool's key and has no effect: ours is {_FOREIGN[key]}"
    near = nearest(key, KEYS)
    return f"`{key}` is not known and has no effect" + (f": did you mean `{near}`?" if near else "")


def foreign_key_for(keys: set[str], ours: str) -> str | None:
    """The first of `keys` that is another tool's name for our key `ours`."""
    return next((key for key in sorted(keys) if _FOREIGN.get(key, "").startswith(f"`{ours}`")), None)


def nearest(key: str, known: Iterable[str]) -> str | None:
    """The known key that looks most like `key`, or `None` if none does."""
    folded = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(key.casefold().replace("_", ""), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None
