"""What a judge is shown: presentations with their texts, and the order in which they go out."""

import json

import numpy as np

from posbias_kit.errors import TableError
from posbias_kit.schema import PRESENTATION_KEY


class Shown:
    """Presentations with the question and the answers that each one shows.

    Parameters
    ----------
    presentations, questions, answers : DataFrame
        Tables of :mod:`posbias_kit.schema`.
    """

    def __init__(self, presentations, questions, answers):
        self.presentations = presentations.reset_index(drop=True)
        self.identities = {}
        """Judge -> identities of its calls, once they are worked out."""
        self.keys = list(self.presentations[PRESENTATION_KEY].itertuples(index=False, name=None))
        self.shown = self.presentations["shown"].tolist()
        self.repeats = self.presentations["repeats"].tolist()
        self._at = list(zip(presentations["benchmark"], presentations["question"], strict=True))
        self._questions = {(row.benchmark, row.question): row for row in questions.itertuples()}
        names = ["benchmark", "question", "candidate"]
        self._answers = dict(
            zip(answers[names].itertuples(index=False, name=None), answers["turns"], strict=True)
        )

    def render(self, template, row):
        """Return the prompt of one presentation.

        Raises
        ------
        TableError
            The question or an answer is missing.
        """
        at = self._at[row]
        names = json.loads(self.shown[row])
        lacking = [name for name in names if (*at, name) not in self._answers]
        if at not in self._questions or lacking:
            what = f"answer of {', '.join(lacking)}" if lacking else "text"
            raise TableError(
                f"question {at[1]!r} has no {what}",
                place="presentations",
                cure="plan presentations of questions and answers that are there",
            )
        texts = [json.loads(self._answers[(*at, name)]) for name in names]
        return template.render(self._questions[at], texts)

    def series(self, seed):
        """Yield the calls of each series as (row, repeat), in a seeded random order.

        The questions come in random order, and so do the comparisons of each, so that a drift in
        time is not tied to a task or an order; both orders and all repeats of a comparison come
        one after another. One question at a time lets an endpoint reuse what it has read.
        """
        rng = np.random.default_rng(seed)
        comparison = [key for key in PRESENTATION_KEY if key != "order"]
        groups = list(self.presentations.groupby(comparison, sort=False).indices.values())
        codes = {at: number for number, at in enumerate(dict.fromkeys(self._at))}
        turn = rng.permutation(len(codes))
        mixed = [groups[index].tolist() for index in rng.permutation(len(groups))]
        mixed.sort(key=lambda rows: turn[codes[self._at[rows[0]]]])
        yield from self.series_of(mixed, rng)

    def series_of(self, comparisons, rng):
        """Yield the series of some comparisons, their repeats and orders mixed.

        Parameters
        ----------
        comparisons : iterable of list of int
            The rows of each.
        rng : numpy.random.Generator
        """
        for rows in comparisons:
            most = max(self.repeats[row] for row in rows)
            for repeat in (rng.permutation(most) + 1).tolist():
                order = [rows[place] for place in rng.permutation(len(rows))]
                yield [(row, repeat) for row in order if repeat <= self.repeats[row]]
