"""Rehearsal of TPAMI section 6.3 on made images: ``python benchmarks/evidence/regions.py`` in a checkout.

Makes archives as those of VOC 2007, with an image for each combination of one to three coloured shapes at
random places and sizes, extracts the features of their regions by a network with random weights on three
sizes with mirror images, and writes made_scenes.yaml beside them, for

    snakemake --cores 2 --configfile data/raw/made_scenes/made_scenes.yaml
"""

from __future__ import annotations

import io
import tarfile
import time
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import nn

from toplabel.reproduction.networks.regions import extract_regions

FOLDER = Path("data/raw/made_scenes")
COLOURS = {"red": (220, 60, 50), "green": (60, 180, 70), "blue": (60, 90, 220)}
CLASSES = [f"{colour} {shape}" for colour in COLOURS for shape in ("disc", "square")]
IMAGES = 150  # of a part
SIZES = (96, 128, 192)
CONFIG = """\
datasets:
  made_scenes:
    title: Made scenes
    task: multilabel
    protocol: half_half
    format: voc
    options: {labels: {train: train.tar, test: test.tar}}
    files:
      - {name: train.npy, part: train}
      - {name: train_labels.npy}
      - {name: train_images.npy}
      - {name: train.tar}
      - {name: test.npy, part: test}
      - {name: test_labels.npy}
      - {name: test_images.npy}
      - {name: test.tar}
    not_comparable: made images
studies:
  made_scenes:
    title: Made scenes
    description: The methods of the study scenes_images on regions of made images.
    datasets: [made_scenes]
    methods: [lr_multi, topk_ent, svm_multi_smooth, topk_svm_alpha_smooth, topk_svm_beta_smooth, lr_ml, svm_ml_smooth]
budget: quick
"""


def network() -> nn.Module:
    """Return two convolutions with random weights, of which a place is 16 pixels."""
    torch.manual_seed(0)
    first, second = (
        nn.Conv2d(3, 32, 7, stride=4, padding=3),
        nn.Conv2d(32, 128, 5, stride=4, padding=2),
    )
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU())


def scene(rng: np.random.Generator) -> tuple[bytes, str]:
    """Return an image of a photograph's shape, and its annotation."""
    width, height = rng.integers(100, 200, size=2).tolist()
    picture = Image.fromarray(rng.integers(90, 170, (height, width, 3), dtype=np.uint8))
    draw, objects = ImageDraw.Draw(picture), []
    for label in rng.choice(CLASSES, size=rng.integers(1, 4), replace=False).tolist():
        colour, shape = label.split()
        side = int(rng.integers(25, 70))
        x, y = (int(rng.integers(0, room - side)) for room in (width, height))
        box = (x, y, x + side, y + side)
        (draw.ellipse if shape == "disc" else draw.rectangle)(box, fill=COLOURS[colour])
        names = ("xmin", "ymin", "xmax", "ymax")
        corners = "".join(f"<{name}>{n}</{name}>" for name, n in zip(names, box, strict=True))
        objects.append(f"<object><name>{label}</name><bndbox>{corners}</bndbox></object>")
    stream = io.BytesIO()
    picture.save(stream, "jpeg", quality=90)
    return stream.getvalue(), f"<annotation>{''.join(objects)}</annotation>"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for seed, part in enumerate(("train", "test")):
        rng, archive = np.random.default_rng(seed), FOLDER / f"{part}.tar"
        with tarfile.open(archive, "w") as out:
            for number in range(IMAGES):
                content, annotation = scene(rng)
                for folder, suffix, data in (
                    ("JPEGImages", "jpg", content),
                    ("Annotations", "xml", annotation.encode()),
                ):
                    info = tarfile.TarInfo(f"VOC2007/{folder}/{number:06d}.{suffix}")
                    info.size = len(data)
                    out.addfile(info, io.BytesIO(data))
        start = time.process_time()
        options = {"within": "JPEGImages", "sizes": SIZES, "pool": 4, "step": {128: 2, 192: 3}}
        extract_regions(network(), "3", archive, FOLDER, part, **options)
        rows = np.load(FOLDER / f"{part}.npy", mmap_mode="r").shape
        print(f"{part}: {IMAGES} images, {rows[0]} regions of {rows[1]} features,", end=" ")
        print(f"{time.process_time() - start:.1f} CPU seconds")
    (FOLDER / "made_scenes.yaml").write_text(CONFIG, encoding="utf-8")


if __name__ == "__main__":
    main()
