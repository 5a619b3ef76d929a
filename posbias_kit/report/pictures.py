"""Figures as files in every format, and as outputs of a notebook."""

import io

from posbias_kit.errors import ParamsError
from posbias_kit.report.captions import FORMATS
from posbias_kit.report.files import replacing

DPI = 144


def write_figure(plot, folder, name):
    """Write a figure in every format, show it in the notebook, and close it.

    Where there was nothing to draw, only the words that say so are shown.

    Parameters
    ----------
    plot : Axes, Figure, seaborn grid or array of Axes
        The figure's label is its alt text.
    folder : Path
    name : str

    Raises
    ------
    ParamsError
        The figure has no alt text.
    """
    from IPython.display import Image, Markdown, display
    from matplotlib import pyplot as plt
    from PIL import Image as Picture

    from posbias_kit.report.style import WORDS

    figure = figure_of(plot)
    alt = str(figure.get_label()).strip()
    if not alt:
        raise ParamsError(
            "the figure has no alt text",
            place=name,
            cure="say what it shows: ax.figure.set_label(text)",
        )
    if figure.get_gid() == WORDS:
        plt.close(figure)
        for ending in FORMATS:
            (folder / f"{name}.{ending}").unlink(missing_ok=True)
        display(Markdown(f"*{alt}*"))
        return
    title = _title_of(figure) or name.replace("_", " ")
    about = {"Title": title, "Description": alt}
    data = _write(figure, folder / f"{name}.png", about)
    _write(figure, folder / f"{name}.svg", about | {"Date": None})
    _write(figure, folder / f"{name}.pdf", {"Title": title, "CreationDate": None})
    plt.close(figure)
    width = Picture.open(io.BytesIO(data)).width * 96 // DPI
    display(Image(data=data, width=width), metadata={"image/png": {"alt": alt}})


def _write(figure, path, about):
    """Write one format, free of the time, and return its bytes."""
    buffer = io.BytesIO()
    kind = path.suffix[1:]
    figure.savefig(buffer, format=kind, dpi=DPI, bbox_inches="tight", metadata=about)
    with replacing(path) as temporary:
        temporary.write_bytes(buffer.getvalue())
    return buffer.getvalue()


def figure_of(plot):
    """Return the figure of whatever a plot function returns: Axes, several, or a grid."""
    if hasattr(plot, "ravel"):
        plot = plot.ravel()[0]
    if hasattr(plot, "get_figure"):
        return plot.get_figure(root=True)
    return plot.figure


def _title_of(figure):
    """Return the title of the figure, or of its panel where there is just one with a title."""
    places = ("left", "center", "right")
    titles = [axes.get_title(place) for axes in figure.axes for place in places]
    titles = [title for title in titles if title]
    return figure.get_suptitle() or (titles[0] if len(titles) == 1 else "")
