"""``fn.readers.coco``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.coco import Annotations, Ragged, load_annotations, read_annotations, save_annotations
from dali_studio.kernels.cpu.file_discovery import Paths
from dali_studio.kernels.cpu.rows import row_samples
from dali_studio.operators.common import T, sentence
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.files import Files, FilesRead
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Deprecated, Doc, Refused, Ui
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.sample_folders import coco_folder
from dali_studio.schema.samples import Case

_INT32 = np.iinfo(np.int32)
#: What preprocessed annotations have in them already.
_PREPROCESSED = ("annotations_file", "images", "ratio", "ltrb", "skip_empty", "size_threshold")
_TAKEN = ("ratio", "ltrb", "size_threshold", "skip_empty", "include_iscrowd")
_POLYGONS = (Output("polygons"), Output("vertices", "points"))
_PIXELWISE = (Output("pixelwise_masks", "mask"),)
_IDS = (Output("image_ids", "label"),)


class AnnotatedFiles(Files):
    """Images with the annotations of each."""

    def __init__(self, root: str, annotations: Annotations) -> None:
        super().__init__(Paths.of(_joined(root, name) for name in annotations.names), root)
        self.annotations = annotations


def _joined(root: str, name: str) -> str:
    return urls.joined(root, name) if "://" in root + name else os.path.join(root, name)  # noqa: PTH118 - many


class COCO(Reader):
    """Reads images with boxes, labels and masks of the objects in them, in the format of the COCO data set.

    Boxes are float32 (objects, 4), x, y, width and height in pixels; labels are int32 (objects,), the categories
    numbered from 1 in the order of the annotations file. Images come in the order of their ids. With `polygon_masks`
    there are two outputs more, int32 (polygons, 3) with the object, the first vertex and the end of each polygon, and
    float32 (vertices, 2); with `pixelwise_masks` one, int32 (height, width, 1) with the label at each pixel, 0 for
    none; with `image_ids` one at the end, int32 (1,).
    """

    path = "readers.coco"
    icon = "file"
    keywords = "dataset coco boxes detection segmentation masks annotations instances"
    former = ("coco_reader",)
    outputs = (Output("images", "encoded"), Output("bounding_boxes", "boxes"), Output("labels", "label"))

    file_root: Annotated[str, Doc("Folder that the names of the images are relative to."), Ui("path"), COMMON]
    annotations_file: Annotated[str | None, Doc("JSON file of annotations."), Ui("path"), COMMON] = None
    images: Annotated[
        list[str] | None,
        Doc("Names of the images to read, as they stand in the annotations, in this order; unset: all of them."),
    ] = None
    ltrb: Annotated[bool, Doc("Give boxes as left, top, right, bottom."), COMMON] = False
    ratio: Annotated[bool, Doc("Give boxes and vertices relative to the image's width and height."), COMMON] = False
    polygon_masks: Annotated[bool, Doc("Give polygons and their vertices; excludes pixelwise_masks.")] = False
    pixelwise_masks: Annotated[bool, Doc("Give the label of the object at each pixel; excludes polygon_masks.")] = False
    image_ids: Annotated[bool, Doc("Give the ids of the images.")] = False
    size_threshold: Annotated[float, Doc("Objects that are less wide or high, in pixels, are left out.")] = 0.1
    skip_empty: Annotated[bool, Doc("Leave out images without objects.")] = False
    include_iscrowd: Annotated[bool, Doc("Take objects that are marked as crowds.")] = True
    avoid_class_remapping: Annotated[bool, Doc("Give the categories' ids as they are as labels.")] = False
    preprocessed_annotations: Annotated[
        str | None, Doc("Folder of annotations that were saved before, in place of annotations_file."), Ui("path")
    ] = None
    save_preprocessed_annotations: Annotated[
        bool,
        Doc(
            "Save the annotations in a form that is read faster, when a program builds its pipeline. The designer and "
            "documents never write."
        ),
    ] = False
    save_preprocessed_annotations_dir: Annotated[str | None, Doc("The folder they are saved to."), Ui("path")] = None
    skip_cached_images: Annotated[bool, Refused("there is no decoder cache, and nvidia.dali refuses it here")] = False
    masks: Annotated[
        bool,
        Doc("As polygon_masks, with numbers of coordinates in place of vertices."),
        Deprecated("polygon_masks"),
    ] = False
    dump_meta_files: Annotated[
        bool | None, Deprecated("save_preprocessed_annotations"), Refused("renamed to save_preprocessed_annotations")
    ] = None
    dump_meta_files_path: Annotated[
        str | None, Deprecated("save_preprocessed_annotations_dir"),
        Refused("renamed to save_preprocessed_annotations_dir"),
    ] = None  # fmt: skip
    meta_files_path: Annotated[
        str | None, Deprecated("preprocessed_annotations"), Refused("renamed to preprocessed_annotations")
    ] = None
    save_img_ids: Annotated[bool | None, Deprecated("image_ids"), Refused("renamed to image_ids")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = {"file_root": coco_folder(), "annotations_file": coco_folder("annotations.json")}
        corners, masks = {"ltrb": True, "ratio": True}, {"polygon_masks": True, "image_ids": True}
        return [
            Case(arguments=given),
            Case(arguments={**given, **corners}),
            Case(arguments={**given, "ratio": True, "size_threshold": 9.0, "include_iscrowd": False}),
            Case(arguments={**given, "skip_empty": True, "avoid_class_remapping": True, "image_ids": True}),
            Case(arguments={**given, **masks}),
            Case(arguments={**given, **masks, "ratio": True}),
            Case(arguments={**given, "masks": True}),
            Case(arguments={**given, "pixelwise_masks": True}),
            Case(arguments={**given, "pixelwise_masks": True, "image_ids": True, **corners}),
            Case(arguments={**given, "images": ["2.jpg", "sub/4.jpg", "2.jpg", "0.jpg", "none.jpg"]}),
            Case(arguments={**given, "random_shuffle": True, "initial_fill": 3, "image_ids": True}),
            Case(arguments={**given, "shuffle_after_epoch": True, "image_ids": True}),
            Case(arguments={**given, "num_shards": 2, "shard_id": 1, "pad_last_batch": True, "image_ids": True}),
            Case(arguments={"file_root": coco_folder()}, refused="annotations_file", note="no annotations"),
            Case(arguments={**given, "preprocessed_annotations": coco_folder()}, refused="annotations_file"),
            Case(arguments={**given, "polygon_masks": True, "pixelwise_masks": True}, refused="pixelwise_masks"),
            Case(arguments={**given, "save_preprocessed_annotations": True},
                 refused="save_preprocessed_annotations_dir"),
            Case(arguments={**given, "annotations_file": coco_folder("0.jpg")}, refused="annotations_file"),
            Case(arguments={**given, "images": ["none.jpg"]}, refused="images"),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        polygons = _POLYGONS if values.get("polygon_masks") or values.get("masks") else ()
        pixelwise = _PIXELWISE if values.get("pixelwise_masks") else ()
        return (*schema.outputs, *polygons, *pixelwise, *(_IDS if values.get("image_ids") else ()))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        _check(args)
        check_order(args)
        metas = [TensorMeta(T.UINT8, 1, "", "encoded"), TensorMeta(T.FLOAT, 2, "", "boxes")]
        metas.append(TensorMeta(T.INT32, 1, "", "label"))
        if _polygons(args):
            metas += [TensorMeta(T.INT32, 2, ""), TensorMeta(T.FLOAT, 2, "", "points")]
        if args["pixelwise_masks"]:
            metas.append(TensorMeta(T.INT32, 3, "HWC", "mask"))
        if args["image_ids"]:
            metas.append(TensorMeta(T.INT32, 1, "", "label"))
        return tuple(metas)

    @classmethod
    def data_set(cls, args: Args) -> AnnotatedFiles:
        kinds = {"polygons": _polygons(args), "pixelwise": args["pixelwise_masks"]}
        saved = args["preprocessed_annotations"]
        try:
            if saved:
                found = load_annotations(saved, **kinds, ids=args["image_ids"])
            else:
                found = read_annotations(
                    args["annotations_file"], images=args["images"] or (), **kinds,
                    **{name: args[name] for name in _TAKEN}, remap_classes=not args["avoid_class_remapping"],
                )  # fmt: skip
        except ValueError as error:
            argument = "preprocessed_annotations" if saved else "annotations_file"
            hint = "Give a folder that annotations were saved to." if saved else "Give a JSON file in COCO's format."
            raise ArgumentError(sentence(error), hint=hint, argument=argument, code="DS302") from error
        _check_found(args, found)
        if args["save_preprocessed_annotations"] and not saved and args.context.may_write:
            folder = args["save_preprocessed_annotations_dir"]
            try:
                save_annotations(found, folder, pixelwise=kinds["pixelwise"], ids=args["image_ids"])
            except OSError as error:
                raise ArgumentError(
                    f"{folder} cannot be written to: {error.strerror}.", hint="Give a folder that is there.",
                    argument="save_preprocessed_annotations_dir", code="DS302",
                ) from error  # fmt: skip
        return AnnotatedFiles(args["file_root"], found)

    @classmethod
    def batches(cls, data: AnnotatedFiles, read: FilesRead, args: Args) -> tuple[Batch, ...]:
        known, picked, masks = data.annotations, read.picked, data.annotations.masks
        made = [data.batch(read, args), _batch(known.boxes.take(picked)), _batch(known.labels.take(picked))]
        if masks is not None and args["pixelwise_masks"]:
            made.append(_drawn(known, picked, args))
        elif masks is not None:
            polygons = masks.polygons.take(picked)
            if args["masks"]:
                polygons.table[:, 1:] *= 2
            made += [_batch(polygons), _batch(masks.vertices.take(picked))]
        if args["image_ids"]:
            made.append(Batch.of_array(known.ids[picked, None].astype(np.int32)))
        return tuple(made)


def _polygons(args: Args) -> bool:
    return args["polygon_masks"] or args["masks"]


def _batch(rows: Ragged) -> Batch:
    """The rows of each sample."""
    return Batch.of(row_samples(rows.table, rows.starts, rows.counts))


def _drawn(known: Annotations, picked: Sequence[int], args: Args) -> Batch:
    sizes = known.sizes[np.asarray(picked, np.int64)]
    shapes = np.concatenate([sizes, np.ones_like(sizes[:, :1])], axis=1)
    ends = np.cumsum(sizes.prod(axis=1) * 4)
    slab = args.context.memory(int(ends[-1]) if len(ends) else 0)
    packed = Packed(slab, np.concatenate([[0], ends[:-1]]).astype(np.int64)[: len(ends)], shapes, np.dtype(np.int32))

    def draw(position: int) -> None:
        known.draw(picked[position], packed[position][..., 0])

    args.context.map(draw, len(picked))
    return Batch.of(packed, "HWC")


# -------------------------------------------------------------------------------------------------------------- checks


def _refused(argument: str, message: str, hint: str) -> ArgumentError:
    return ArgumentError(message, hint=hint, argument=argument)


def _check(args: Args) -> None:
    if not args["annotations_file"] and not args["preprocessed_annotations"]:
        raise ArgumentError(
            "no annotations are given.", hint="Give annotations_file (JSON), or preprocessed_annotations.",
            argument="annotations_file", code="DS103",
        )  # fmt: skip
    if args["preprocessed_annotations"]:
        for name in _PREPROCESSED:
            if args.given(name):
                raise _refused(
                    name, f"preprocessed annotations do not go with {name}.",
                    "Take it away; they are as they were when they were saved.",
                )  # fmt: skip
    if args["pixelwise_masks"] and _polygons(args):
        other = "polygon_masks" if args["polygon_masks"] else "masks"
        raise _refused("pixelwise_masks", f"pixelwise_masks and {other} exclude each other.", "Take one away.")
    folder = "save_preprocessed_annotations_dir"
    if args["save_preprocessed_annotations"] != bool(args[folder]):
        raise _refused(folder, f"save_preprocessed_annotations and {folder} need each other.", "Give both, or none.")


def _check_found(args: Args, found: Annotations) -> None:
    if not found.names:
        wanted = "images" if args["images"] else "skip_empty" if args["skip_empty"] else "annotations_file"
        raise ArgumentError(
            "the annotations leave no image to read.",
            hint="Name images as the annotations do, or leave skip_empty out.", argument=wanted, code="DS302",
        )  # fmt: skip
    if args["image_ids"] and (len(found.ids) and not (_INT32.min <= found.ids.min() <= found.ids.max() <= _INT32.max)):
        raise _refused("image_ids", "the ids of the images do not fit into 32 bits.", "Leave image_ids out.")
