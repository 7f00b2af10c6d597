"""libjpeg-turbo called by compiled code: a picture, or a window of one, without Python in between.

The library is the one that Pillow brings along or is linked to; its functions are found through Pillow's extension
module. Of a window only the rows and blocks that are needed are transformed, and nothing below it is read.

libjpeg leaves a failed call by a long jump. The function that jumps back here is generated, because such a function
has to be marked for the compiler; what it calls owns no memory that would be lost by the jump.

Structures are those of libjpeg's version 6.2 on 64-bit systems, the interface that libjpeg-turbo keeps stable. The
library itself compares version and size before anything else happens.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import llvmlite.binding
import numpy as np
import simplejpeg  # pyright: ignore[reportMissingTypeStubs]
from llvmlite import ir
from numba import carray, cfunc, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jit import kernel

#: Numbers of a request; see `decode`.
(
    DATA, SIZE, HEIGHT, WIDTH, COLORS, CHANNELS, FAST_DCT, REPEAT_CHROMA, FIRST_ROW, FIRST_COLUMN, ROWS, COLUMNS,
    TARGET, PITCH, FIELDS,
) = range(15)  # fmt: skip
DONE, FAILED = 1, 2
"""Outcomes of a request: the pixels are there, or something is wrong with the file."""
COLOR_SPACES = {"GRAY": 1, "RGB": 2, "CMYK": 4, "BGR": 8}
"""What libjpeg-turbo calls the colours that can be asked for."""

_VERSION, _INFO_SIZE = 62, 632
# where the fields of jpeg_decompress_struct lie
_CLIENT, _IMAGE_WIDTH, _IMAGE_HEIGHT, _OUT_COLORS, _DCT, _FANCY, _COMPONENTS = 24, 48, 52, 64, 96, 100, 148
# and those of jpeg_error_mgr
_ERROR_EXIT, _OUTPUT_MESSAGE, _WARNINGS = 0, 16, 128
#: The block of memory of a call: the two structures, the place to jump back to, addresses of rows, and numbers.
_INFO, _ERROR, _JUMP, _ROWS, _REQUEST, _SPARE, _LEFT, _WIDE, _OUTCOME, BLOCK = (
    0, 1024, 1280, 2304, 2560, 2568, 2576, 2580, 2584, 2624
)  # fmt: skip
#: The block begins at a multiple of this.
_ALIGNED = 16
#: Rows that are asked for at a time; the library makes two at once where chroma is shared by two rows.
_AT_ONCE = 16
#: Columns beyond a window that interpolated chroma looks at, generously.
_MARGIN = 8

_PREFIX = "dali_studio_"
_FUNCTIONS = (
    "jpeg_std_error", "jpeg_CreateDecompress", "jpeg_mem_src", "jpeg_read_header", "jpeg_start_decompress",
    "jpeg_crop_scanline", "jpeg_skip_scanlines", "jpeg_read_scanlines", "jpeg_destroy_decompress",
)  # fmt: skip


def _external(name: str, result: Any, *arguments: Any) -> Any:
    return types.ExternalFunction(_PREFIX + name, result(*arguments))


_std_error = _external("jpeg_std_error", types.intp, types.intp)
_create = _external("jpeg_CreateDecompress", types.void, types.intp, types.int32, types.uintp)
_source = _external("jpeg_mem_src", types.void, types.intp, types.intp, types.uintp)
_read_header = _external("jpeg_read_header", types.int32, types.intp, types.int32)
_start = _external("jpeg_start_decompress", types.int32, types.intp)
_crop = _external("jpeg_crop_scanline", types.void, types.intp, types.intp, types.intp)
_skip = _external("jpeg_skip_scanlines", types.uint32, types.intp, types.uint32)
_read = _external("jpeg_read_scanlines", types.uint32, types.intp, types.intp, types.uint32)
_destroy = _external("jpeg_destroy_decompress", types.void, types.intp)
_long_jump = _external("longjmp", types.void, types.intp, types.int32)
_allocate = _external("malloc", types.intp, types.uintp)
_copy_bytes = _external("memcpy", types.intp, types.intp, types.intp, types.uintp)
_free = _external("free", types.void, types.intp)


def _load(type_: Any) -> Any:
    @intrinsic
    def load(typing_context: Any, address: Any) -> Any:  # noqa: ARG001 - numba's protocol
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            kind = context.get_value_type(type_)
            return builder.load(builder.inttoptr(arguments[0], kind.as_pointer()), align=1)

        return type_(types.intp), generate

    return load


def _store(type_: Any) -> Any:
    @intrinsic
    def store(typing_context: Any, address: Any, value: Any) -> Any:  # noqa: ARG001 - numba's protocol
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            kind = context.get_value_type(type_)
            builder.store(arguments[1], builder.inttoptr(arguments[0], kind.as_pointer()), align=1)
            return context.get_dummy_value()

        return types.void(types.intp, type_), generate

    return store


_load32, _load64 = _load(types.int32), _load(types.int64)
_store32, _store64 = _store(types.int32), _store(types.int64)
set_byte = _store(types.int8)


@intrinsic
def _numbers(typing_context: Any, address: Any) -> Any:  # noqa: ARG001 - numba's protocol
    """The integers at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())

    return types.CPointer(types.int64)(types.intp), generate


@intrinsic
def _protected(typing_context: Any, jump: Any, function: Any, argument: Any) -> Any:  # noqa: ARG001 - numba's protocol
    """Call a function, given by its address; false if it was left by a long jump to the place `jump`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        module, word, number, pointer = builder.module, ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
        name = _PREFIX + "protected"
        caller = module.globals.get(name)
        if caller is None:
            set_jump = ir.Function(module, ir.FunctionType(number, [pointer]), _PREFIX + "setjmp")
            set_jump.attributes.add("returns_twice")
            caller = ir.Function(module, ir.FunctionType(ir.IntType(1), [word, word, word]), name)
            caller.linkage = "internal"
            caller.attributes.add("noinline")
            body = ir.IRBuilder(caller.append_basic_block())
            first = body.call(set_jump, [body.inttoptr(caller.args[0], pointer)])
            with body.if_then(body.icmp_signed("==", first, number(0))):
                kind = ir.FunctionType(ir.VoidType(), [word]).as_pointer()
                body.call(body.inttoptr(caller.args[1], kind), [caller.args[2]])
                body.ret(ir.IntType(1)(1))
            body.ret(ir.IntType(1)(0))
        return builder.call(caller, arguments)

    return types.boolean(types.intp, types.intp, types.intp), generate


def _fail(info: int) -> None:
    """libjpeg's error_exit."""
    _long_jump(_load64(info + _CLIENT), np.int32(1))


def _say_nothing(info: int) -> None:  # noqa: ARG001 - libjpeg's output_message
    return


@kernel
def _begin(info: int, wanted: Any) -> bool:
    """Read the header, and get ready to give rows; false if the file is not what was expected."""
    _create(info, np.int32(_VERSION), _INFO_SIZE)
    _source(info, wanted[DATA], wanted[SIZE])
    if _read_header(info, np.int32(1)) != 1:
        return False
    if _load32(info + _IMAGE_HEIGHT) != wanted[HEIGHT] or _load32(info + _IMAGE_WIDTH) != wanted[WIDTH]:
        return False
    _store32(info + _OUT_COLORS, np.int32(wanted[COLORS]))
    _store32(info + _DCT, np.int32(wanted[FAST_DCT]))
    _store32(info + _FANCY, np.int32(1 - wanted[REPEAT_CHROMA]))
    return _start(info) == 1 and _load32(info + _COMPONENTS) == wanted[CHANNELS]


@kernel
def _read_rows(block: int, wanted: Any, spare: int, left: int, stride: int) -> bool:
    """Put the wanted rows where they belong, if need be by way of spare memory, where they begin `left` bytes later."""
    done, rows, target, pitch = 0, wanted[ROWS], wanted[TARGET], wanted[PITCH]
    while done < rows:
        count = min(rows - done, _AT_ONCE)
        for i in range(count):
            place = target + (done + i) * pitch if spare == 0 else spare + i * stride
            _store64(block + _ROWS + 8 * i, place)
        got = np.int64(_read(block + _INFO, block + _ROWS, np.uint32(count)))
        if got == 0:
            return False
        for i in range(got if spare else 0):
            _copy_bytes(target + (done + i) * pitch, spare + i * stride + left, wanted[COLUMNS] * wanted[CHANNELS])
        done += got
    return True


def _decode(block: int) -> None:
    """Everything between the creation of the decoder and its end; the block's outcome tells whether it worked."""
    info, wanted = block + _INFO, carray(_numbers(_load64(block + _REQUEST)), (FIELDS,))
    if not _begin(info, wanted):
        return
    left, width, spare = wanted[FIRST_COLUMN], wanted[WIDTH], 0
    if wanted[COLUMNS] < width:
        margin = 0 if wanted[REPEAT_CHROMA] else _MARGIN
        first = max(left - margin, 0)
        _store32(block + _LEFT, np.int32(first))
        _store32(block + _WIDE, np.int32(min(left + wanted[COLUMNS] + margin, width) - first))
        _crop(info, block + _LEFT, block + _WIDE)  # from where a block begins
        left -= _load32(block + _LEFT)
        width = _load32(block + _WIDE)
    stride = width * wanted[CHANNELS]
    if width != wanted[COLUMNS]:
        spare = _allocate(_AT_ONCE * stride)
        if spare == 0:
            return
        _store64(block + _SPARE, spare)
    if wanted[FIRST_ROW] > 0:
        _skip(info, np.uint32(wanted[FIRST_ROW]))
    if _read_rows(block, wanted, spare, left * wanted[CHANNELS], stride):
        _store64(block + _OUTCOME, 1)


@kernel
def decode_at(memory: Any, request: int, entries: Any) -> int:
    """`decode` with the address of a request."""
    block = (memory.ctypes.data + _ALIGNED - 1) // _ALIGNED * _ALIGNED
    info, errors = block + _INFO, block + _ERROR
    _std_error(errors)
    _store64(errors + _ERROR_EXIT, entries[1])
    _store64(errors + _OUTPUT_MESSAGE, entries[2])
    _store64(info, errors)
    _store64(info + _CLIENT, block + _JUMP)
    _store64(block + _REQUEST, request)
    _store64(block + _SPARE, 0)
    _store64(block + _OUTCOME, 0)
    through = _protected(block + _JUMP, entries[0], block)
    _destroy(info)
    spare = _load64(block + _SPARE)
    if spare:
        _free(spare)
    complete = through and _load64(block + _OUTCOME) == 1 and _load64(errors + _WARNINGS) == 0
    return DONE if complete else FAILED


@kernel
def decode(memory: Any, request: Any, entries: Any) -> int:
    """Decode one picture.

    Parameters
    ----------
    memory : ndarray of uint8
        `BLOCK` bytes, which nobody else uses meanwhile.
    request : ndarray of int64
        The numbers `DATA` to `PITCH`, in this order: address and size of the file; height and width that its header
        states; colours, by `COLOR_SPACES`, and their number of channels; 1 for the fast transform; 1 for repeated
        instead of interpolated chroma; first row, first column, rows and columns of the window, inside the stored
        picture; address of the first pixel of the result, and bytes from row to row.
    entries : ndarray of int64
        From `entry_points`.

    Returns
    -------
    int
        `DONE` or `FAILED`.
    """
    return decode_at(memory, request.ctypes.data, entries)


def delivered(memory: NDArray[np.uint8]) -> bool:
    """Whether the last `decode` that used `memory` gave all rows, be they damaged."""
    begin = (-memory.ctypes.data) % _ALIGNED + _OUTCOME
    return bool(memory[begin : begin + 8].view(np.int64)[0])


@cache
def entry_points() -> NDArray[np.int64] | None:
    """What compiled code needs to call the library; ``None`` where it cannot be called so.

    That is the case on 32-bit systems and on Windows, and where Pillow comes without libjpeg-turbo, or with one of
    another interface.
    """
    if sys.platform == "win32" or sys.maxsize < 2**32:
        return None
    try:
        from PIL import _imaging, features  # noqa: PLC0415 - only here

        if not features.check_feature("libjpeg_turbo"):
            return None
        library, system = ctypes.CDLL(_imaging.__file__), ctypes.CDLL(None)
        found = {name: getattr(library, name) for name in _FUNCTIONS}
        found |= {name: getattr(system, name) for name in ("longjmp", "malloc", "memcpy", "free")}
        found["setjmp"] = system["_setjmp"]
    except (ImportError, AttributeError, OSError):
        return None
    for name, function in found.items():
        llvmlite.binding.add_symbol(_PREFIX + name, ctypes.cast(function, ctypes.c_void_p).value)
    called = [_callback(function) for function in (_decode, _fail, _say_nothing)]
    _kept.extend(called)
    entries = np.array([function.address for function in called], np.int64)
    return entries if _works(entries) else None


def _works(entries: NDArray[np.int64]) -> bool:
    """Whether a picture comes out as it should; some builds have structures of another version of libjpeg."""
    data = np.frombuffer(simplejpeg.encode_jpeg(np.arange(768, dtype=np.uint8).reshape(16, 16, 3)), np.uint8)
    made = np.zeros((9, 11, 3), np.uint8)
    numbers = data.ctypes.data, len(data), 16, 16, COLOR_SPACES["RGB"], 3, 0, 0, 4, 3, 9, 11, made.ctypes.data, 33
    outcome = decode(np.empty(BLOCK, np.uint8), np.array(numbers, np.int64), entries)
    return outcome == DONE and np.array_equal(made, simplejpeg.decode_jpeg(data)[4:13, 3:14])


def describe() -> str:
    """The library that compiled code calls, or why there is none, for people."""
    if entry_points() is not None:
        from PIL import features  # noqa: PLC0415 - only here

        return f"libjpeg-turbo {features.version_feature('libjpeg_turbo')}, called by compiled code"
    return "not called by compiled code, so that decoding takes longer: Pillow's libjpeg-turbo is not within reach"


_kept: list[Any] = []


def _callback(function: Any) -> Any:
    try:
        return cfunc("void(intp)", cache=True)(function)
    except RuntimeError:  # no cache can be written
        return cfunc("void(intp)")(function)
