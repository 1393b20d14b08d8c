"""Resource templates (RFC 6570) while someone types: what a text fills in, what is still open, what a value makes.

Templates come from servers: reading one is linear, and a template that is malformed, longer than 2,048 code points or
has more than 32 expressions is left as plain text with nothing to fill in.
"""

import re

from attrs import frozen

from codeagent_lsp.catalog.templates import expand
from codeagent_lsp.features.spelling import normal

_MAX_LENGTH, _MAX_EXPRESSIONS = 2048, 32
_NAME = r"((?:[A-Za-z0-9_.-]|%[0-9A-Fa-f]{2})+)(?:\*|:[1-9][0-9]{0,3})?"
_EXPRESSION = re.compile(rf"([+#./;?&]?)({_NAME}(?:,{_NAME})*)")
_VARIABLE = re.compile(_NAME)


@frozen
class Expression:
    """One `{…}`: its operator, or "", and the names of its variables."""

    text: str
    operator: str
    names: tuple[str, ...]


@frozen
class Template:
    """A template as literals and expressions in turn: `literals` has one element more than `expressions`."""

    text: str
    literals: tuple[str, ...]
    expressions: tuple[Expression, ...]

    def produces(self, uri: str) -> bool:
        """Whether `uri` may come from this template: its literals stand in it, in order. Generous on purpose."""
        first, *rest = map(normal, self.literals)
        text = normal(uri)
        if not text.startswith(first):
            return False
        at = len(first)
        for number, literal in enumerate(rest, 1):
            if number == len(rest):
                return text.endswith(literal) and len(text) - len(literal) >= at
            at = text.find(literal, at)
            if at < 0:
                return False
            at += len(literal)
        return len(text) == at


@frozen
class Typing:
    """The variable that is being typed: what stands before its expression, the value so far, and the others' values."""

    template: Template
    number: int
    before: str
    value: str
    context: dict[str, str]

    @property
    def name(self) -> str:
        """The variable's name."""
        return self.template.expressions[self.number].names[0]

    def filled(self, value: str) -> str | None:
        """The URI so far with `value` in place, expanded as RFC 6570 says, and the rest of the template behind it.

        `None` for a value that cannot be expanded.
        """
        expressions, literals = self.template.expressions, self.template.literals
        text = expand(expressions[self.number].text, {self.name: value})
        if text is None:
            return None
        for number in range(self.number + 1, len(expressions)):
            text += literals[number] + expressions[number].text
        return self.before + text + literals[-1]


def read_template(text: str) -> Template:
    """Read a template. Never raises."""
    plain = Template(text, (text,), ())
    if len(text) > _MAX_LENGTH or text.count("{") > _MAX_EXPRESSIONS:
        return plain
    literals: list[str] = []
    expressions: list[Expression] = []
    at = 0
    while (start := text.find("{", at)) >= 0:
        end = text.find("}", start)
        match = _EXPRESSION.fullmatch(text, start + 1, end) if end > 0 else None
        if match is None:
            return plain
        names = tuple(_VARIABLE.findall(match[2]))
        literals.append(text[at:start])
        expressions.append(Expression(text[start : end + 1], match[1], names))
        at = end + 1
    literals.append(text[at:])
    return Template(text, tuple(literals), tuple(expressions))


def typing(template: Template, typed: str) -> Typing | None:
    """The variable of `template` that is being typed at the end of `typed`; `None` where it is not in one.

    An expression that still stands there as it does in the template counts as one with an empty value. Only
    expressions with one variable are filled in this way.
    """
    at = 0
    context: dict[str, str] = {}
    for number, expression in enumerate(template.expressions):
        literal, following = template.literals[number : number + 2]
        if not typed.startswith(literal, at) or len(expression.names) != 1:
            return None
        at += len(literal)
        lead = _lead(expression)
        last = number + 1 == len(template.expressions)
        end = typed.find(following, at) if following and not last else -1
        written = typed[at:end] if end >= 0 else typed[at:]
        open_ = lead.startswith(written) or expression.text.startswith(written)
        if not open_ and not written.startswith(lead):
            return None
        value = "" if open_ else normal(written.removeprefix(lead))
        if end < 0:
            value = value.removesuffix(following) if last and following else value
            return Typing(template, number, typed[:at], value, context)
        if not open_:
            context = {**context, expression.names[0]: value}
        at = end
    return None


def _lead(expression: Expression) -> str:
    """What an expression puts in front of its value (RFC 6570, 3.2.4 to 3.2.9)."""
    name = expression.names[0]
    leads = {"?": f"?{name}=", "&": f"&{name}=", ";": f";{name}=", "#": "#", ".": ".", "/": "/"}
    return leads.get(expression.operator, "")
