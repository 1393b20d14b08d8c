"""The notebook that the demo server serves: notes by name, in memory, gone when the process ends."""

from attrs import define, field, frozen


@frozen
class Note:
    """One note: its name is a word or two joined by hyphens, its text is Markdown."""

    name: str
    text: str


def first_notes() -> dict[str, str]:
    """The notes that are there when the server starts."""
    return {
        "readme": "# Notebook\n\nEvery note is a resource: mention this one as `@demo:note://readme`.\n",
        "groceries": "- bread\n- apples\n- oat milk\n",
        "ideas": "- a language server that is an MCP host\n- a kettle that knows when it is Monday\n",
    }


@define
class Notebook:
    """Notes by name, in the order in which they were written."""

    notes: dict[str, str] = field(factory=first_notes)

    def names(self) -> list[str]:
        """The names of all notes, oldest first."""
        return list(self.notes)

    def read(self, name: str) -> str:
        """The text of a note. Raises `KeyError` whose argument is a sentence for the user."""
        try:
            return self.notes[name]
        except KeyError:
            raise KeyError(f"There is no note {name!r}. There are: {', '.join(self.notes) or 'none'}.") from None

    def write(self, name: str, text: str) -> bool:
        """Keep a note; true if its name is new. Raises `ValueError` for a name that cannot stand in a URI."""
        if not name or not all(part.isalnum() for part in name.split("-")):
            raise ValueError(f"{name!r} is no name for a note: letters, digits and single hyphens, please.")
        is_new = name not in self.notes
        self.notes[name] = text
        return is_new

    def delete(self, name: str) -> None:
        """Forget a note. Raises `KeyError` as `read` does."""
        self.read(name)
        del self.notes[name]
