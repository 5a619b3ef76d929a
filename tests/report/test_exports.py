"""Tables as LaTeX and Markdown: as on the page, with nothing in them that acts."""

import shutil
import string
import subprocess

import pandas as pd
import pytest
from conftest import HOSTILE

from posbias_kit.report.exports import LONGEST, latex_table, markdown_table, write_exports

BIAS = pd.DataFrame(
    {
        "judge": ["gpt_4", "R&D"],
        "n": [12, 7],
        "pc": [0.5, None],
        "pc_low": [0.4, None],
        "pc_high": [0.6, None],
        "pf": [-0.25, 0.1],
        "note": ["", "50% -- of $5"],
    }
)
ODD = pd.DataFrame(
    {
        "text_%": [
            string.printable, HOSTILE, "[a] first", "* first", "äßŁő – “x” ± ½", "β → ∞ ≤ −1",
            "\\end{tabular}\\input{secret}", "a--b---c", "-1 x-2 -.5",
        ],
    }
)  # fmt: skip


def test_latex_has_the_interval_in_the_cell():
    """Rules of booktabs, numbers to the right, minus signs, gaps as dashes, signs escaped."""
    assert latex_table(BIAS).splitlines()[1:] == [
        r"\begin{tabular}{lrlrl}",
        r"\toprule",
        r"judge & n & pc & pf & note \\",
        r"\midrule",
        r"gpt\_4 & 12 & 0.500 [0.400, 0.600] & $-$0.250 &  \\",
        r"R\&D & 7 & – & 0.100 & 50\% -{}- of \$5 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_markdown_has_the_interval_in_the_cell():
    """The same, aligned; what would be markup is escaped."""
    assert markdown_table(BIAS).splitlines() == [
        "| judge | n | pc | pf | note |",
        "| :-- | --: | :-- | --: | :-- |",
        r"| gpt\_4 | 12 | 0.500 [0.400, 0.600] | -0.250 |  |",
        r"| R\&D | 7 | – | 0.100 | 50% -- of \$5 |",
    ]


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("\\end{x}", r"\textbackslash{}end\{x\}"),
        ("a^b~c|d", r"a\textasciicircum{}b\textasciitilde{}c\textbar{}d"),
        ("[0, 1]", "{[}0, 1]"),
        ("*", "{*}"),
        ("a\nb\tc", "a b c"),
        ("-2, x-2, -.5", "$-$2, x-2, $-$.5"),
        ("< .001", r"\textless{} .001"),
        ("é你\x07", "é[U+4F60][U+0007]"),
    ],
)
def test_every_sign_that_acts_in_latex_is_escaped(text, latex):
    """A cell stays a cell: no command, no new row, no argument of the row before."""
    assert latex_table(pd.DataFrame({"x": [text]})).splitlines()[5] == latex + r" \\"


def test_markdown_renders_as_the_text_it_was():
    """A parser of Markdown with tables gives back each cell; nothing becomes a tag."""
    import mistune
    from bs4 import BeautifulSoup

    html = mistune.create_markdown(escape=False, plugins=["table"])(markdown_table(ODD))
    soup = BeautifulSoup(html, "html.parser")

    assert {tag.name for tag in soup(True)} == {"table", "thead", "tbody", "tr", "th", "td"}
    cells = [cell.get_text() for cell in soup("td")]
    assert cells == [" ".join(text.split()) for text in ODD["text_%"]]


def test_long_and_empty_tables_have_their_csv_only(tmp_path):
    """What was exported before is taken away, so that no old table stands beside a new one."""
    write_exports(BIAS, tmp_path, "bias")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bias.md", "bias.tex"]

    for frame in (BIAS.head(0), pd.concat([BIAS] * LONGEST, ignore_index=True)):
        write_exports(BIAS, tmp_path, "bias")
        write_exports(frame, tmp_path, "bias")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("frame", [BIAS, ODD], ids=["bias", "odd"])
def test_latex_compiles(frame, tmp_path):
    """A document of nothing but the packages that the first line names."""
    compiler = shutil.which("pdflatex") or shutil.which("tectonic")
    if compiler is None:
        pytest.skip("no pdflatex or tectonic here: the table is not compiled")
    table = latex_table(frame)
    packages, body = table.split("\n", 1)
    document = "\n".join(
        ["\\documentclass{article}", packages.removeprefix("% "), "\\begin{document}", body,
         "\\end{document}"]
    )  # fmt: skip
    (tmp_path / "table.tex").write_text(document, encoding="utf-8")
    stop = ["-halt-on-error"] if "pdflatex" in compiler else []

    done = subprocess.run(
        [compiler, *stop, "table.tex"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "table.pdf").is_file()
