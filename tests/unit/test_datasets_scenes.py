"""Pascal VOC and COCO: label lists, annotations, the largest object, features of regions."""

import json
import tarfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from array_files import needs_h5py, write_hdf5
from toplabel.reproduction.config.entry import Entry, LabelLists, Printed
from toplabel.reproduction.data.formats import FORMATS, FormatError, Source, voc
from toplabel.reproduction.data.formats.regions import Object, labels_of, read_regions
from toplabel.reproduction.data.formats.voc import Archive, read_objects
from toplabel.reproduction.data.statistics import dataset_row, list_statistics

ENTRY = Entry("voc", "VOC", "multilabel", "half_half", licence="", citation="")
BOX = "<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>"
# A cat larger than a dog; a dog; only a difficult cat and a small bird.
SCENES = {
    "000005": [("dog", (1, 1, 10, 10), 0), ("cat", (1, 1, 20, 20), 0), ("dog", (5, 5, 6, 6), 0)],
    "000007": [("dog", (3, 4, 9, 9), 0)],
    "000009": [("cat", (1, 1, 90, 90), 1), ("bird", (1, 1, 2, 2), 0)],
}
CLASSES = ["bird", "cat", "dog"]


def xml_of(objects):
    parts = [
        f"<object><name>{name}</name><difficult>{mark}</difficult>{BOX.format(*box)}"
        "<part><name>head</name></part></object>"
        for name, box, mark in objects
    ]
    return f"<annotation>{''.join(parts)}</annotation>"


def write_voc(folder, lists=True, annotations=True, scenes=SCENES):
    """The layout of the development kit."""
    if annotations:
        (folder / "VOC2007/Annotations").mkdir(parents=True)
        for image, objects in scenes.items():
            (folder / f"VOC2007/Annotations/{image}.xml").write_text(xml_of(objects))
    if lists:
        main = folder / "VOC2007/ImageSets/Main"
        main.mkdir(parents=True)
        (main / "trainval.txt").write_text("\n".join(scenes))
        for label in CLASSES:
            lines = []
            for image, objects in scenes.items():
                marks = [mark for name, _, mark in objects if name == label]
                flag = -1 if not marks else 1 if 0 in marks else 0
                lines.append(f"{image} {flag:2d}\r\n")
            (main / f"{label}_trainval.txt").write_text("".join(lines), newline="")


def packed(folder):
    """The tar file of a folder, beside it."""
    path = folder.with_name(f"{folder.name}.tar")
    with tarfile.open(path, "w") as tar:
        tar.add(folder, arcname="VOCdevkit")
    return path


def write_regions(path, images, image=(0, 1, 1, 2), d=3, form="npz"):
    arrays = {
        "X": np.arange(len(image) * d, dtype=np.float32).reshape(-1, d),
        "image": np.array(image),
        "images": np.array(images),
    }
    if form == "npz":
        np.savez(path / "train.npz", **arrays)
    elif form == "npy":
        np.save(path / "train.npy", arrays.pop("X"))
        np.savez(path / "train_regions.npz", **arrays)
    else:
        arrays["images"] = arrays["images"].astype(
            "S" if arrays["images"].dtype.kind == "U" else int
        )
        write_hdf5(path / "train.h5", arrays)
    return path / f"train.{form}"


def load_voc(tmp_path, images=tuple(SCENES), **options):
    path = write_regions(tmp_path, list(images))
    source = Source({"train": path}, "multilabel")
    labels = {"train": packed(tmp_path / "voc").name}
    return FORMATS["voc"](source, labels=labels, **options)


# ---- features of regions ------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["npz", "npy", pytest.param("h5", marks=needs_h5py)])
@pytest.mark.parametrize("images", [["b", "a", "c"], [7, 5, 9]])
def test_regions_in_every_form(tmp_path, form, images):
    regions = read_regions(write_regions(tmp_path, images, form=form))
    assert regions.images == [str(image) for image in images]
    assert regions.groups.tolist() == [0, 1, 1, 2]
    assert regions.X.dtype == np.float32
    np.testing.assert_array_equal(np.asarray(regions.X)[1], [3, 4, 5])
    assert isinstance(regions.X, np.memmap) == (form != "npz")


@pytest.mark.parametrize(
    ("images", "image", "message"),
    [
        (["a", "a"], [0, 1], "'images' names the image 'a' 2 times"),
        (["a", "b"], [0, 2], r"row 1 \(from 0\) is of the image 2; images are 0..1"),
        (["a", "b"], [0, -1], r"row 1 \(from 0\) is of the image -1"),
        (["a", "b"], [0, 0], "the image 'b' has no row"),
        (["a", "b"], [0.0, 1.0], "'image' has the type float64 .* must hold 2 whole numbers"),
        ([["a"], ["b"]], [0, 1], r"'images' has the type <U1 and the shape \(2, 1\)"),
        ([0.5, 1.5], [0, 1], "'images' has the type float64"),
    ],
)
def test_an_index_that_does_not_fit_is_refused(tmp_path, images, image, message):
    with pytest.raises(FormatError, match=f"train.npz: .*{message}"):
        read_regions(write_regions(tmp_path, images, image))


def test_an_array_that_is_not_there_is_named(tmp_path):
    np.savez(tmp_path / "train.npz", X=np.zeros((2, 2)), image=np.arange(2))
    with pytest.raises(FormatError, match=r"train.npz: 'images' is not in it; it has: X, image"):
        read_regions(tmp_path / "train.npz")


# ---- the largest object -------------------------------------------------------------------------

objects = st.lists(
    st.builds(Object, st.sampled_from(CLASSES), st.integers(1, 5).map(float)), max_size=5
)


@settings(max_examples=100)
@given(st.lists(objects, min_size=1, max_size=4))
def test_label_sets_and_the_prominent_label(images):
    Y, y = labels_of(images, CLASSES)
    for row, label, found in zip(Y, y, images, strict=True):
        assert {CLASSES[j] for j in np.flatnonzero(row)} == {one.label for one in found}
        if not found:
            assert label == -1
            continue
        assert row[label] == 1
        largest = max(one.size for one in found)
        first = next(one for one in found if one.size == largest)
        assert CLASSES[label] == first.label


# ---- Pascal VOC ---------------------------------------------------------------------------------


def test_voc_annotations(tmp_path):
    write_voc(tmp_path / "voc")
    loaded = load_voc(tmp_path)
    part = loaded.parts["train"]
    assert loaded.class_names == CLASSES
    assert part.Y.tolist() == [[0, 1, 1], [0, 0, 1], [1, 0, 0]]
    assert [CLASSES[j] for j in part.y] == ["cat", "dog", "bird"]
    assert part.groups.tolist() == [0, 1, 1, 2]


def test_difficult_objects_count_when_told(tmp_path):
    write_voc(tmp_path / "voc")
    part = load_voc(tmp_path, difficult="present").parts["train"]
    assert part.Y.tolist() == [[0, 1, 1], [0, 0, 1], [1, 1, 0]]
    assert [CLASSES[j] for j in part.y] == ["cat", "dog", "cat"]


@pytest.mark.parametrize("difficult", ["absent", "present"])
def test_label_lists_alone_give_the_same_sets_and_no_prominent_label(tmp_path, difficult):
    write_voc(tmp_path / "voc", annotations=False)
    write_voc(tmp_path / "both/voc")
    alone = load_voc(tmp_path, difficult=difficult)
    both = load_voc(tmp_path / "both", difficult=difficult)
    np.testing.assert_array_equal(alone.parts["train"].Y, both.parts["train"].Y)
    assert alone.parts["train"].y is None
    assert alone.class_names == both.class_names
    assert Archive(packed(tmp_path / "voc")).images_of("trainval") == list(SCENES)


def test_the_features_say_which_images_and_in_which_order(tmp_path):
    write_voc(tmp_path / "voc")
    part = load_voc(tmp_path, ["000009", "000005", "000007"]).parts["train"]
    assert part.Y.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
    with pytest.raises(
        FormatError, match=r"voc\.tar: the image '000006' of the features is not in it"
    ):
        load_voc(tmp_path, ["000009", "000005", "000006"])


def test_classes_have_the_names_and_the_order_of_the_registry(tmp_path):
    write_voc(tmp_path / "voc")
    names = {"dog": "D", "cat": "C", "bird": "B", "cow": "no picture"}
    loaded = load_voc(tmp_path, classes=names)
    assert loaded.class_names == ["D", "C", "B", "no picture"]
    assert loaded.parts["train"].Y.tolist() == [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
    with pytest.raises(FormatError, match=r"000005.xml: object 2 is of the unknown class 'cat'"):
        load_voc(tmp_path, classes={"dog": "dog", "bird": "bird"})


WHOLE = "<name>cat</name>" + BOX.format(1, 1, 2, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<annotation>\n<object>\n</annotation>", ":3: not XML"),
        (f"<a><object>{BOX.format(1, 1, 2, 2)}</object></a>", "object 1 has no name"),
        (
            f"<a><object>{WHOLE}</object><object><name>cat</name></object></a>",
            "object 2 has no bnd",
        ),
        (f"<a><object><name>cat</name>{BOX.format(1, 1, 'x', 2)}</object></a>", "xmax is 'x'"),
        (f"<a><object><name>cat</name>{BOX.format(5, 1, 2, 2)}</object></a>", "box .* is empty"),
        (f"<a><object><name>cat</name>{BOX.format(0, 0, 1e300, 1e300)}</object></a>", "too large"),
        ("<?xml version='1.0' encoding='klingon'?><a/>", "not XML .unknown encoding: klingon"),
        (
            f"<a><object>{WHOLE}<difficult>2</difficult></object></a>",
            "difficult is '2', not 0 or 1",
        ),
    ],
)
def test_a_malformed_annotation_is_named(tmp_path, content, message):
    with pytest.raises(FormatError, match=rf"some.xml.*{message}"):
        read_objects(content.encode(), tmp_path / "some.xml")


def test_corners_of_a_box_belong_to_it(tmp_path):
    (found,) = read_objects(xml_of([("dog", (3, 4, 9, 9), 0)]).encode(), tmp_path)
    assert found == Object("dog", 42.0)


def test_malformed_label_lists_are_named(tmp_path):
    write_voc(tmp_path / "voc", annotations=False)
    main = tmp_path / "voc/VOC2007/ImageSets/Main"
    good = (main / "cat_trainval.txt").read_text()
    (main / "cat_trainval.txt").write_text(good + "000011 2\n")
    with pytest.raises(FormatError, match=r"cat_trainval.txt:4: '000011 2' is not an image and"):
        Archive(packed(tmp_path / "voc")).label_sets()
    (main / "cat_trainval.txt").write_text(good + "000011 1\n")
    with pytest.raises(FormatError, match="no list of 'bird' has the image '000011'"):
        Archive(packed(tmp_path / "voc")).label_sets()
    with pytest.raises(FormatError, match="no label list of the set 'test'"):
        Archive(packed(tmp_path / "voc")).images_of("test")


def test_a_file_of_an_archive_is_not_read_beyond_a_size(tmp_path, monkeypatch):
    write_voc(tmp_path / "voc")
    monkeypatch.setattr(voc, "_LARGEST", 100)
    with pytest.raises(
        FormatError, match=r"voc\.tar: .*000005\.xml' has \d+ bytes; at most 100 are read"
    ):
        load_voc(tmp_path)


def test_names_of_images_that_are_no_text_are_refused(tmp_path):
    write_voc(tmp_path / "voc")
    with pytest.raises(FormatError, match=r"'images' has b'\\xff', no name"):
        load_voc(tmp_path, [b"\xff", b"000005", b"000007"])


def test_an_archive_without_labels_is_refused(tmp_path):
    (tmp_path / "voc").mkdir()
    with pytest.raises(FormatError, match=r"neither Annotations/\*.xml nor ImageSets/Main"):
        load_voc(tmp_path)
    (tmp_path / "voc.tar").write_bytes(b"no tar file")
    with pytest.raises(FormatError, match=r"voc\.tar: no tar file, or a damaged one"):
        voc.Archive(tmp_path / "voc.tar")


def test_an_archive_that_has_an_annotation_twice_is_refused(tmp_path):
    write_voc(tmp_path / "voc")
    write_voc(tmp_path / "voc/more", lists=False)
    message = r"has both 'VOCdevkit/VOC2007/Anno.*000005.xml' and '.*more/VOC2007/.*000005.xml'"
    with pytest.raises(FormatError, match=rf"voc\.tar: {message}"):
        load_voc(tmp_path)


def test_statistics_of_label_lists(tmp_path):
    write_voc(tmp_path / "voc", annotations=False)
    main = tmp_path / "voc/VOC2007/ImageSets/Main"
    for label in CLASSES:
        (main / f"{label}_test.txt").write_text(f"000011 {1 if label == 'cat' else -1}\n")
    lists = LabelLists("voc", "trainval", "test")
    found = list_statistics(packed(tmp_path / "voc"), lists)
    assert (found["n_classes"], found["n_train"], found["n_test"]) == (3, 3, 1)
    assert found["label_cardinality"] == 5 / 4
    assert found["parts"]["train"]["label_cardinality"] == 4 / 3
    printed = {"source": "a table", "n_train": "3", "n_features": "2K"}
    for of, text, agrees in (
        ("train", "1.33", True),
        ("all", "1.33", False),
        ("all", "1.25", True),
    ):
        row = Printed(**printed, label_cardinality=text, cardinality_of=of)
        entry = replace(ENTRY, statistics=(row,))
        shown = dataset_row(entry, None, "no features", found)
        assert (shown["status"], shown["reason"]) == ("missing", "no features")
        assert shown["agrees"] is agrees
        assert shown["label_cardinality"] == (4 / 3 if of == "train" else 5 / 4)
        assert (shown["n_test"], shown["n_features"], shown["paper_n_features"]) == (1, None, "2K")
    without = dataset_row(entry, None, "no features")
    assert "n_train" not in without  # an empty column
    assert without["paper_n_train"] == "3"


# ---- COCO ---------------------------------------------------------------------------------------


def instances(**changes):
    """Four images: two classes, a crowd, one without an object; category numbers with gaps."""
    box = {"iscrowd": 0, "area": 1.0}
    document = {
        "categories": [{"id": 18, "name": "dog"}, {"id": 1, "name": "person"}],
        "images": [{"id": number, "file_name": f"{number}.jpg"} for number in (30, 4, 9, 11)],
        "annotations": [
            {"image_id": 30, "category_id": 18, "bbox": [0, 0, 9, 9], **box},
            {"image_id": 30, "category_id": 1, "bbox": [5, 5, 2, 2], "iscrowd": 0, "area": 3.5},
            {"image_id": 4, "category_id": 1, "bbox": [0.5, 0, 3, 3], **box},
            {"image_id": 9, "category_id": 18, "bbox": [0, 0, 3, 3], **box},
            {"image_id": 9, "category_id": 1, "bbox": [0, 0, 50, 9], **box, "iscrowd": 1},
        ],
    }
    return document | changes


def load_coco(tmp_path, document, images=(9, 30, 4, 11), **options):
    path = write_regions(tmp_path, list(images), np.arange(len(images)))
    text = document if isinstance(document, str) else json.dumps(document)
    (tmp_path / "instances.json").write_text(text)
    source = Source({"train": path}, "multilabel")
    return FORMATS["coco"](source, labels={"train": "instances.json"}, **options)


def test_coco_instances(tmp_path):
    loaded = load_coco(tmp_path, instances())
    part = loaded.parts["train"]
    assert loaded.class_names == ["person", "dog"]
    assert part.Y.tolist() == [[1, 1], [1, 1], [1, 0], [0, 0]]
    assert part.y.tolist() == [0, 1, 0, -1]


def test_coco_crowds_and_sizes(tmp_path):
    part = load_coco(tmp_path, instances(), crowd="absent").parts["train"]
    assert part.Y.tolist() == [[0, 1], [1, 1], [1, 0], [0, 0]]
    assert part.y.tolist() == [1, 1, 0, -1]
    part = load_coco(tmp_path, instances(), size="area").parts["train"]
    assert part.y.tolist() == [1, 0, 0, -1]


ONE = {"image_id": 30, "category_id": 18, "bbox": [0, 0, 9, 9]}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ('{\n"images": [}', r"instances.json:2: not JSON"),
        ("[]", "no list 'images'; is it an instances file"),
        (
            '{"images": ' + "[" * 10**5,
            "instances.json: lists or objects in it are nested too deep$",
        ),
        ('{"images": ' + "9" * 5000 + "}", "instances.json: a number in it has too many digits$"),
        (
            instances(images=[{"id": [[[[[[[[1]]]]]]]]}]),
            r"images\[0\]: id is .* not a whole number$",
        ),
        (instances(annotations=[ONE | {"bbox": [0, 0, 10**400, 1]}]), r"annotations\[0\]: bbox is"),
        (instances(annotations=[ONE | {"bbox": [0, 0, 10**200, 10**200]}]), r"\[0\]: bbox is"),
        ({"images": [], "annotations": []}, "no list 'categories'"),
        (instances(images=[{"id": "x"}]), r"images\[0\]: id is 'x', not a whole number"),
        (
            instances(categories=[{"id": 1, "name": name} for name in "ab"]),
            r"categories\[1\]: the id 1 occurs twice",
        ),
        (instances(categories=[{"id": 1}]), r"categories\[0\]: name is None, not a text"),
        (
            instances(annotations=[ONE, ONE | {"image_id": 2}]),
            r"annotations\[1\]: no image has the id 2",
        ),
        (
            instances(annotations=[ONE | {"category_id": 2}]),
            r"annotations\[0\]: no category has the id 2",
        ),
        (
            instances(annotations=[ONE | {"bbox": [1, 2]}]),
            r"annotations\[0\]: bbox is \[1, 2\], not \[x",
        ),
        (instances(annotations=["?"]), r"annotations\[0\]: image_id is None"),
    ],
)
def test_malformed_instances_are_named(tmp_path, document, message):
    with pytest.raises(FormatError, match=message):
        load_coco(tmp_path, document)


def test_an_image_that_is_not_annotated_is_named(tmp_path):
    with pytest.raises(
        FormatError, match=r"instances.json: the image '5' of the features is not in"
    ):
        load_coco(tmp_path, instances(), (30, 4, 5))


def test_parts_have_the_same_categories(tmp_path):
    load_coco(tmp_path, instances())
    (tmp_path / "train.npz").rename(tmp_path / "test.npz")
    path = write_regions(tmp_path, [4], [0])
    (tmp_path / "other.json").write_text(
        json.dumps(instances(categories=[{"id": 1, "name": "cat"}], annotations=[]))
    )
    source = Source({"test": tmp_path / "test.npz", "train": path}, "multilabel")
    with pytest.raises(
        FormatError, match=r"other.json: its categories are not those of the part 'test'"
    ):
        FORMATS["coco"](source, labels={"train": "other.json", "test": "instances.json"})
    with pytest.raises(FormatError, match="the option 'labels' names no file for the part 'train'"):
        FORMATS["coco"](source, labels={"test": "instances.json"})
