"""Files of records to try readers with: TFRecord."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from dali_studio.schema.samples import Folder, encoded, picture

#: A value of a feature: texts, floats or integers; nothing is a feature without a list.
_Values = Sequence[bytes] | Sequence[float] | Sequence[int] | None


def tf_records(entry: str) -> Folder:
    """TFRecord files: plain records, "odd" ones as no writer makes them, "damaged" ones, and indices."""
    return Folder(_tf_record_files, entry, entry)


def _tf_record_files() -> dict[str, bytes]:
    examples: list[bytes] = []
    for number in range(7):
        features: dict[str, _Values] = {
            "image/encoded": [encoded(picture(20 + number, 31), "JPEG", number).tobytes()],
            "label": [number * 10**number - 3], "box": [0.5 * number, -1.0, 1e30, 4.0],
            "ids": list(range(-number, number)), "text": [b"first", b"second"],
        }  # fmt: skip
        if number % 2:
            features["some"] = [b"text %d" % number]
        examples.append(example(features, packed=number != 3))
    whole, index = _file(examples)
    odd, odd_index = _file(_odd_examples())
    return {
        "records.tfrecord": whole, "records.idx": index, "odd.tfrecord": odd, "odd.idx": odd_index,
        "damaged.tfrecord": whole.replace(examples[2], examples[2][:-8] + b"\xff" * 8), "empty.idx": b"",
        "words.idx": b"0 200\nnone\n", "far.idx": b"99999999 200\n" * 4,
    }  # fmt: skip


def _odd_examples() -> list[bytes]:
    """Messages that mean what any parser of protobuf takes them for."""
    one, two = (_field(2, _feature(values)) for values in ([1], [2, 3]))
    key = _field(1, b"a")
    unknown = _field(7, b"more") + _varint(9 << 3) + _varint(300) + _varint(10 << 3 | 5) + b"abcd"
    group = _varint(12 << 3 | 3) + unknown + _varint(12 << 3 | 4)
    return [
        example({"a": [1]}) + example({"a": [2, 3]}),
        _field(1, _field(1, key + one) + _field(1, key + two)),
        _field(1, _field(1, key + _field(2, _feature([1]) + _feature([2.5])))),
        _field(1, _field(1, key + _field(2, _feature([2.5]) + _feature([1]) + _feature([2, 3])))),
        _field(1, _field(1, two + key)),
        unknown + group + example({"a": [-5]}) + _varint(11 << 3 | 1) + b"abcdefgh",
        example({"a": None}),
        example({"b": [1], "a": [2**63 - 1, -(2**63)], "ab": [4]}),
    ]


def _file(messages: Sequence[bytes]) -> tuple[bytes, bytes]:
    """A file, without checksums, and its index."""
    content, lines = b"", list[str]()
    for message in messages:
        record = struct.pack("<Q", len(message)) + bytes(4) + message + bytes(4)
        lines.append(f"{len(content)} {len(record)}\n")
        content += record
    return content, "".join(lines).encode()


# ------------------------------------------------------------------------------------------------------------ messages


def example(features: Mapping[str, _Values], *, packed: bool = True) -> bytes:
    """A tf.train.Example; numbers are `packed` side by side, or each is a field of its own."""
    entries = [_field(1, _field(1, name.encode()) + _field(2, _feature(values, packed=packed)))
               for name, values in features.items()]  # fmt: skip
    return _field(1, b"".join(entries))


def _feature(values: _Values, *, packed: bool = True) -> bytes:
    if values is None:
        return b""
    texts = [_field(1, value) for value in values if isinstance(value, bytes)]
    floats = [struct.pack("<f", value) for value in values if isinstance(value, float)]
    whole = [_varint(value) for value in values if isinstance(value, int)]
    if texts:
        return _field(1, b"".join(texts))
    if packed:
        return _field(2, _field(1, b"".join(floats))) if floats else _field(3, _field(1, b"".join(whole)))
    single = [b"\x0d" + one for one in floats] or [b"\x08" + one for one in whole]
    return _field(2 if floats else 3, b"".join(single))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= 2**64 - 1
    made = bytearray()
    while value >= 128:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes(made + bytes([value]))
