"""Resource templates (RFC 6570) while someone types: what a text fills in, what is still open, what a value makes.

Templates come from servers: reading one is linear, and a template that is malformed, longer than 2,048 code points or
has more than 32 expressions is left as plain text with nothing to fill in.
"""

import re
from collections.abc import Mapping
from urllib.parse import quote

from attrs import frozen

from codeagent_lsp.features.spelling import normal

_MAX_LENGTH, _MAX_EXPRESSIONS = 2048, 32
_NAME = r"((?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})+)(?:\*|:([1-9][0-9]{0,3}))?"
_EXPRESSION = re.compile(rf"([+#./;?&]?)({_NAME}(?:,{_NAME})*)")
_VARIABLE = re.compile(_NAME)
_RESERVED = ":/?#[]@!$&'()*+,;="


@frozen
class Expression:
    """One `{…}`: its operator, or "", and its variables, each with the greatest length of its value, if it has one."""

    text: str
    operator: str
    variables: tuple[tuple[str, int | None], ...]


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
    """The variable that is being typed: what stands before its value, the value so far, and the others' values."""

    template: Template
    number: int
    before: str
    value: str
    context: dict[str, str]

    @property
    def name(self) -> str:
        """The variable's name."""
        return self.template.expressions[self.number].variables[0][0]

    def filled(self, value: str) -> str:
        """The URI so far with `value` in place, expanded as RFC 6570 says, and the rest of the template behind it."""
        expressions, literals = self.template.expressions, self.template.literals
        text = self.before + _expand_value(value, expressions[self.number].operator)
        for number in range(self.number + 1, len(expressions)):
            text += literals[number] + expressions[number].text
        return text + literals[-1]


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
        variables = tuple((name, int(cut) if cut else None) for name, cut in _VARIABLE.findall(match[2]))
        literals.append(text[at:start])
        expressions.append(Expression(text[start : end + 1], match[1], variables))
        at = end + 1
    literals.append(text[at:])
    return Template(text, tuple(literals), tuple(expressions))


def expand(template: Template, values: Mapping[str, str]) -> str | None:
    """The URI for these values. Query parts without a value are left out.

    `None` where the template cannot be expanded, or a variable outside of the query has no value.
    """
    if len(template.literals) == 1 and "{" in template.text:
        return None
    text = template.literals[0]
    for expression, literal in zip(template.expressions, template.literals[1:], strict=True):
        given = [(name, values[name][:cut]) for name, cut in expression.variables if name in values]
        if len(given) < len(expression.variables) and expression.operator not in ("?", "&", ";"):
            return None
        text += _expand(expression.operator, given) + literal
    return text


def _expand(operator: str, given: list[tuple[str, str]]) -> str:
    """One expression (RFC 6570, appendix A)."""
    if not given:
        return ""
    values = [(name, _expand_value(value, operator)) for name, value in given]
    if operator in ("?", "&"):
        return operator + "&".join(f"{name}={value}" for name, value in values)
    if operator == ";":
        return "".join(f";{name}={value}" if value else f";{name}" for name, value in values)
    between = operator if operator in (".", "/") else ","
    return operator.replace("+", "") + between.join(value for _, value in values)


def _expand_value(value: str, operator: str) -> str:
    """A value as an expression with this operator spells it (RFC 6570, 3.2.1): `+` and `#` keep escapes."""
    if operator not in ("+", "#"):
        return quote(value, safe="", errors="replace")
    return re.sub("%(?![0-9A-Fa-f]{2})", "%25", quote(value, safe=_RESERVED + "%", errors="replace"))


def typing(template: Template, typed: str) -> Typing | None:
    """The variable of `template` that is being typed at the end of `typed`; `None` where it is not in one.

    An expression that still stands there as it does in the template counts as one with an empty value. Only
    expressions with one variable are filled in this way.
    """
    at = 0
    context: dict[str, str] = {}
    for number, expression in enumerate(template.expressions):
        literal, following = template.literals[number : number + 2]
        if not typed.startswith(literal, at) or len(expression.variables) != 1:
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
            return Typing(template, number, typed[:at] + lead, value, context)
        if not open_:
            context = {**context, expression.variables[0][0]: value}
        at = end
    return None


def _lead(expression: Expression) -> str:
    """What an expression puts in front of its value (RFC 6570, 3.2.4 to 3.2.9)."""
    name = expression.variables[0][0]
    leads = {"?": f"?{name}=", "&": f"&{name}=", ";": f";{name}=", "#": "#", ".": ".", "/": "/"}
    return leads.get(expression.operator, "")
