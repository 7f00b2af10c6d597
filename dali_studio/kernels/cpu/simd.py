"""Portable SIMD values inside numba: vectors of float32 lanes as LLVM vector types.

numba's automatic vectorisation handles contiguous loops, but not "four floats of one pixel" nor de-interleaving.
These intrinsics emit generic LLVM vector operations, which become AVX-512, AVX2, SSE or NEON code on each machine.
Offsets count elements from the array's first element, whatever its strides. Nothing here checks bounds: callers must.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

_I32 = ir.IntType(32)
_F32 = ir.FloatType()


class VectorType(types.Type):
    """The numba type of a vector of `lanes` float32 values."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"float32x{lanes}")


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: VectorType) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(_F32, fe_type.lanes))


FLOAT32X1 = VectorType(1)
FLOAT32X4 = VectorType(4)
FLOAT32X16 = VectorType(16)


def _constant(vector: ir.VectorType, value: float) -> ir.Constant:
    return ir.Constant(vector, [value] * vector.count)


def _is_array(array_type: Any) -> bool:
    return isinstance(array_type, types.Array)


def pointer_to(context: Any, builder: Any, array_type: Any, array: Any, offset: Any, pointee: Any) -> Any:
    """A pointer to `pointee` at element `offset` of an array's memory, or of an `address`."""
    data = context.make_array(array_type)(context, builder, value=array).data if _is_array(array_type) else array
    return builder.bitcast(builder.gep(data, [offset]), pointee.as_pointer())


def _splat(builder: Any, scalar: Any, lanes: int) -> Any:
    vector = ir.VectorType(scalar.type, lanes)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), _constant(ir.VectorType(_I32, lanes), 0))


def shuffled(builder: Any, left: Any, right: Any, lanes: list[int]) -> Any:
    """A vector of chosen lanes of two others, which count on from left to right."""
    return builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(_I32, len(lanes)), lanes))


def widened(builder: Any, value: Any, dtype: Any) -> Any:
    """Element vector of any supported dtype to float32 lanes."""
    target = ir.VectorType(_F32, value.type.count)
    if dtype == types.float32:
        return value
    if isinstance(dtype, types.Float):
        return builder.fptrunc(value, target)
    return builder.sitofp(value, target) if dtype.signed else builder.uitofp(value, target)


def _call(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    function = builder.module.declare_intrinsic(name, [], ir.FunctionType(result, [arg.type for arg in args]))
    return builder.call(function, args)


def narrowed(builder: Any, value: Any, dtype: Any, rounding: str = "rint") -> Any:
    """float32 lanes to an element vector: rounded ("rint": half to even, "round": away from 0), saturated; NaN is 0."""
    if dtype == types.float32:
        return value
    count = value.type.count
    target = ir.VectorType(ir.IntType(dtype.bitwidth), count)
    info = np.iinfo(dtype.name)
    rounded = _call(builder, f"llvm.{rounding}.v{count}f32", value.type, [value])
    if dtype.bitwidth > 16:  # the bounds are no float32 numbers, so the conversion itself has to saturate
        kind = "fptosi" if dtype.signed else "fptoui"
        return _call(builder, f"llvm.{kind}.sat.v{count}i{dtype.bitwidth}.v{count}f32", target, [rounded])
    low, high = _constant(value.type, float(info.min)), _constant(value.type, float(info.max))
    if info.min < 0:  # an unsigned lower bound is 0 already, where NaN belongs
        ordered = builder.fcmp_ordered("ord", rounded, rounded)
        rounded = builder.select(ordered, rounded, _constant(value.type, 0.0))
    above = builder.select(builder.fcmp_ordered(">", rounded, low), rounded, low)
    inside = builder.select(builder.fcmp_ordered("<", above, high), above, high)
    return builder.trunc(builder.fptosi(inside, ir.VectorType(_I32, count)), target)


@intrinsic
def address(typingctx: Any, array: Any) -> Any:
    """Where an array's memory begins, accepted below wherever an array is.

    Passing an array to another function counts references, which is slow for each pixel; an address has none. The
    array itself must live on: take addresses of arguments, or use a local array again after its address's last use.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(array)(context, builder, value=args[0]).data

    return types.CPointer(array.dtype)(array), codegen


def _make_load(vector: VectorType) -> Any:
    @intrinsic
    def load(typingctx: Any, array: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = context.get_data_type(array.dtype)
            memory = ir.VectorType(element, vector.lanes)
            pointer = pointer_to(context, builder, array, args[0], args[1], memory)
            return widened(builder, builder.load(pointer, align=1), array.dtype)

        return vector(array, types.intp), codegen

    return load


def _make_broadcast(vector: VectorType) -> Any:
    @intrinsic
    def broadcast(typingctx: Any, scalar: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _splat(builder, args[0], vector.lanes)

        return vector(types.float32), codegen

    return broadcast


def _make_store(vector: VectorType, rounding: str = "rint") -> Any:
    @intrinsic
    def store(typingctx: Any, array: Any, offset: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            narrow = narrowed(builder, args[2], array.dtype, rounding)
            pointer = pointer_to(context, builder, array, args[0], args[1], narrow.type)
            builder.store(narrow, pointer, align=1)
            return context.get_dummy_value()

        return types.void(array, types.intp, vector), codegen

    return store


def _make_spread(vector: VectorType) -> Any:
    @intrinsic
    def spread(typingctx: Any, array: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _splat(
                builder, builder.load(pointer_to(context, builder, array, args[0], args[1], _F32)), vector.lanes
            )

        return vector(array, types.intp), codegen

    return spread


#: load*(array, offset): consecutive elements of any dtype, as float32 lanes.
load1, load4, load16 = _make_load(FLOAT32X1), _make_load(FLOAT32X4), _make_load(FLOAT32X16)
#: spread*(array, offset): one float32 element in all lanes. broadcast*(value): the same of a scalar.
spread1, spread4, spread16 = _make_spread(FLOAT32X1), _make_spread(FLOAT32X4), _make_spread(FLOAT32X16)
broadcast1, broadcast4 = _make_broadcast(FLOAT32X1), _make_broadcast(FLOAT32X4)
#: store*(array, offset, vector): rounded half to even and saturated to the array's dtype.
store1, store16 = _make_store(FLOAT32X1), _make_store(FLOAT32X16)

#: The same, rounded half away from zero.
store1_away, store16_away = _make_store(FLOAT32X1, "round"), _make_store(FLOAT32X16, "round")


@intrinsic
def item(typingctx: Any, array: Any, offset: Any) -> Any:
    """array.flat[offset] of contiguous memory, without the test for a negative index that costs time in inner loops."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = pointer_to(context, builder, array, args[0], args[1], context.get_data_type(array.dtype))
        return builder.load(pointer)

    return array.dtype(array, types.intp), codegen


@intrinsic
def muladd(typingctx: Any, left: Any, right: Any, addend: Any) -> Any:
    """left * right + addend, fused where the machine has a fused instruction."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = f"llvm.fmuladd.v{left.lanes}f32"
        return _call(builder, kind, args[0].type, list(args))

    return left(left, left, left), codegen


def _make_arithmetic(method: str) -> Any:
    @intrinsic
    def operation(typingctx: Any, left: Any, right: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, method)(args[0], args[1])

        return left(left, left), codegen

    return operation


add, subtract, multiply = (_make_arithmetic(name) for name in ("fadd", "fsub", "fmul"))


@intrinsic
def put(typingctx: Any, array: Any, offset: Any, value: Any) -> Any:
    """array.flat[offset] = value, for a value of the array's dtype and contiguous memory."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], pointer_to(context, builder, array, args[0], args[1], args[2].type))
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), codegen
