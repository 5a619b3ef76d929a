"""Layouts in which judgments are published, each with its reader."""

from posbias_kit.data.layouts.alpaca_eval import ALPACA_EVAL
from posbias_kit.data.layouts.arena_hard import ARENA_HARD
from posbias_kit.data.layouts.fastchat_pair import FASTCHAT_PAIR
from posbias_kit.data.layouts.judgebench import JUDGEBENCH
from posbias_kit.data.layouts.listwise import LISTWISE
from posbias_kit.data.layouts.llmbar import LLMBAR
from posbias_kit.data.layouts.scores import SCORES
from posbias_kit.data.layouts.swap_columns import SWAP_COLUMNS
from posbias_kit.data.layouts.table import TABLE

_ALL = (
    SWAP_COLUMNS,
    FASTCHAT_PAIR,
    ARENA_HARD,
    JUDGEBENCH,
    SCORES,
    LLMBAR,
    LISTWISE,
    ALPACA_EVAL,
    TABLE,
)
LAYOUTS = {layout.name: layout for layout in _ALL}
"""Readers by name; :func:`posbias_kit.data.judgments.read_judgments` runs them."""
