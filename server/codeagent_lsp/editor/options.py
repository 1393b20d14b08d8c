"""What a client says at `initialize`: which questions it can ask its user, what is trusted, variables, settings."""

from typing import Any, cast

from attrs import field, frozen

from codeagent_lsp.protocol import QUESTIONS, JsonObject


@frozen
class ClientOptions:
    """`initializationOptions`, as far as they have the right types.

    `features` are the questions that may be sent, `named` is everything that `clientFeatures` names.
    `workspace_trust` is true or false for all folders, or says it by folder URI; a folder that is not named is
    untrusted.
    """

    features: frozenset[str] = frozenset()
    workspace_trust: bool | dict[str, bool] = False
    variables: dict[str, str] = field(factory=dict[str, str])
    settings: JsonObject = field(factory=dict[str, Any])
    named: frozenset[str] = frozenset()


def read_options(raw: object) -> ClientOptions:
    """Read what a client sent. Never raises: what has another type is as good as absent."""
    given = _object(raw)
    names = given.get("clientFeatures")
    known = {question.feature for question in QUESTIONS.values()}
    features = [item for item in cast(list[object], names) if isinstance(item, str)] if isinstance(names, list) else []
    return ClientOptions(
        features=frozenset(features) & frozenset(filter(None, known)),
        named=frozenset(features),
        workspace_trust=read_trust(given.get("workspaceTrust")),
        variables={key: value for key, value in _object(given.get("variables")).items() if isinstance(value, str)},
        settings=_object(given.get("settings")),
    )


def read_trust(raw: object) -> bool | dict[str, bool]:
    """Trust as a client says it. Only real booleans count: `1`, `"true"` and `null` are no."""
    if isinstance(raw, dict):
        return {key: value for key, value in cast(dict[str, object], raw).items() if isinstance(value, bool)}
    return raw is True


def _object(value: object) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
