"""How fast people read, in which language a text is, and where a reader is at which moment.

Speeds come from two tables with a source in every row (`lib/data/reading_speed.csv`, `human_baselines.csv`).
Units are words (runs of non-space) or, in Chinese, Japanese and Thai, characters. The reader here and the one
in the browser follow `tests/vectors/reader.json`. It reads; it does not understand, skim or look back.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Literal

from lib.i18n import _, current_language

Unit = Literal["word", "char"]

DATA_FOLDER = Path(__file__).parent / "data"
NS_PER_MIN = 60_000_000_000
BAND = 0.25  # half width of the band between readers where no study gives one (facts: about +/- 25 %)
_ENGLISH_BAND = (175.0, 300.0)  # "most adults", Brysbaert 2019, doi:10.1016/j.jml.2019.104047
DEFAULT_ID = "en"

# Characters read one by one: Han, kana and Thai letters; marks above and below are free.
_SINGLE = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"  # combining; Latin, Devanagari, Thai
_UNITS: dict[Unit, re.Pattern[str]] = {
    "word": re.compile(r"[^\s\x00-\x20\ufeff]+"),
    "char": re.compile(rf"[{_SINGLE}]|(?![{_SINGLE}])[^\W_](?:(?![{_SINGLE}])[\w{_MARKS}'’.-])*"),
}
_SINGLE_CHARACTER = re.compile(rf"[{_SINGLE}]")
_SINGLE_SHARE = 0.3
_SCRIPTS = {
    "kana": re.compile("[\u3041-\u30ff\uff66-\uff9f]"),
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "hangul": re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"),
    "thai": re.compile("[\u0e01-\u0e5b]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "arabic": re.compile("[\u0600-\u06ff\u0750-\u077f]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "latin": re.compile("[A-Za-z\u00c0-\u024f]"),
}
_LANGUAGE_OF_SCRIPT = {
    "han": "zh-Hans", "hangul": "ko", "thai": "th", "cyrillic": "ru", "arabic": "ar", "hebrew": "he",
}  # fmt: skip
_LETTERS_PER_SYLLABIC_SIGN = 3  # a Latin letter says less than a Han, kana or hangul sign
_KANA_SHARE = 0.1  # of the East Asian signs; Japanese prose has about half
_STOP_WORDS = {
    "en": "the of and to in is that it for as with was on are be this by from at an have not or you can do does how "
    "what why who when where which",
    "de": "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden",
    "fr": "le la les des et est une dans que qui pour pas sur au par plus ce avec il sont du en ou",
    "es": "el los las y que una por con para es del se lo como más pero su al no un está o",
    "it": "il di che è un per non una sono della con nel più gli anche si le ma delle alla dei",
    "pt": "o os do da em um para não uma com que mais as dos como por se ao das é são",
    "nl": "de het een van en dat is op te zijn met voor niet aan er om ook als maar bij",
    "sv": "och att det som en på är av för med den till inte om ett har de jag var men",
    "fi": "ja on ei että se oli joka myös mutta kun ovat hän niin tai kuin sen ole voi",
    "pl": "i w nie na się z do to że jest jak po co ale za od przez są dla tym",
    "tr": "ve bir bu için ile da de olarak çok daha olan gibi en ama değil kadar sonra var",
    "sl": "je in na se da so za ki ne pa bi kot po tudi ali iz ter pri še bil",
}
_STOP_WORD_SETS = {language: frozenset(words.split()) for language, words in _STOP_WORDS.items()}
_SAMPLE_CHARACTERS = 4000  # of a text, enough to tell its language
_ID_OF_LANGUAGE = {"pt": "pt-BR"}


@dataclass(frozen=True, slots=True)
class ReadingSpeed:
    """How many units a person takes in per minute; `lo` to `hi` is where most adults are."""

    id: str
    language: str
    unit: Unit
    per_min: float
    lo: float
    hi: float
    label: str
    source: str

    @property
    def per_s(self) -> float:
        """Units per second: per_min / 60."""
        return self.per_min / 60


@dataclass(frozen=True, slots=True)
class Reading:
    """When one reader finished each unit of one text; times are nanoseconds on the run's clock."""

    starts_ns: tuple[int, ...]
    ends_ns: tuple[int, ...]
    waited_ns: int  # stood waiting for text after having begun

    @property
    def done_ns(self) -> int | None:
        """When the last unit is read; None when there is nothing to read."""
        return self.ends_ns[-1] if self.ends_ns else None

    def position(self, at_ns: int) -> tuple[int, int | None]:
        """Units read by this moment, and the one being read (None while waiting or after the end)."""
        read = bisect_right(self.ends_ns, at_ns)
        reading = read < len(self.ends_ns) and self.starts_ns[read] <= at_ns
        return read, read if reading else None


def speeds() -> tuple[ReadingSpeed, ...]:
    """Every reading speed known: silent reading by language first, then other ways to take in English."""
    return _speeds(current_language())


@cache
def _speeds(_interface_language: str) -> tuple[ReadingSpeed, ...]:
    by_language = [_of_language(row) for row in _rows("reading_speed.csv")]
    others = [_of_baseline(row) for row in _rows("human_baselines.csv") if row["id"] != "silent-nonfiction"]
    return (*by_language, *others)


def speed(identity: str) -> ReadingSpeed:
    """The speed with this id, or the default (English, 238 words/min) when there is none."""
    return next((known for known in speeds() if known.id == identity), speeds()[0])


def aloud_speed(language: str) -> ReadingSpeed | None:
    """Reading aloud in a language (IReST: adults of 18 to 35, easy text), within one standard deviation; None: no study."""
    row = next((row for row in _rows("reading_speed.csv") if row["lang"] == language), None)
    per_min = _aloud(row, "irest_chars_min" if row["unit"] == "char" else "irest_wpm") if row else None
    if row is None or per_min is None or "estimate" in row["verified"]:
        return None
    spread = _aloud(row, "irest_chars_sd" if row["unit"] == "char" else "irest_wpm_sd") or per_min * BAND
    unit: Unit = "char" if row["unit"] == "char" else "word"
    return ReadingSpeed(
        f"aloud-{language}", language, unit, per_min, per_min - spread, per_min + spread, _(row["language"]),
        row["source"],
    )  # fmt: skip


def default_for(text: str) -> ReadingSpeed:
    """The silent reading speed for the language of the text; English when no other is recognised."""
    return speed(language_of(text))


def unit_of(text: str) -> Unit:
    """What suits the script of the text: characters when three in ten letters are read one by one."""
    sample = text[:_SAMPLE_CHARACTERS]
    single = len(_SINGLE_CHARACTER.findall(sample))
    letters = sum(character.isalnum() for character in sample)
    return "char" if single and single >= _SINGLE_SHARE * letters else "word"


def speed_for(text: str, chosen: ReadingSpeed | None) -> ReadingSpeed:
    """The chosen speed where its unit suits the text, else the silent speed of the text's language."""
    unit = unit_of(text)
    if chosen is not None and chosen.unit == unit:
        return chosen
    usual = default_for(text)
    return usual if usual.unit == unit else speed("zh-Hans" if unit == "char" else DEFAULT_ID)


def language_of(text: str) -> str:
    """The language of a text as a key of the table (`en`, `zh-Hans`, `ja`, ...).

    By script; among Latin languages by their most frequent words. A guess: `en` when in doubt.
    """
    sample = text[:_SAMPLE_CHARACTERS]
    found = {script: len(pattern.findall(sample)) for script, pattern in _SCRIPTS.items()}
    east_asian = found["han"] + found["kana"]
    if found["kana"] > _KANA_SHARE * east_asian:
        found["han"], found["kana"] = east_asian, 0
        return "ja" if _is_main("han", found) else _latin_language(sample)
    main = next((script for script in _LANGUAGE_OF_SCRIPT if _is_main(script, found)), "latin")
    return _LANGUAGE_OF_SCRIPT.get(main) or _latin_language(sample)


def is_readable_here(text: str) -> bool:
    """Whether most letters of the text are of a script that some language of the table is written in."""
    letters = [character for character in text[:_SAMPLE_CHARACTERS] if character.isalpha()]
    known = sum(any(pattern.match(letter) for pattern in _SCRIPTS.values()) for letter in letters)
    return 2 * known >= len(letters)


def units(text: str, unit: Unit) -> list[tuple[int, int]]:
    """Where the units of the text are, as (start, end) character offsets.

    Words are runs of non-space. Characters are letters of scripts written without spaces; a Latin word or a
    number among them counts one; punctuation and marks are free.
    """
    return [match.span() for match in _UNITS[unit].finditer(text)]


def count_units(text: str, unit: Unit) -> int:
    """How many words or characters the text has."""
    return len(units(text, unit))


def completed_units(texts: Sequence[str], unit: Unit) -> list[int]:
    """For each piece: units completed when it has arrived, the joined text being divided once."""
    unit_ends = [end for _start, end in units("".join(texts), unit)]
    return [bisect_right(unit_ends, end) for end in accumulate(len(text) for text in texts)]


def read(deltas: Iterable[tuple[int, str]], reading_speed: ReadingSpeed) -> Reading:
    """One reader over (at_ns, text) deltas: begins with the first unit, never ahead of the delivered text.

    Unit k is read from max(end of k-1, arrival of its last character), for 60 / per_min seconds.
    """
    return read_at(deltas, reading_speed.unit, reading_speed.per_min)


def read_at(deltas: Iterable[tuple[int, str]], unit: Unit, per_min: float) -> Reading:
    """`read` with the unit and the speed given one by one (units per minute, above 0)."""
    pieces = list(deltas)
    piece_ends = list(accumulate(len(text) for _at, text in pieces))
    found = units("".join(text for _at, text in pieces), unit)
    arrivals = [pieces[bisect_left(piece_ends, end)][0] for _start, end in found]
    starts: list[int] = []
    ends: list[int] = []
    since_ns, streak = (arrivals[0] if arrivals else 0), 0
    for arrival_ns in arrivals:
        if ends and arrival_ns > ends[-1]:
            since_ns, streak = arrival_ns, 0
        starts.append(since_ns + round(streak * NS_PER_MIN / per_min))
        streak += 1
        ends.append(since_ns + round(streak * NS_PER_MIN / per_min))
    return Reading(tuple(starts), tuple(ends), _waited_ns(pieces, starts, ends))


def _waited_ns(pieces: Sequence[tuple[int, str]], starts: Sequence[int], ends: Sequence[int]) -> int:
    if not starts:
        return 0
    begun_ns = next(at for at, text in pieces if text.strip())
    between = sum(start - end for start, end in zip(starts[1:], ends, strict=False))
    return max(0, starts[0] - begun_ns) + between


def _is_main(script: str, found: dict[str, int]) -> bool:
    weight = _LETTERS_PER_SYLLABIC_SIGN if script in ("han", "hangul", "thai") else 1
    return found[script] * weight > sum(found.values()) - found[script]


def _latin_language(sample: str) -> str:
    words = re.findall(r"[^\W\d_]+", sample.lower())
    hits = {language: sum(word in known for word in words) for language, known in _STOP_WORD_SETS.items()}
    best = max(hits, key=lambda language: hits[language])
    return _ID_OF_LANGUAGE.get(best, best) if hits[best] else DEFAULT_ID


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA_FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _aloud(row: dict[str, str], column: str) -> float | None:
    return float(row[column]) if row[column] else None


def _of_language(row: dict[str, str]) -> ReadingSpeed:
    unit: Unit = "char" if row["unit"] == "char" else "word"
    per_min = float(row["silent_chars_min"] if unit == "char" else row["silent_wpm"])
    low, high = _ENGLISH_BAND if row["lang"] == "en" else (per_min * (1 - BAND), per_min * (1 + BAND))
    source = "; ".join(filter(None, (row["silent_basis"], row["source"])))
    return ReadingSpeed(row["lang"], row["lang"], unit, per_min, low, high, _(row["language"]), source)


def _of_baseline(row: dict[str, str]) -> ReadingSpeed:
    per_min = float(row["wpm"])
    low = float(row["lo"] or per_min * (1 - BAND))
    high = float(row["hi"] or per_min * (1 + BAND))
    return ReadingSpeed(row["id"], "en", "word", per_min, low, high, _(row["label"]), row["source"])
