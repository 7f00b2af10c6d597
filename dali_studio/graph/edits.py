"""Edits: the only way in which a graph changes. Each is plain data, so that it can travel, be stored and be undone."""

from __future__ import annotations

import msgspec

from dali_studio.schema.model import Device, Value


class PortRef(msgspec.Struct, frozen=True, kw_only=True):
    """One output of a node."""

    node: str
    output: int = 0



class AddNode(msgspec.Struct, frozen=True, kw_only=True, tag="add_node"):
    """Place an operator. `key` is chosen by the sender and must be free."""

    key: str
    operator: str
    device: Device = "cpu"
    arguments: dict[str, Value] = {}
    like: str = ""
    #: like: a node of the same operator whose functions and other objects it shares
    code: str = ""
    signature: str = ""
    #: code, signature: of a function that was written in a designer, its text, and whose it is


class RemoveNode(msgspec.Struct, frozen=True, kw_only=True, tag="remove_node"):
    """Take a node and its wires away."""

    key: str


class SetArgument(msgspec.Struct, frozen=True, kw_only=True, tag="set_argument"):
    """Give an argument a value; ``unset`` returns it to its default."""

    key: str
    argument: str
    value: Value = None
    unset: bool = False


class Connect(msgspec.Struct, frozen=True, kw_only=True, tag="connect"):
    """Wire an output to input number `input`, or to the argument `argument`. Replaces what was wired there."""

    source: PortRef
    target: str
    input: int | None = None
    argument: str = ""


class Disconnect(msgspec.Struct, frozen=True, kw_only=True, tag="disconnect"):
    """Cut the wire that ends at an input or argument."""

    target: str
    input: int | None = None
    argument: str = ""


class Rename(msgspec.Struct, frozen=True, kw_only=True, tag="rename"):
    """Give a node another name (its key)."""

    key: str
    new_key: str


class SetDevice(msgspec.Struct, frozen=True, kw_only=True, tag="set_device"):
    """Place a node on another device."""

    key: str
    device: Device


class SetBypass(msgspec.Struct, frozen=True, kw_only=True, tag="set_bypass"):
    """Leave a node out, so that what it feeds takes what feeds it, or use it again."""

    key: str
    bypassed: bool


class SetOutputs(msgspec.Struct, frozen=True, kw_only=True, tag="set_outputs"):
    """Choose what the pipeline returns, in order."""

    outputs: tuple[PortRef, ...]


class SetPipeline(msgspec.Struct, frozen=True, kw_only=True, tag="set_pipeline"):
    """Change a pipeline option (`batch_size`, `num_threads`, `seed`, `name` ...)."""

    option: str
    value: Value


class SetChance(msgspec.Struct, frozen=True, kw_only=True, tag="set_chance"):
    """Apply a node to a part of the samples; 1: to all of them; `like`: the node whose coin decides, if it has one.

    `keys`: those of a subgraph, all of which are applied to the same samples; `key` is its coin, or one of them.
    """

    key: str
    part: float
    like: str = ""
    keys: tuple[str, ...] = ()


#: The closed union of edits.
Edit = (
    AddNode | RemoveNode | SetArgument | Connect | Disconnect | Rename | SetDevice | SetBypass | SetOutputs
    | SetPipeline
)  # fmt: skip
#: What is done to cards, of which one may stand for several nodes.
CardEdit = Edit | SetChance
