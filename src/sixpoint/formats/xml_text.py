"""Reading of XML from strangers: elements with their lines, no entities, bounded size and depth.

Nothing outside of the file is ever opened, and a document type, in which entities would be declared
that expand without end, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from ..errors import FormatError
from .plain_text import plain_bytes, text_of

MOST_ELEMENTS = 200_000
"""More elements than any robot has are refused."""
DEEPEST = 64
"""Deepest accepted nesting of elements."""


@dataclass
class Element:
    """One element of an XML file; text between elements is not kept."""

    tag: str
    attributes: dict[str, str]
    line: int
    """Line where it begins, counted from 1."""
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """Return its children of one kind."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """Return its first child of one kind, if there is one."""
        return next((child for child in self.children if child.tag == tag), None)


class _Builder:
    """Collects elements as the parser meets them."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse
        self.parser.StartElementHandler = self.begin
        self.parser.EndElementHandler = self.end
        self.open: list[Element] = []
        self.root: Element | None = None
        self.count = 0

    def refuse(self, *_: object) -> None:
        """Refuse a document type and the entities in it."""
        raise FormatError(
            "Expected XML without a document type or entities, got one.",
            line=self.parser.CurrentLineNumber,
        )

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count > MOST_ELEMENTS or len(self.open) >= DEEPEST:
            raise FormatError(
                f"Expected at most {MOST_ELEMENTS} elements, nested {DEEPEST} deep; got more.",
                line=line,
            )
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _: str) -> None:
        """Close the innermost element."""
        self.open.pop()


def parse_xml(data: bytes) -> Element:
    """Return the root element of an XML file.

    Raises:
        FormatError: it is no well-formed XML, has a document type, or is too large; says the line.
    """
    builder = _Builder()
    try:
        builder.parser.Parse(text_of(plain_bytes(data)).encode(), True)
    except expat.ExpatError as error:
        raise FormatError(
            f"Expected XML: {expat.ErrorString(error.code)}.", line=error.lineno
        ) from None
    assert builder.root is not None
    return builder.root
