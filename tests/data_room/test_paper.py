"""Judgment files: both orders, statuses, repeats, references, clusters, broken files."""

import warnings

import pytest
from paper_files import ONE_TURN, TWO_TURNS, message_of, read, write_book, write_record

from posbias_kit.data.paper import read_paper_verdicts
from posbias_kit.errors import ParamsError, ReadError, TableError
from posbias_kit.schema import VERDICT_KEY


def test_both_orders_of_one_file(tmp_path):
    write_record(tmp_path, ("81", "ref", "x", "[[A]]"), ("81", "x", "ref", "say [[A]] \t"))
    write_record(tmp_path, ("82", "ref", "y", "[[C]]"), run="run2", judge="claude")
    verdicts, _ = read(tmp_path)

    assert verdicts[["judge", "question", "order", "choice", "winner"]].values.tolist() == [
        ["gpt", "81", "BA", 1, "ref"],  # order AB shows the non-reference candidate first
        ["gpt", "81", "AB", 1, "x"],
        ["claude", "82", "BA", 0, "TIE"],
    ]
    assert verdicts["candidate"].tolist() == ["x", "x", "y"]
    assert verdicts["reference"].unique().tolist() == ["ref"]
    assert verdicts["benchmark"].unique().tolist() == ["MTBench"]
    assert verdicts["experiment"].unique().tolist() == ["full"]
    assert verdicts["arm"].unique().tolist() == [""]
    assert verdicts["repeat"].unique().tolist() == [1]


def test_replies_that_are_no_verdicts_keep_their_status(tmp_path):
    replies = ["EM", "Failed to obtain answer via API.", "", "Both are fine.", "[[A]]", "NA"]
    write_record(tmp_path, *[(str(i), "x", "y", raw) for i, raw in enumerate(replies)])
    verdicts, _ = read(tmp_path)

    assert verdicts[["status", "reason"]].values.tolist() == [
        ["identical", ""],
        ["failed", "connection"],
        ["invalid", "empty"],
        ["invalid", "no_label"],
        ["ok", ""],
        ["invalid", "no_label"],
    ]
    assert verdicts["choice"].notna().tolist() == [False] * 4 + [True, False]


def test_a_file_without_any_reply_to_parse(tmp_path):
    write_record(tmp_path, ("1", "x", "y", "EM"), ("2", "x", "y", "EM"))

    assert read(tmp_path)[0]["status"].tolist() == ["identical", "identical"]


def test_repeats_come_from_the_folder(tmp_path):
    for n in (1, 2, 10):
        write_record(
            tmp_path,
            ("q;1;x", "human", "gpt", "Choice: B\nReason: it is longer."),
            run=f"Repetition{n}-sample_record0_judge_2",
            part="DevBench_repetition",
            options=2,
        )
    verdicts, replies = read(tmp_path)

    assert sorted(verdicts["repeat"]) == [1, 2, 10]
    assert verdicts["experiment"].unique().tolist() == ["repetition"]
    assert verdicts["choice"].tolist() == [2, 2, 2]
    assert verdicts["question"].unique().tolist() == ["q;1;x"]
    assert replies["format"].unique().tolist() == ["devbench_choice"]


def test_text_columns_quotes_and_line_breaks_in_between(tmp_path):
    path = write_record(tmp_path, ("81", "x", "y", "a"))
    header = '"cmp_index"\t"A"\t"B"\t"question"\t"answer1-A"\t"task"\t"gpt"\n'
    record = '"81;{0};{1}"\t"{0}"\t"{1}"\t"say ""hi""\n\ttwice"\t"NA"\t"math"\t'
    record += '"He said ""no"".\n[[B]]"\n'
    path.write_text("\ufeff" + header + record.format("x", "y") + record.format("y", "x"))
    verdicts, replies = read(tmp_path)

    assert verdicts["winner"].tolist() == ["y", "x"]
    assert replies["raw"].tolist() == ['He said "no".\n[[B]]'] * 2
    # The line counts records, not line breaks; the header is 1.
    assert replies["line"].tolist() == [2, 3]
    assert replies["file"].unique().tolist() == [
        "judgment_data/data_MTBench_position_bias/run/record_gpt_3.tsv"
    ]
    assert replies[VERDICT_KEY].equals(verdicts[VERDICT_KEY])


def test_names_like_missing_values_survive(tmp_path):
    write_record(tmp_path, ("NA", "None", "nan", "[[A]]"), judge="null")
    verdicts, _ = read(tmp_path)

    assert verdicts[["question", "judge", "winner"]].values.tolist() == [["NA", "null", "None"]]


def test_reference(tmp_path):
    write_record(
        tmp_path, ("1", "x", "y", "[[A]]"), ("1", "y", "z", "[[A]]"), ("1", "z", "x", "[[A]]")
    )

    # Nobody is in all three comparisons; a given reference counts where it is shown.
    assert read(tmp_path)[0]["reference"].tolist() == ["", "", ""]
    assert read(tmp_path, reference="z")[0]["reference"].tolist() == ["", "z", "z"]
    told = message_of(ParamsError, read, tmp_path, reference="w")
    assert "'w'" in told
    assert "allowed: x, y, z" in told


def test_two_candidates_have_no_reference(tmp_path):
    write_record(tmp_path, ("1", "x", "y", "[[A]]"), ("2", "y", "x", "[[A]]"))
    verdicts, _ = read(tmp_path)

    assert verdicts["reference"].tolist() == ["", ""]
    assert verdicts["order"].tolist() == ["AB", "BA"]


def test_clusters_come_from_the_spreadsheets(tmp_path):
    write_book(tmp_path, ONE_TURN, "DevBench")
    sample = {**ONE_TURN, "index": ["q_uml-general", "other"], "answer-human": ["same", "new"]}
    sample["answer-gpt"] = ["fourth", "fifth"]
    write_book(tmp_path, sample, "DevBench", "repetition_sampled_data")
    for question in ("q_uml-a", "q_uml-b", "q_uml-general", "other"):
        row = question, "human", "gpt", "Choice: A"
        write_record(tmp_path, row, part="DevBench_repetition", options=2, run=question, judge="j")
    with warnings.catch_warnings(action="error"):
        verdicts, _ = read_paper_verdicts(tmp_path)

    assert verdicts.set_index("question")["cluster"].to_dict() == {
        "q_uml-a": "q_uml-a",
        "q_uml-b": "q_uml-a",
        "q_uml-general": "q_uml-a",
        "other": "other",
    }


def test_questions_without_spreadsheets_are_their_own_clusters(tmp_path):
    write_record(tmp_path, ("81", "x", "y", "[[A]]"), ("999", "x", "y", "[[A]]"))
    write_book(tmp_path, TWO_TURNS)

    with pytest.warns(UserWarning, match="1 of 2 questions are not in the spreadsheets"):
        verdicts, _ = read_paper_verdicts(tmp_path)
    assert verdicts["cluster"].tolist() == ["81", "999"]


def test_missing_folders(tmp_path):
    assert "no such folder" in message_of(ReadError, read, tmp_path / "none")
    assert "no folder 'judgment_data' here" in message_of(ReadError, read, tmp_path)
    (tmp_path / "judgment_data").mkdir()
    assert "no judgment files found" in message_of(ReadError, read, tmp_path)
    write_record(tmp_path, ("1", "x", "y", "[[A]]"))
    told = message_of(ReadError, read, tmp_path, benchmark="DevBench")
    assert "no judgments of benchmark 'DevBench'" in told
    assert "allowed: MTBench" in told


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("", ReadError, "not readable as tab-separated text"),
        ("cmp_index\tA\tB\ttask\tgpt\n", ReadError, "the file is empty"),
        ("cmp_index\tA\ttask\tgpt\n1;x;y\tx\tt\t[[A]]\n", TableError, "missing column 'B'"),
        (
            "cmp_index\tA\tB\ttask\tclaude\n1;x;y\tx\ty\tt\t[[A]]\n",
            TableError,
            "the last column is 'claude', but the file is named for judge 'gpt'",
        ),
        (
            "cmp_index\tA\tB\ttask\tgpt\n1;x;y\tx\ty\tt\t[[A]]\n2;y;x\tx\ty\tt\t[[A]]\n",
            TableError,
            "record 3: cmp_index '2;y;x' is not question;A;B of A 'x' and B 'y'",
        ),
        ("cmp_index\tA\tB\ttask\tgpt\n;x;y\tx\ty\tt\t[[A]]\n", TableError, "cmp_index ';x;y'"),
        ("cmp_index\tA\tB\ttask\tgpt\n1;x;y\tx\n", TableError, "A 'x' and B ''"),
        ('cmp_index\tA\tB\ttask\tgpt\n1;x;y\tx\ty\tt\t"cut', ReadError, "not readable"),
        (
            "cmp_index\tA\tB\ttask\tgpt\n1;x;y\tx\ty\tt\ta\n2;x;y\tx\ty\tt\ta\tb\n",
            ReadError,
            "not readable",
        ),
    ],
)
def test_broken_records_name_the_file(tmp_path, content, error, message):
    path = write_record(tmp_path, ("1", "x", "y", "[[A]]"))
    path.write_text(content)
    told = message_of(error, read, tmp_path)

    assert message in told
    assert "record_gpt_3.tsv" in told


def test_file_names_tell_judge_and_options(tmp_path):
    write_record(tmp_path, ("1", "x", "y", "[[A]]"), options=5)

    assert "'record_gpt_5.tsv'" in message_of(ReadError, read, tmp_path)


def test_duplicates_name_both_files(tmp_path):
    write_record(tmp_path, ("1", "y", "x", "[[A]]"), ("1", "x", "y", "[[A]]"), run="run_a")
    write_record(tmp_path, ("1", "x", "y", "[[B]]"), run="run_b")
    told = message_of(TableError, read, tmp_path)

    assert "judge 'gpt' judged question '1' showing 'x' first, 'y' second, 2 times" in told
    assert "run_a/record_gpt_3.tsv, record 3" in told
    assert "run_b/record_gpt_3.tsv, record 2" in told
