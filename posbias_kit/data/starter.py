"""The benchmark that comes with the kit: 48 questions with answers of known quality."""

from pathlib import Path

from posbias_kit.data.fastchat import read_fastchat

STARTER_QUALITY = {
    "careful": 2.0,
    "restated": 2.0,
    "mediocre": 0.5,
    "padded": 0.5,
    "flawed": -1.0,
}
"""Latent quality of the starter's candidates in log-odds, by construction of the answers.

`careful` is right and complete, and `restated` says the same in other words and order; the
true odds between them are even. `mediocre` is right but leaves something out, and `padded` says
no more in at least 1.6 times the words. `flawed` reads like `careful` but misleads in one place,
which the field `planted_error` of its file names. A judge that sees just this quality and no
position prefers the better answer in 82% of its verdicts at a difference of 1.5, in 95% at 3.0.
"""


def read_starter(name="Starter"):
    """Read the starter benchmark.

    Eight tasks (writing, roleplay, reasoning, math, coding, extraction, stem, humanities) with
    six questions each, two of them with two turns; five candidates, see
    :data:`STARTER_QUALITY`. Written for this kit; its licence is the kit's.

    Parameters
    ----------
    name : str
        Name of the benchmark in every table.

    Returns
    -------
    Benchmark

    Examples
    --------
    >>> benchmark = read_starter()
    >>> sorted(benchmark.answers["candidate"].unique()) == sorted(STARTER_QUALITY)
    True
    """
    return read_fastchat(Path(__file__).with_name("starter"), name)
