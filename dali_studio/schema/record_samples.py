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


# ---------------------------------------------------------------------------------------------------------------- LMDB

_PAGE = 4096
_PAGE_HEAD, _NODE_HEAD = struct.Struct("<QHHHH"), struct.Struct("<HHHH")
_BRANCH, _LEAF, _OVERFLOW, _META = 1, 2, 4, 8
#: Values of larger nodes have pages of their own.
_INLINE = 2038


def lmdb_database(entries: Mapping[bytes, bytes]) -> bytes:
    """The file ``data.mdb`` of a database: values by key, in leaves under one root."""
    pages: list[bytes] = [b"", b""]  # for the two that say where the root is
    leaves: list[tuple[bytes, int]] = []
    nodes: list[bytes] = []
    first = b""
    for key in sorted(entries):
        value = entries[key]
        large, stored = _NODE_HEAD.size + len(key) + len(value) > _INLINE, value
        if large:
            count, stored = (_PAGE_HEAD.size + len(value) - 1) // _PAGE + 1, struct.pack("<Q", len(pages))
            content = _PAGE_HEAD.pack(len(pages), 0, _OVERFLOW, count, 0) + value
            pages += [content[at : at + _PAGE].ljust(_PAGE, b"\0") for at in range(0, count * _PAGE, _PAGE)]
        node = _NODE_HEAD.pack(len(value) & 0xFFFF, len(value) >> 16, large, len(key)) + key + stored
        if _PAGE_HEAD.size + sum(len(one) + 3 for one in [*nodes, node]) > _PAGE:
            leaves.append((first, len(pages)))
            pages.append(_node_page(len(pages), _LEAF, nodes))
            nodes = []
        first = first if nodes else key
        nodes.append(node)
    leaves.append((first, len(pages)))
    pages.append(_node_page(len(pages), _LEAF, nodes))
    depth, root = 1, leaves[0][1]
    if len(leaves) > 1:
        keys = [b"", *(key for key, _ in leaves[1:])]
        below = [_NODE_HEAD.pack(page & 0xFFFF, page >> 16, 0, len(key)) + key
                 for key, (_, page) in zip(keys, leaves, strict=True)]  # fmt: skip
        depth, root = 2, len(pages)
        pages.append(_node_page(root, _BRANCH, below))
    overflow = len(pages) - 2 - len(leaves) - (depth - 1)
    none, last = 2**64 - 1, len(pages) - 1
    for number in (0, 1):
        free = struct.pack("<IHHQQQQQ", _PAGE, 8, 0, 0, 0, 0, 0, none)
        counts = (depth - 1, len(leaves), overflow, len(entries))
        main = struct.pack("<IHHQQQQQ", 0, 0, depth, *counts, root if entries else none)
        head = _PAGE_HEAD.pack(number, 0, _META, 0, 0) + struct.pack("<IIQQ", 0xBEEFC0DE, 1, 0, 1 << 30)
        pages[number] = (head + free + main + struct.pack("<QQ", last, number)).ljust(_PAGE, b"\0")
    return b"".join(pages)


def _node_page(number: int, kind: int, nodes: Sequence[bytes]) -> bytes:
    places: list[int] = []
    upper, content = _PAGE, b""
    for node in nodes:
        even = node + b"\0" * (len(node) % 2)
        upper -= len(even)
        places.append(upper)
        content = even + content
    lower = _PAGE_HEAD.size + 2 * len(nodes)
    head = _PAGE_HEAD.pack(number, 0, kind, lower, upper) + struct.pack(f"<{len(nodes)}H", *places)
    return head.ljust(upper, b"\0") + content


def caffe_database(kind: str = "plain") -> Folder:
    """A Caffe database of encoded pictures; or of "raw" or "partial" or "large" ones, or one that cannot be read."""
    return Folder(lambda: _caffe_files(kind), f"caffe {kind}")


def _caffe_files(kind: str) -> dict[str, bytes]:
    if kind == "text":
        return {"data.mdb": b"this is no database " * 500}
    entries: dict[bytes, bytes] = {}
    for number in range(0 if kind == "empty" else 400 if kind == "large" else 7):
        height, width = 20 + number % 9, 31
        raw = kind == "raw" or (kind in ("mixed", "misfit") and number == 1)
        made = picture(height, width, seed=number)
        content = made.tobytes() if raw else encoded(made, "JPEG", number).tobytes()
        if kind == "large" and number % 3:
            content = content[: number % 50]
        shape = _number(1, 3) + _number(2, height + (kind == "misfit")) + _number(3, width)
        data, label = shape + _field(4, content) + _number(7, int(not raw)), _number(5, 3 - number)
        if kind == "partial":
            data, label = (data if number % 3 else b""), (label if number % 2 else b"")
        message = data + label + _field(6, struct.pack("<f", 1.5))
        entries[b"%08d" % (number * 7 % 400)] = message[:-3] if kind == "damaged" and number == 2 else message
    return {"data.mdb": lmdb_database(entries)}


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def caffe2_database(kind: str = "plain") -> Folder:
    """A Caffe2 database of pictures and labels: files or "raw", with "floats" or "dense" labels or "more"."""
    return Folder(lambda: _caffe2_files(kind), f"caffe2 {kind}")


def _caffe2_files(kind: str) -> dict[str, bytes]:
    entries: dict[bytes, bytes] = {}
    for number in range(7):
        made = picture(20 + number, 31, 1 if kind == "raw" and number > 3 else 3, seed=number)
        raw = kind == "raw" or (kind == "misfit" and number == 1)
        shape = made.shape[: 2 if made.shape[2] == 1 else 3]
        file = encoded(made, "JPEG", number).tobytes()
        image = _tensor_proto(shape, 3, _field(5, made.tobytes()[kind == "misfit" :])) if raw else _tensor_proto(
            (1,), 4, _field(6, file))  # fmt: skip
        whole = [number - 3] if kind != "dense" else [int(i == number) for i in range(5)]
        label = _tensor_proto((len(whole),), 2, _field(4, b"".join(map(_varint, whole))))
        if kind == "floats":
            label = _tensor_proto((1,), 1, _field(3, struct.pack("<f", number / 3)))
        single = b"".join(_number(4, value) for value in range(number))
        more = [_tensor_proto((2, 1), 1, _field(3, struct.pack("<2f", 0.5, number))),
                _tensor_proto((number,), 2, single),
                _tensor_proto((4,), 2, _field(4, bytes([1, 2, 3, number])))]  # fmt: skip
        parts = [label] if kind == "labels" else [image] if kind == "pictures" else [image, label]
        parts += more if kind == "more" else []
        message = b"".join(_field(1, part) for part in parts)
        entries[b"%08d" % number] = message[:-2] if kind == "damaged" and number == 2 else message
    return {"data.mdb": lmdb_database(entries)}


def _tensor_proto(shape: Sequence[int], kind: int, content: bytes) -> bytes:
    return b"".join(_number(1, extent) for extent in shape) + _number(2, kind) + content
