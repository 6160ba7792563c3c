"""Tables as strangers bring them: what is read from them, and what is told of it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_sets import own_entry

from toplabel.reproduction.config.entry import RawFile, Split
from toplabel.reproduction.data import PrepareTask
from toplabel.reproduction.data.formats import FORMATS, FormatError, Source
from toplabel.reproduction.data.formats.cells import words_of_list
from toplabel.reproduction.data.parts import Column
from toplabel.reproduction.data.prepare import prepare
from toplabel.reproduction.data.prepared import columns_text, load_columns, save_columns

rng = np.random.default_rng(0)
N = 60
KIND = np.arange(N) % 3
FRAME = pd.DataFrame(rng.standard_normal((N, 2)).round(3), columns=["f", "g"])
FRAME["kind"] = np.array(["ash", "elm", "oak"])[KIND]
X = FRAME[["f", "g"]].to_numpy()


@pytest.fixture
def load(tmp_path):
    """Read text, bytes or a frame (as Parquet) as a table."""

    def read(content, task="multiclass", kind="table", **options):
        path = tmp_path / ("a.parquet" if isinstance(content, pd.DataFrame) else "a.csv")
        if isinstance(content, pd.DataFrame):
            content.to_parquet(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return FORMATS[kind](Source({"all": path}, task), **options)

    return read


@pytest.fixture
def own(tmp_path):
    """Prepare text as an own data set."""

    def make(content, task="multiclass", kind="table", **options):
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine/a.csv").write_text(content)
        entry = own_entry(format=kind, task=task, options=options)
        return prepare(PrepareTask.of(entry, is_own=True), tmp_path)

    return make


def column_of(loaded, name):
    return next(column for column in loaded.columns if column.name == name)


# ---- what is read ----------------------------------------------------------------------------------


def of_R(frame):
    """The text that R's write.table(sep=",") writes: no name above the names of the rows."""
    rows = frame.set_axis([f"r{i + 1}" for i in range(len(frame))]).to_csv(header=False)
    return ",".join(frame) + "\n" + rows


FORMS = {
    "plain": FRAME.to_csv(index=False),
    "saved index": FRAME.to_csv(),
    "saved index that was read and saved": FRAME.to_csv(index_label="Unnamed: 0"),
    "names of rows": of_R(FRAME),
    "comma at each end": FRAME.to_csv(index=False).replace("\n", ",\n"),
    "comma at the end of rows": FRAME.to_csv(index=False)
    .replace("\n", ",\n")
    .replace(",\n", "\n", 1),
    "UTF-16": FRAME.to_csv(index=False).encode("utf-16"),
    "byte order mark": FRAME.to_csv(index=False).encode("utf-8-sig"),
    "sep=": "sep=;\n" + FRAME.to_csv(index=False, sep=";"),
    "empty rows of a spreadsheet": FRAME.to_csv(index=False) + ",,\n,,\n",
    "empty column": FRAME.assign(h="").to_csv(index=False),
    "lines of Windows": FRAME.to_csv(index=False, lineterminator="\r\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_table_is_read_however_it_was_saved(load, form):
    part = load(FORMS[form], label="kind").parts["all"]
    np.testing.assert_array_equal(part.X, X)
    np.testing.assert_array_equal(part.y, KIND)


def test_parquet_files_are_read_with_and_without_an_index(load):
    pytest.importorskip("pyarrow")
    shuffled = FRAME.sample(frac=1, random_state=0)
    part = load(shuffled, label="kind").parts["all"]
    np.testing.assert_array_equal(part.X, shuffled[["f", "g"]])
    part = load(FRAME.set_index("f"), label="kind").parts["all"]
    np.testing.assert_array_equal(part.X, X)
    lists = FRAME.drop(columns="kind").assign(tags=[["a", "b;c"], ["b;c"]] * 30)
    loaded = load(lists, "multilabel", tags={"column": "tags"})
    assert loaded.class_names == ["a", "b;c"]
    assert loaded.parts["all"].Y.sum(axis=0).tolist() == [30, 60]


def test_marks_between_thousands(load):
    text = "a;kind\n1.234;x\n950;y\n-1.234.567,5;x\n"
    options = {"label": "kind", "delimiter": ";", "decimal": ","}
    found = load(text, thousands=".", **options).parts["all"].X
    assert found.ravel().tolist() == [1234, 950, -1234567.5]
    with pytest.raises(FormatError, match=r"a.csv:2: column 'a' .*`thousands: '\.'`"):
        load(text, **options)
    text = 'a,kind\n"1,234",x\n1\u00a0234,y\n'
    with pytest.raises(FormatError, match=r"a.csv:3"):
        load(text, label="kind", thousands=",")
    assert (
        load("a,kind\n1\u00a0234,x\n7,y\n", label="kind", thousands=" ").parts["all"].X[0] == 1234
    )


def test_words_for_missing_values(load):
    text = "a,kind\n-999,x\n2,y\nn.d.,x\n4,y\n"
    loaded = load(text, label="kind", na_values=["n.d.", -999], missing="mean")
    np.testing.assert_array_equal(loaded.parts["all"].X.ravel(), [np.nan, 2, np.nan, 4])
    assert column_of(loaded, "a").missing == 2
    text = "a,pool,kind\n1,None,NA\n2,Small,no\n"
    loaded = load(text, label="kind", keep_default_na=False)
    assert loaded.class_names == ["NA", "no"]
    assert loaded.parts["all"].X.tolist() == [[1, 1, 0], [2, 0, 1]]
    with pytest.raises(FormatError, match=r"a.csv:2: .*NA.*`keep_default_na: false`"):
        load(text, label="kind", categorical=["pool"])


@pytest.mark.parametrize("decimal", [".", ","])
def test_numbers_for_missing_values_are_compared_as_numbers(load, decimal):
    text = "a;side;kind\n-999.0;L;x\n-999.00;-999.0;y\n-999.5;R;x\n".replace(".", decimal)
    options = {"label": "kind", "delimiter": ";", "decimal": decimal, "missing": "median"}
    loaded = load(text, na_values=[-999], **options)
    assert [column_of(loaded, name).missing for name in ("a", "side")] == [2, 1]
    assert loaded.parts["all"].X[2, 0] == -999.5


@pytest.mark.parametrize(("fill", "value"), [("median", 2.0), ("mean", 5.0)])
def test_gaps_are_filled_by_the_training_part_of_each_split(tmp_path, fill, value):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/test.csv").write_text("a,side,kind\n100,L,x\n,,y\n")
    (tmp_path / "mine/train.csv").write_text("a,side,kind\n1,R,x\n2,L,y\n,R,x\n12,L,y\n")
    files = RawFile("test.csv", "test"), RawFile("train.csv", "train")
    options = {"label": "kind", "missing": fill}
    own = own_entry(files=files, options=options, transform=None, bias=False)
    parts = prepare(PrepareTask.of(own), tmp_path).parts
    assert parts["test"].X.tolist() == [[100, 1, 0], [value, 0, 0]]
    assert parts["train"].X[:, 0].tolist() == [1, 2, value, 12]
    crossed = Split("one", "train", None, "test"), Split("two", "test", None, "train")
    with pytest.raises(ValueError, match=r"'test' belongs to .*; to fill its gaps"):
        prepare(PrepareTask.of(replace(own, splits=crossed)), tmp_path)


def test_a_column_without_a_value_in_a_training_part_is_refused(own):
    text = FRAME.assign(h=[1.0] + [None] * (N - 1)).to_csv(index=False)
    with pytest.raises(ValueError, match=r"'mine', part 'train_f\d': column 'h' has no value"):
        own(text, label="kind", missing="mean")


def test_gaps_of_folds_are_filled_by_their_training_rows(own):
    text = FRAME.assign(h=[None, None, *range(N - 2)]).to_csv(index=False)
    prepared = own(text, label="kind", missing="mean")
    for split in prepared.splits:
        train, test = prepared.parts[split.train], prepared.parts[split.test]
        known = train.rows[train.rows > 1] - 2
        for part in (train, test):
            raw = part.X[:, 2] * train.scale[2] + train.shift[2]
            expected = np.where(part.rows > 1, part.rows - 2, known.mean())
            np.testing.assert_allclose(raw, expected, atol=1e-9)


def test_files_in_another_encoding(load):
    text = FRAME.replace("elm", "chêne").to_csv(index=False)
    loaded = load(text.encode("cp1252"), label="kind", encoding="cp1252")
    assert loaded.class_names == ["ash", "chêne", "oak"]
    with pytest.raises(FormatError, match=r"a.csv:3: .*0xea.*UTF-8.*`encoding`"):
        load(text.encode("latin-1"), label="kind")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", []),
        ("{}", []),
        ("['a', 'b c']", ["a", "b c"]),
        ('["a", "\\u00e9"]', ["a", "é"]),
        ('["a", null]', ["a"]),
        ("('a',)", ["a"]),
        (str(["it's", 'say "b"']), ["it's", 'say "b"']),
        ("{'b', 'a'}", ["a", "b"]),
        ("['a' 'b c']", ["a", "b c"]),
        ('{a,"b, c"}', ["a", "b, c"]),
        ("[a, b c]", ["a", "b c"]),
        ("[1, 2]", ["1", "2"]),
        (str(np.array([1, 12])), ["1", "12"]),
        (str(np.array([1.0, 0.5])), ["1.0", "0.5"]),
        (r"['a\' 'b']", ["a\\", "b"]),
        ("[. .]", [". ."]),
        (str(np.array(["it's", "b c"])), ["it's", "b c"]),
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
    ],
)
def test_lists_of_words_as_others_write_them(text, words):
    assert words_of_list(text) == words


def test_tags_are_lists_or_words_with_a_separator(load):
    rows = ["['rock', 'jazz']", "[]", "['folk']"]
    frame = pd.DataFrame({"a": [1, 2, 3], "t": rows})
    loaded = load(frame.to_csv(index=False), "multilabel", tags={"column": "t"})
    assert loaded.class_names == ["folk", "jazz", "rock"]
    assert loaded.parts["all"].Y.tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    loaded = load("a,t\n1,NA\n2,DE;NA\n3,\n", "multilabel", tags={"column": "t"})
    assert loaded.parts["all"].Y.tolist() == [[0, 1], [1, 1], [0, 0]]
    assert "NA is taken for a tag" in loaded.notes[0]
    with pytest.raises(FormatError, match=r'a.csv:2: .*separator: ","'):
        load('a,t\n1,"x, y"\n2,"y, z"\n', "multilabel", tags={"column": "t"})


@pytest.mark.parametrize("separator", [" | ", "||", "$$", " + "])
def test_a_separator_is_no_pattern(load, separator):
    text = f"a,t\n1,New York{separator}Paris\n2,Paris\n"
    loaded = load(text, "multilabel", tags={"column": "t", "separator": separator})
    assert loaded.class_names == ["New York", "Paris"]


@pytest.mark.parametrize("mark", [",", "|", "/"])
def test_tags_that_are_joined_by_another_mark_in_a_few_rows_are_refused_or_noted(load, mark):
    text = "a,t\n" + "1,rock\n2,jazz\n3,pop\n" * 5 + f'4,"rock{mark}jazz"\n'
    with pytest.raises(FormatError, match=rf"a.csv:17: .*'rock\{mark}jazz'"):
        load(text, "multilabel", tags={"column": "t"})
    loaded = load(text, "multilabel", tags={"column": "t", "separator": ";"})
    assert f"rock{mark}jazz" in loaded.class_names
    assert f"rock{mark}jazz" in loaded.notes[0]
    names = load('a,t\n1,"Doe, A; Roe, B"\n2,"Roe, B"\n', "multilabel", tags={"column": "t"})
    assert names.class_names == ["Doe, A", "Roe, B"]


@pytest.fixture
def load_parts(tmp_path):
    """Read a text for each part as a table."""

    def read(texts, **options):
        paths = {part: tmp_path / f"{part}.csv" for part in texts}
        for part, text in texts.items():
            paths[part].write_text(text)
        return FORMATS["table"](Source(paths, "multiclass"), label="y", **options)

    return read


def test_a_feature_that_one_file_lacks_is_refused(load_parts):
    texts = {"train": "a,b,y\n1,2,p\n2,1,q\n", "test": "a,y\n1,p\n2,q\n"}
    with pytest.raises(FormatError, match=r"test.csv: no column 'b'"):
        load_parts(texts, missing="median")
    empty = {"train": "a,c,y,\n1,,p,\n2,,q,\n", "test": texts["test"]}
    for loaded in (load_parts(texts, drop=["b"]), load_parts(empty)):
        assert [column.name for column in loaded.columns if column.width] == ["a"]


def test_categories_that_are_one_number_are_refused(load_parts):
    texts = {"train": "a,y\n1,p\n2,q\n", "test": "a,y\n1.0,p\n2.0,q\n"}
    with pytest.raises(FormatError, match=r"test.csv:2: column 'a': '1.0' and '1' are one number"):
        load_parts(texts, categorical=["a"])


def test_label_columns_of_true_and_false(load):
    loaded = load("a,b,c\n1,TRUE,0\n2,False,1\n", "multilabel", labels=["b", "c"])
    assert loaded.parts["all"].Y.tolist() == [[1, 0], [0, 1]]


# ---- what is refused, and where ----------------------------------------------------------------------


def replaced(column, word, row=40):
    frame = FRAME.astype({column: object})
    frame.loc[row, column] = word
    return frame.to_csv(index=False)


REFUSED = {
    "infinity": (replaced("g", "inf"), {}, "csv:42: 'g' .* inf"),
    "below a limit": (replaced("g", "<0.5"), {}, "csv:42: column 'g' .*<0.5"),
    "word": (replaced("g", "n.d."), {}, "csv:42: column 'g' .*n.d..*`na_values"),
    "gap": (replaced("g", ""), {}, r"csv:42: .*'g' \(1\).*`missing: median`"),
    "gap of the class": (replaced("kind", ""), {}, "csv:42: "),
    "name twice": ("f,kind,kind\n1,a,a\n", {}, "'kind' stands twice .* columns 2 and 3"),
    "delimiter": (FRAME.to_csv(index=False, sep=";", decimal=","), {}, "csv:1: .*`delimiter`"),
    "long row": ("f,g,kind\n1,2,a\n\n1,2,3,b\n", {}, "csv:4: .* 4 values, .* 3"),
    "short row": ("f,g,kind\n1,2,a\n1,b\n", {"missing": "median"}, "csv:3: .* 2 values, .* 3"),
    "title": ("Trees of 2024\n" + FRAME.to_csv(index=False), {}, "csv:2: .*title"),
    "git-lfs": ("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", {}, "git lfs pull"),
    "Excel": (b"PK\x03\x04\x14\0\x06\0", {}, "Excel .*CSV"),
    "page": ("<!DOCTYPE html><html></html>", {}, "HTML"),
    "dates": (FRAME.assign(g=["2020-01-02", "2020-02-01"] * 30).to_csv(index=False), {}, "'g' has dates"),
    "vectors": (FRAME.assign(g="[1, 2]").to_csv(index=False), {}, "'g' has lists"),
    "lists as classes": (FRAME.assign(kind="['a']").to_csv(index=False), {}, "csv:2: .*`tags: "),
    "no header": (FRAME.to_csv(index=False, header=False), {"label": -1}, "header: false"),
    "list among words": (
        "f,kind\n1,\"['a']\"\n2,a\n",
        {"label": None, "tags": {"column": "kind"}},
        "csv:3: 'a' is no list",
    ),
    "true": (FRAME.to_csv(index=False), {"drop": [True]}, "quote"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_says_where_it_is_and_what_helps(own, case, tmp_path):
    content, options, message = REFUSED[case]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/a.csv").write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )
    task = "multilabel" if "tags" in options else "multiclass"
    entry = own_entry(task=task, options={"label": "kind"} | options)
    with pytest.raises(ValueError, match=message):
        prepare(PrepareTask.of(entry), tmp_path)


def test_all_columns_that_are_no_categories_are_named_at_once(load):
    names = [f"n{i}" for i in range(N)]
    text = FRAME.assign(first=names, second=names).to_csv(index=False)
    with pytest.raises(FormatError, match=r"a.csv:2: column 'first' .*: 'second'$"):
        load(text, label="kind")


@pytest.mark.parametrize("kind", ["date", "list", "bytes", "timedelta"])
def test_values_of_parquet_that_are_no_features_are_refused_by_column(load, kind):
    pytest.importorskip("pyarrow")
    values = {
        "date": pd.date_range("2020-01-01", periods=N),
        "list": [[1, 2]] * N,
        "bytes": [b"a"] * N,
        "timedelta": pd.to_timedelta(np.arange(N), "s"),
    }
    with pytest.raises(FormatError, match=r"'h' .*`drop"):
        load(FRAME.assign(h=values[kind]), label="kind")


# ---- what is told --------------------------------------------------------------------------------------


def test_columns_are_described(load, tmp_path):
    text = "n,size,side,kind,x\na,1,L,u,\nb,,R,v,\nc,1,L,u,\n"
    loaded = load(text, label="kind", drop=["n"], missing="median")
    assert loaded.columns == [
        Column("size", "numbers", 1, 1, "1 | 1", "a feature", 1),
        Column("side", "words", 2, 0, "L | R | L", "2 columns of 0 and 1", 2),
        Column("n", "not looked at", 3, 0, "a | b | c", "left out by `drop`"),
        Column("kind", "words", 2, 0, "u | v | u", "2 classes"),
        Column("x", "nothing", 0, 3, "", "left out: empty"),
    ]
    save_columns(loaded.columns, tmp_path)
    assert load_columns(tmp_path) == loaded.columns
    assert len(columns_text(loaded.columns * 100)) == 42


def advice(prepared):
    return " ".join(prepared.meta["advice"])


def test_a_column_that_differs_in_each_row_is_told(own):
    text = FRAME.assign(number=np.arange(N) + 1).to_csv(index=False)
    assert "'number' counts the rows" in advice(own(text, label="kind"))
    assert "counts the rows" not in advice(own(FRAME.to_csv(index=False), label="kind"))


@pytest.mark.parametrize(
    "leak", [KIND * 2 + 1, FRAME["kind"].str.upper()], ids=["numbers", "words"]
)
def test_a_column_that_alone_tells_the_class_is_a_suspicion(own, leak):
    text = FRAME.assign(side=["L", "R"] * 30, code=leak).to_csv(index=False)
    told = advice(own(text, label="kind"))
    names = ("f", "g", "side", "code")
    assert [name for name in names if f"column {name!r} alone" in told] == ["code"]


def test_a_suspicion_is_tried_on_rows_of_all_classes(own, monkeypatch):
    monkeypatch.setattr("toplabel.reproduction.data.checks._ROWS", 20)
    noise = np.random.default_rng(1).standard_normal(220)
    kind = np.repeat(["ash", "elm"], 110)
    text = pd.DataFrame({"f": noise, "code": kind, "kind": kind}).to_csv(index=False)
    told = advice(own(text, label="kind"))
    assert [name for name in ("f", "code") if f"column {name!r} alone" in told] == ["code"]


def test_columns_with_the_same_numbers_are_told(own):
    text = FRAME.assign(h=FRAME["f"]).to_csv(index=False)
    assert "'f' and 'h' hold the same numbers" in advice(own(text, label="kind"))


def test_points_that_may_stand_between_thousands_are_told(own):
    values = [f"{i % 9 + 1}.{100 + i}" if i % 3 else str(900 + i % 7) for i in range(N)]
    text = FRAME.assign(h=values).to_csv(index=False)
    assert "'h' has '2.101' beside '900'" in advice(own(text, label="kind"))
