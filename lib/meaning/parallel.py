"""The same content in English and in Chinese: what each takes in tokens, time and money.

Three pairs: two of ours, counted when asked, and an article that was counted once.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from lib.i18n import _
from lib.meaning.densities import ARTICLE, sample
from lib.meaning.sample_texts import story, tide
from lib.metrics.quantity import Unavailable
from lib.tokens import count

_MILLION = Decimal(1_000_000)
ENGLISH, CHINESE = "en", "zh-Hans"


@dataclass(frozen=True, slots=True)
class Pair:
    """One content in both languages, in tokens of one encoding."""

    title: str
    english_tokens: int
    chinese_tokens: int

    @property
    def times(self) -> float:
        """Chinese tokens / English tokens."""
        return self.chinese_tokens / self.english_tokens


def pairs(encoding: str) -> list[Pair | Unavailable]:
    """Every pair under an encoding. Raises TokenizerError."""
    return [
        Pair(_("a simple story"), *(count(story(lang), encoding) for lang in (ENGLISH, CHINESE))),
        Pair(_("how tides work"), *(count(tide(lang), encoding) for lang in (ENGLISH, CHINESE))),
        _article(encoding),
    ]


def seconds(tokens: int, tps: float) -> float:
    """How long so many tokens take at a speed."""
    return tokens / tps


def cost(tokens: int, per_million: Decimal) -> Decimal:
    """What so many output tokens cost: tokens x price per million / 1,000,000."""
    return per_million * tokens / _MILLION


def _article(encoding: str) -> Pair | Unavailable:
    found = [sample(lang, ARTICLE, encoding) for lang in (ENGLISH, CHINESE)]
    english, chinese = found
    if english is None or chinese is None:
        return Unavailable(_("The article was not counted with {encoding}.").format(encoding=encoding))
    return Pair(_("a press article, with figures and Latin names"), english.tokens, chinese.tokens)
