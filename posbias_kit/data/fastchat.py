"""A benchmark in FastChat's layout: question.jsonl, model_answer/, reference_answer/."""

from pathlib import Path

import pandas as pd

from posbias_kit.data.benchmark import build_benchmark
from posbias_kit.data.json_rows import id_of, read_json_lines
from posbias_kit.errors import ReadError


def read_fastchat(path, name):
    """Read a folder in FastChat's layout.

    Keys that are not named here are ignored, and so are further choices of an answer.

    Parameters
    ----------
    path : str or Path
        Folder that holds

        - ``question.jsonl``: question_id, category, turns, and perhaps reference
        - ``model_answer/*.jsonl``: question_id, choices[0].turns, and model_id (without it,
          the candidate is called as the file)
        - ``reference_answer/*.jsonl``, optional: question_id, choices[0].turns; it wins over
          the reference of ``question.jsonl``
    name : str
        Name of the benchmark in every table.

    Returns
    -------
    Benchmark

    Raises
    ------
    ReadError
        A file is missing, empty or broken, a row lacks a key, an answer belongs to no question
        or does not have its turns, or the same row stands twice.

    Examples
    --------
    >>> benchmark = read_fastchat(Path(__file__).with_name("starter"), "Starter")
    >>> len(benchmark.questions), len(benchmark.answers)
    (48, 240)
    """
    path = Path(path)
    if not path.is_dir():
        raise ReadError(
            "no such folder", place=str(path), cure="give the folder that holds question.jsonl"
        )
    questions = _read_questions(path / "question.jsonl")
    answers = _read_answers(path / "model_answer", questions)
    references = _read_answers(path / "reference_answer", questions, references=True)
    for (question, _), (_, turns) in references.items():
        questions[question]["reference_answer"] = turns
    return build_benchmark(
        name,
        pd.DataFrame(list(questions.values())).drop(columns="place"),
        pd.DataFrame(
            [
                {"question": question, "candidate": candidate, "turns": turns}
                for (question, candidate), (_, turns) in answers.items()
            ]
        ),
        place=str(path),
    )


def _read_questions(path):
    questions = {}
    for place, row in read_json_lines(path):
        question = id_of(row.get("question_id"), "question_id", place)
        if question in questions:
            raise _twice(f"question_id {question!r}", place, questions[question]["place"])
        reference = row.get("reference") or None
        if isinstance(reference, str):
            reference = [reference]
        questions[question] = {
            "place": place,
            "question": question,
            "task": id_of(row.get("category"), "category", place),
            "turns": _texts(row.get("turns"), "turns", place),
            "reference_answer": reference and _texts(reference, "reference", place),
        }
    return questions


def _read_answers(folder, questions, references=False):
    """Return {(question, candidate): (place, turns)}; all references are one candidate."""
    files = sorted(folder.glob("*.jsonl"))
    if not files and not references:
        raise ReadError(
            "no answers: the folder is missing or holds no .jsonl file",
            place=str(folder),
            allowed="one file a candidate, e.g. model_answer/vicuna-13b-v1.3.jsonl",
            cure="put the candidates' answers there",
        )
    answers = {}
    for file in files:
        for place, row in read_json_lines(file):
            question = id_of(row.get("question_id"), "question_id", place)
            if question not in questions:
                raise ReadError(
                    f"unknown question_id {question!r}",
                    place=place,
                    allowed=f"the {len(questions)} ids of question.jsonl",
                    cure="add the question, or remove the row",
                )
            candidate = "reference" if references else row.get("model_id") or file.stem
            key = question, id_of(candidate, "model_id", place)
            if key in answers:
                raise _twice(f"the answer of {key[1]!r} to {question!r}", place, answers[key][0])
            answers[key] = place, _choice(row, questions[question], place)
    return answers


def _choice(row, question, place):
    """Return the turns of the first choice."""
    choices = row.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    turns = _texts(
        first.get("turns") if isinstance(first, dict) else None, "choices[0].turns", place
    )
    if len(turns) != len(question["turns"]):
        raise ReadError(
            f"{len(turns)} turns answer the {len(question['turns'])} of question "
            f"{question['question']!r}",
            place=place,
            allowed="one answer a turn",
            cure="complete the answer, or remove the row",
        )
    return turns


def _texts(value, key, place):
    if isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        return value
    raise ReadError(
        f"{key} is {str(value)[:60]!r}",
        place=place,
        allowed="a list of texts, one a turn",
        cure=f"mend {key}",
    )


def _twice(what, place, before):
    return ReadError(
        f"{what} stands twice, before in {before}", place=place, cure="remove one of the rows"
    )
