"""Programs as whole training projects write them, from the command line to the loader."""

from __future__ import annotations

PROGRAMS: dict[str, str] = {
    "arguments of a command line": """
import argparse, os

parser = argparse.ArgumentParser()
parser.add_argument("data", metavar="DIR")
parser.add_argument("--batch-size", default=256, type=int)
args = parser.parse_args()
crop_size, val_size = (299, 299) if os.environ.get("ARCH") == "inception_v3" else (224, 256)

@pipeline_def(exec_dynamic=True)
def create_dali_pipeline(data_dir, crop, size, shard_id, num_shards, dali_cpu=False, is_training=True):
    images, labels = fn.readers.file(file_root=data_dir, shard_id=shard_id, num_shards=num_shards,
                                     random_shuffle=is_training, pad_last_batch=True, name="Reader")
    decoder_device = "cpu" if dali_cpu else "mixed"
    preallocate = {"preallocate_width_hint": 0 if dali_cpu else 5980, "preallocate_height_hint": 0 if dali_cpu else 6430}
    if is_training:
        images = fn.decoders.image_random_crop(images, device=decoder_device, output_type=types.RGB, **preallocate,
                                               random_aspect_ratio=[0.8, 1.25], random_area=[0.1, 1.0], num_attempts=100)
        images = fn.resize(images, resize_x=crop, resize_y=crop, interp_type=types.INTERP_TRIANGULAR)
        mirror = fn.random.coin_flip(probability=0.5)
    else:
        images = fn.decoders.image(images, device=decoder_device, output_type=types.RGB)
        images = fn.resize(images, size=size, mode="not_smaller", interp_type=types.INTERP_TRIANGULAR)
        mirror = False
    images = fn.crop_mirror_normalize(images.gpu(), dtype=types.FLOAT, output_layout="CHW", crop=(crop, crop),
                                      mean=[0.485 * 255, 0.456 * 255, 0.406 * 255],
                                      std=[0.229 * 255, 0.224 * 255, 0.225 * 255], mirror=mirror)
    return images, labels.gpu()

def main():
    pipe = create_dali_pipeline(batch_size=256, num_threads=4, device_id=0, seed=12, data_dir="/data/train", crop=224,
                                size=256, dali_cpu=False, shard_id=0, num_shards=1, is_training=True)
    pipe.build()
""",
    "loader class of a library": """
class DaliTrainLoader:
    def __init__(self, root, batch_size, *, size=224, device_id=0, seed=42, local_rank=0, world_size=1):
        self.size, self.root = size, root
        self.rank, self.world_size = local_rank, world_size
        self.mean = [v * 255.0 for v in (0.485, 0.456, 0.406)]
        self.std = tuple(map_value * 255.0 for map_value in (0.229, 0.224, 0.225))
        self.pipe = self._make(batch_size=batch_size, num_threads=8, device_id=device_id, seed=seed + local_rank)

    def _decode(self, jpegs):
        return fn.decoders.image_random_crop(jpegs, device="mixed", random_area=[0.08, 1.0])

loader_size = 224
MEAN = [v * 255.0 for v in (0.485, 0.456, 0.406)]

class Augmentations:
    jitter = 0.4

    def __init__(self, size):
        self.size = size

    def __call__(self, images):
        images = fn.resize(images, resize_x=self.size, resize_y=self.size)
        return self.color(images)

    def color(self, images, low=0.6):
        draw = lambda: fn.random.uniform(range=(low, 2.0 - low))
        return fn.color_twist(images, brightness=draw(), contrast=draw(), saturation=draw())

augment = Augmentations(loader_size)

@pipeline_def(batch_size=64, num_threads=8, device_id=0)
def train(root="/data"):
    jpegs, labels = fn.readers.file(file_root=root, random_shuffle=True, initial_fill=4096, read_ahead=True)
    images = augment(fn.decoders.image(jpegs, device="mixed"))
    return fn.normalize(images, mean=np.array(MEAN, dtype=np.float32).reshape(1, 1, 3), stddev=58.0), labels
""",
    "multi crop": """
GLOBAL, LOCAL = dict(size=224, area=(0.4, 1.0)), dict(size=96, area=(0.05, 0.4))

def view(jpegs, size, area, blur, solarize=0.0):
    view = fn.decoders.image_random_crop(jpegs, random_area=list(area))
    view = fn.resize(view, size=(size, size), interp_type=types.INTERP_CUBIC, antialias=True)
    if fn.random.coin_flip(probability=0.8, dtype=types.BOOL):
        view = fn.color_twist(view, brightness=fn.random.uniform(range=[0.6, 1.4]), hue=fn.random.uniform(range=[-36, 36]))
    if fn.random.coin_flip(probability=0.2, dtype=types.BOOL):
        view = fn.cat(*[fn.color_space_conversion(view, image_type=types.RGB, output_type=types.GRAY)] * 3, axis=2)
    if fn.random.coin_flip(probability=blur, dtype=types.BOOL):
        view = fn.gaussian_blur(view, sigma=fn.random.uniform(range=[0.1, 2.0]), window_size=23)
    if solarize > 0:
        inverted = types.Constant(255, dtype=types.UINT8) - view
        mask = view >= 128
        if fn.random.coin_flip(probability=solarize, dtype=types.BOOL):
            view = mask * inverted + (mask ^ True) * view
    return fn.crop_mirror_normalize(view, mirror=fn.random.coin_flip(), dtype=types.FLOAT)

@pipeline_def(enable_conditionals=True, batch_size=16, num_threads=8, device_id=None)
def dino(root="/data", n_local=2):
    jpegs, labels = fn.readers.file(file_root=root, random_shuffle=True, name="train")
    crops = [view(jpegs, blur=1.0, **GLOBAL), view(jpegs, blur=0.1, solarize=0.2, **GLOBAL)]
    crops.extend(view(jpegs, blur=0.5, **LOCAL) for _ in range(n_local))
    return (*crops, labels)
""",
    "masks of a list": """
from pathlib import Path

class SegmentationPipeline(Pipeline):
    def __init__(self, batch_size, threads, device, image_list="images.txt", mask_list="masks.txt", train=True):
        super(SegmentationPipeline, self).__init__(batch_size, threads, device, seed=21)
        self.train = train
        self.image_reader = ops.readers.File(file_list=image_list, seed=1, random_shuffle=train)
        self.mask_reader = ops.readers.File(file_list=mask_list, seed=1, random_shuffle=train)
        self.decode, self.decode_gray = ops.decoders.Image(), ops.decoders.Image(output_type=types.GRAY)
        self.rotate = ops.Rotate(keep_size=True, fill_value=0)
        self.rotate_nn = ops.Rotate(keep_size=True, fill_value=255, interp_type=types.INTERP_NN)
        self.angle = ops.random.Uniform(range=(-10.0, 10.0))
        self.position = ops.random.Uniform(range=(0.0, 1.0))
        self.crop = ops.Crop(crop=(512, 512), out_of_bounds_policy="pad")

    def define_graph(self):
        images, _ = self.image_reader(name="images")
        masks, _ = self.mask_reader(name="masks")
        images, masks = self.decode(images), self.decode_gray(masks)
        if self.train:
            angle, x, y = self.angle(), self.position(), self.position()
            images, masks = self.rotate(images, angle=angle), self.rotate_nn(masks, angle=angle)
            images, masks = (self.crop(one, crop_pos_x=x, crop_pos_y=y) for one in (images, masks))
        return images, masks

pipe = SegmentationPipeline(batch_size=8, threads=4, device=None)
""",
    "masked spectrograms": """
def get_dim(x, axis):
    return fn.slice(x.shape(dtype=types.INT32), axis, 1, axes=[0])

@pipeline_def(batch_size=16, num_threads=4, device_id=None)
def asr(manifest="/data/train.json", root="/data", sample_rate=16000, nfft=512, n_masks=2, max_width=20, dither=1e-5):
    audio, label = fn.readers.file(file_root=root, files=None, random_shuffle=True) if manifest is None else (
        fn.readers.nemo_asr(manifest_filepaths=[manifest], dtype=types.FLOAT, read_sample_rate=False, read_text=True,
                            shuffle_after_epoch=True, sample_rate=sample_rate * 1.0, max_duration=16.7))
    begin, length = fn.nonsilent_region(audio, cutoff_db=-60, window_length=1024)
    audio = fn.slice(audio, begin, length, axes=[0])
    audio = audio + fn.random.normal(audio, stddev=1.0) * dither
    audio = fn.preemphasis_filter(audio, preemph_coeff=0.97)
    spec = fn.spectrogram(audio, nfft=nfft, window_length=int(0.02 * sample_rate), window_step=int(0.01 * sample_rate))
    mel = fn.mel_filter_bank(spec, sample_rate=sample_rate, nfilter=80, normalize=True)
    log = fn.to_decibels(mel + 1e-20, multiplier=np.log(10.0), reference=1.0, cutoff_db=float(-80))
    size = get_dim(log, 1)
    features = fn.normalize(log, axes=(1,), ddof=1)
    anchors = fn.random.uniform(range=(0.0, 1.0), shape=[n_masks])
    widths = fn.random.uniform(range=(0.0, max_width * 1.0), shape=[n_masks])
    features = fn.erase(features, anchor=anchors, shape=widths, axes=[1], normalized_anchor=True)
    features = fn.erase(features, anchor=fn.random.uniform(range=(0.0, 60.0)), shape=20.0, axes=[0])
    return fn.pad(features, axes=(1,), align=16), label, size
""",
    "clips": """
@pipeline_def
def clips(file_list, sequence_length=16, stride=2, size=112, scale=(0.8, 1.0)):
    frames, labels = fn.readers.video_resize(device="gpu", file_list=file_list, sequence_length=sequence_length,
                                             stride=stride, step=sequence_length, resize_shorter=128, random_shuffle=True,
                                             pad_sequences=True, name="Reader")
    frames = fn.crop_mirror_normalize(frames, crop=(size, size), crop_pos_x=fn.random.uniform(range=(0.0, 1.0)),
                                      crop_pos_y=fn.random.uniform(range=(0.0, 1.0)), mirror=fn.random.coin_flip(),
                                      dtype=types.FLOAT, output_layout="CFHW", mean=[114.75] * 3, std=[57.375] * 3)
    return frames, labels - 1

train_pipe = clips(batch_size=8, num_threads=4, device_id=0, file_list="train.txt")
val_pipe = clips(batch_size=8, num_threads=4, device_id=0, file_list="val.txt", stride=4)
""",
    "one crop for a pair": """
import nvidia.dali.math as math

@pipeline_def(batch_size=16, num_threads=4, device_id=None)
def super_resolution(hr_dir="/hr", lr_dir="/lr", scale=4, patch=48):
    def load(root):
        return fn.decoders.image(fn.readers.file(file_root=root, shuffle_after_epoch=False, name=root.strip("/"))[0])

    low, high = load(lr_dir), load(hr_dir)
    shape = fn.cast(low.shape(), dtype=types.FLOAT)
    room = shape[0:2] - patch
    start = math.floor(fn.random.uniform(range=(0.0, 1.0), shape=[2]) * room)
    low = fn.slice(low, start, types.Constant([float(patch)] * 2), axes=(0, 1), normalized_anchor=False,
                   normalized_shape=False)
    high = fn.slice(high, start * float(scale), types.Constant([float(patch * scale)] * 2), axis_names="HW",
                    normalized_anchor=False, normalized_shape=False)
    mirror = fn.random.coin_flip(probability=0.5)
    pair = [fn.flip(one, horizontal=mirror, vertical=0) for one in (low, high)]
    low, high = (fn.transpose(fn.cast(one, dtype=types.FLOAT) / 255.0, perm=[2, 0, 1]) for one in pair)
    return low, high
""",
    "record files": """
import glob
from collections import OrderedDict

IMAGES = sorted(glob.glob("/data/*.rec"))

@pipeline_def(batch_size=128, num_threads=4, device_id=0)
def faces(path="/data/train.rec", index="/data/train.idx", world=8, rank=0):
    jpegs, labels = fn.readers.mxnet(path=path, index_path=index, shard_id=rank, num_shards=world, random_shuffle=True,
                                     pad_last_batch=True, initial_fill=2048, name="Reader", prefetch_queue_depth=2)
    images = fn.decoders.image(jpegs, device="mixed", output_type=types.RGB, hw_decoder_load=0.65)
    dark = fn.random.coin_flip(probability=0.2)
    factor = 1.0 - dark * fn.random.uniform(range=(0.0, 0.5))
    images = fn.brightness(images, brightness=factor)
    size = fn.random.uniform(values=[28.0, 56.0, 84.0, 112.0])
    images = fn.resize(fn.resize(images, size=fn.stack(size, size)), size=[112, 112])
    outputs = OrderedDict(images=fn.crop_mirror_normalize(images, mean=127.5, std=127.5, dtype=types.FLOAT), labels=labels)
    return tuple(outputs.values())
""",
    "pairs of text and image": """
@pipeline_def(batch_size=32, num_threads=8, device_id=None, prefetch_queue_depth=4)
def clip(shards=("/data/{:05d}.tar".format(0),), size=224, context=77):
    urls = [f"/data/{i:05d}.tar" for i in range(3)]
    image, text = fn.readers.webdataset(paths=urls, ext=["jpg;png", "tokens.npy"], random_shuffle=True,
                                        dtypes=[types.UINT8, types.INT32], missing_component_behavior="skip")
    text = fn.pad(fn.slice(text, 0, context, axes=[0], out_of_bounds_policy="trim_to_shape"), shape=[context], axes=[0])
    image = fn.decoders.image(image, output_type=types.RGB)
    image = fn.random_resized_crop(image, size=(size, size), random_area=(0.9, 1.0), interp_type=types.INTERP_CUBIC)
    assert size % 32 == 0
    return fn.crop_mirror_normalize(image, dtype=types.FLOAT16, mean=[122.77, 116.75, 104.09], std=[68.5, 66.63, 70.32]), text
""",
    "boxes with augmentations": """
def flip(image, boxes, p):
    mirror = fn.random.coin_flip(probability=p)
    return fn.flip(image, horizontal=mirror), fn.bb_flip(boxes, horizontal=mirror, ltrb=True)

@pipeline_def(enable_conditionals=True, batch_size=8, num_threads=4, device_id=None, seed=3)
def yolo(file_root="/data/train2017", annotations="/data/instances.json", size=(640, 640), mosaic=False, is_training=True):
    images, boxes, classes, ids = fn.readers.coco(
        file_root=file_root, annotations_file=annotations, ltrb=True, ratio=True, skip_empty=True, image_ids=True,
        random_shuffle=is_training, name="Reader")
    images = fn.decoders.image(images)
    if is_training and not mosaic:
        images, boxes = flip(images, boxes, 0.5)
        if fn.random.coin_flip(probability=0.5, dtype=types.BOOL):
            images = fn.hsv(images, hue=fn.random.uniform(range=(-5.0, 5.0)), value=fn.random.uniform(range=(0.6, 1.4)))
    images = fn.resize(images, size=size, mode="not_larger")
    images = fn.pad(images, fill_value=114, shape=[*size, -1])
    boxes = fn.pad(boxes, fill_value=-1, shape=(100, 4))
    classes = fn.pad(fn.cast(classes, dtype=types.INT32), axes=(0,), fill_value=-1, shape=(100,))
    return images, boxes, classes, ids
""",
}
