"""What is wrong with a text that Python does not parse."""

from __future__ import annotations

import io
import re
import tokenize

#: Guesses that Python adds, which the text around them often refutes.
_GUESS = re.compile(r"[.,] (?:Maybe|Perhaps|Did) .*", re.DOTALL)


def told(text: str, error: SyntaxError) -> tuple[str, int | None]:
    """What is wrong, without a point at its end, and its line."""
    bracket = _unclosed(text)
    # what comes behind it is read as a part of it, and complained of
    if bracket and bracket[1] <= (error.lineno or 0):
        return f"'{bracket[0]}' was never closed", bracket[1]
    return _GUESS.sub("", error.msg).rstrip("?."), error.lineno


def _unclosed(text: str) -> tuple[str, int] | None:
    """The first bracket that is open at the end of the text, and its line."""
    opened: list[tuple[str, int]] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP and token.string in "([{":
                opened.append((token.string, token.start[0]))
            elif token.type == tokenize.OP and token.string in ")]}" and opened:
                opened.pop()
    except tokenize.TokenError:
        return opened[0] if opened else None
    except SyntaxError:
        pass
    return None
