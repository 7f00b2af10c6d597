"""Archives of photos that readers are measured with: TFRecord, RecordIO and tar files, with their indices."""

from __future__ import annotations

import io
import struct
import tarfile
from collections.abc import Sequence
from pathlib import Path

from photos import folder_for, usual

from dali_studio.schema.record_samples import example

#: How often each photo of `photos.usual` is in an archive, so that it has some 900 samples and 40 MB.
_TIMES = 20
#: What RecordIO begins each record with.
_RECORD = 0xCED7230A


def archive(kind: str) -> Path:
    """The folder of ``samples`` and ``index``, of one of `KINDS`; made if it is not there."""
    target = folder_for(kind, usual())
    if not (target / "index").exists():
        target.mkdir(parents=True, exist_ok=True)
        photos = [path.read_bytes() for path in sorted(usual().rglob("*.jpg"))] * _TIMES
        content, index = KINDS[kind](photos)
        (target / "samples").write_bytes(content)
        (target / "index").write_text(index)
    return target


def _tfrecord(photos: Sequence[bytes]) -> tuple[bytes, str]:
    content, lines = io.BytesIO(), list[str]()
    for number, photo in enumerate(photos):
        begin, message = content.tell(), example({"image": [photo], "label": [number]})
        content.write(struct.pack("<QI", len(message), 0) + message + bytes(4))  # checksums, which no reader looks at
        lines.append(f"{begin} {content.tell() - begin}\n")
    return content.getvalue(), "".join(lines)


def _recordio(photos: Sequence[bytes]) -> tuple[bytes, str]:
    content, lines = io.BytesIO(), list[str]()
    for number, photo in enumerate(photos):
        lines.append(f"{number}\t{content.tell()}\n")
        record = struct.pack("<IfQQ", 0, float(number), number, 0) + photo
        content.write(struct.pack("<II", _RECORD, len(record)) + record + bytes(-len(record) % 4))
    return content.getvalue(), "".join(lines)


def _webdataset(photos: Sequence[bytes]) -> tuple[bytes, str]:
    content, lines = io.BytesIO(), [f"v1.2 {len(photos)}\n"]
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for number, photo in enumerate(photos):
            parts: list[str] = []
            for suffix, part in (("jpg", photo), ("cls", struct.pack("<i", number))):
                member = tarfile.TarInfo(f"{number:06}.{suffix}")
                member.size = len(part)
                parts.append(f"{suffix} {content.tell() + tarfile.BLOCKSIZE} {len(part)} {member.name}")
                archive.addfile(member, io.BytesIO(part))
            lines.append(" ".join(parts) + "\n")
    return content.getvalue(), "".join(lines)


KINDS = {"tfrecord": _tfrecord, "recordio": _recordio, "webdataset": _webdataset}
