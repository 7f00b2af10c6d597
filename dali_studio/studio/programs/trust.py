"""Which programs in documents are the user's own: those that carry a signature by a key that only this user has."""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from functools import cache

from dali_studio.graph.roots import settings


def signature(text: str) -> str:
    """What a document says beside a program that was written, or opened, in this user's designer."""
    return hmac.new(_key(), text.encode(errors="surrogatepass"), "sha256").hexdigest()


def is_own(text: str, said: object) -> bool:
    """Whether a signature is this user's."""
    return isinstance(said, str) and hmac.compare_digest(signature(text).encode(), said.encode(errors="replace"))


@cache
def _key() -> bytes:
    """The key of this user, made with the first program; of this process alone where no file can be kept."""
    file, made = settings() / "trust.key", secrets.token_bytes(32)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            temporary = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
                stream.write(made)
            try:
                os.link(temporary, file)  # whole, or not there; the first one holds
            finally:
                temporary.unlink()
        kept = file.read_bytes()
        return kept if len(kept) == len(made) else made
    return made
