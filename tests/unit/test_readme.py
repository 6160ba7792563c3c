"""The first page fits a screen and shows the two commands."""


def test_the_first_page_fits_a_screen(repository):
    lines = (repository / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    assert {"    make reproduce", "    make test"} <= {
        line.partition("  #")[0].rstrip() for line in lines
    }
