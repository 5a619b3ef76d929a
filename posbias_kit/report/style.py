"""The one style of all figures."""

import matplotlib.pyplot as plt
import seaborn as sns

INK, QUIET, ACCENT = "#1f2933", "#7b8794", "#0072b2"
PALETTE = "colorblind"
DIVERGING = "vlag"
SEQUENTIAL = "crest"
WIDTH = 7.2
"""Width of a figure in inches."""


def apply():
    """Set the style; :func:`posbias_kit.report.start` calls it once a notebook."""
    sns.set_theme(
        context="notebook",
        style="whitegrid",
        palette=PALETTE,
        rc={
            "figure.constrained_layout.use": True,
            "figure.dpi": 110,
            "savefig.dpi": 144,
            "svg.hashsalt": "posbias",  # the same figure, the same file
            "font.size": 10,
            "axes.labelsize": 10,
            "axes.titlesize": 11,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.edgecolor": QUIET,
            "axes.labelcolor": INK,
            "text.color": INK,
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "legend.fontsize": 9,
            "legend.frameon": False,
            "grid.color": "#e4e7eb",
        },
    )


def new_axes(rows, width=WIDTH, per_row=0.34):
    """Make axes tall enough for so many rows of labels."""
    _, ax = plt.subplots(figsize=(width, 1.3 + per_row * max(rows, 2)))
    return ax


def colours(count):
    """Return so many colours that can be told apart."""
    return sns.color_palette(PALETTE if count <= 10 else "husl", count)


def describe(ax, text):
    """Attach the alt text that the saved figure will carry; return `ax`."""
    ax.figure.set_label(text)
    return ax


def say_nothing_to_draw(ax, what):
    """Say in the figure, and in its alt text, that there is nothing to draw; return `ax`."""
    return say(ax, f"{what}: not estimable for any judge here.")


WORDS = "words in place of a figure"
"""Mark (gid) of a figure that holds no drawing; a page shows its words alone."""


def say(ax, words):
    """Show words in place of a figure, and as its alt text; return `ax`."""
    ax.figure.set_gid(WORDS)
    ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", fontsize=9)
    ax.set(xticks=[], yticks=[])
    return describe(ax, words)


def label_judges(frame):
    """Name each row by its judge, and by benchmark, experiment, arm or slots where they vary.

    An arm that has a name is named even if it is the only one: it is not the plain one.
    """
    label = frame["judge"].astype(str)
    for name in ("benchmark", "experiment", "arm", "slots"):
        named = name == "arm" and name in frame and frame[name].ne("").any()
        if named or (name in frame and frame[name].nunique() > 1):
            more = frame[name].astype(str).replace("", "plain" if name == "arm" else "–")
            label = label + " · " + more + (" slots" if name == "slots" else "")
    return label


def wrap_name(label, width=24):
    """Break a long name at a sign near its middle, so that titles of panels stay apart."""
    if len(label) <= width:
        return label
    breaks = [index + 1 for index, sign in enumerate(label[:-1]) if sign in "-/_ ·"]
    middle = min(breaks, key=lambda index: abs(index - len(label) / 2), default=len(label) // 2)
    return label[:middle] + "\n" + label[middle:]
