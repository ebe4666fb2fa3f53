"""Format rules that a speech must keep, each a check that says in words what was broken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from dissensus.session.protocol import Parsed
from dissensus.text.sentences import split_sentences
from dissensus.text.words import count_words

#: Symbols that appendix D.1 of the language paper bans from plain text.
BANNED = "#*_~`>|"

_LIST = re.compile(
    r"^[^\S\n]*(?:[-•‣◦]|\d+[.)、](?!\d)|[一二三四五六七八九十]+、|[a-zA-Z]\))\s*\S", re.MULTILINE
)
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u231a\u231b\u23e9-\u23f3\u25fd\u25fe\u2b1b\u2b1c"
    "\u2b50\u2b55\ufe0f]"
)
_GREETING = re.compile(
    r"\A\s*+(?:hello\b|hi(?=[\s,.!])|good (?:morning|afternoon|evening)|greetings|"
    r"ladies and gentlemen|thank you|dear |as the (?:pro|con)\b|i am the (?:pro|con)\b|"
    r"(?:pro|con) (?:first|second) speaker|round \d|"
    r"(?:大家|你们|您|早上|上午|下午|晚上)好|各位(?!\w)|各位(?:好|评委|观众|同学|辩友|来宾|朋友|女士)|"
    r"尊敬的|谢谢|感谢(?:各位|大家|主席|评委|对方|你|您)|女士们|作为(?:正方|反方)|"
    r"我是(?:正方|反方)|(?:正方|反方)[一二]辩|第[一二三四\d]+轮)",
    re.IGNORECASE,
)
# The share of characters of the other kind from which on a text is of that kind.
_ALIEN = 0.1
_HAN = re.compile(r"[\u3400-\u9fff]+")
# A word, between white space, with a Latin letter and no Han character.
_LATIN = re.compile(r"(?<!\S)(?=\S*[A-Za-z\u00c0-\u024f])[^\s\u3400-\u9fff]+(?!\S)")


@dataclass(frozen=True)
class SpeechRules:
    """The output rules of one speech.

    Attributes
    ----------
    sentences : how many sentences, exactly.
    words : the most that any one of them may have (segmented words where the language needs it).
    script : "latin", "han", or "hans" and "hant" for simplified and traditional characters alone:
        the writing system of the language asked for.
    """

    sentences: int
    words: int
    script: str

    def read(self, text: str) -> Parsed[str]:
        """The text itself, and every rule that it breaks."""
        return Parsed(text, self.violations(text))

    def violations(self, text: str) -> tuple[str, ...]:
        """Every rule that a text breaks, in words; empty where it breaks none."""
        broken = []
        symbols = sorted(symbol for symbol in BANNED if symbol in text)
        if symbols:
            broken.append(f"banned symbols: {' '.join(symbols)}")
        if _LIST.search(text):
            broken.append("a bulleted or numbered list")
        if "\n" in text.strip():
            broken.append("more than one paragraph, or a heading")
        if _EMOJI.search(text):
            broken.append("an emoji")
        if _GREETING.match(text):
            broken.append("a greeting or an announcement of the role or round")
        sentences = split_sentences(text)
        if len(sentences) != self.sentences:
            broken.append(f"{len(sentences)} sentences instead of exactly {self.sentences}")
        longest = max((count_words(s) for s in sentences), default=0)
        if longest > self.words:
            broken.append(f"a sentence of {longest} words; the most is {self.words}")
        if share_of_script(text, self.script) < 0.5 or _is_other_han(text, self.script):
            broken.append("not in the language asked for")
        return tuple(broken)


def share_of_script(text: str, script: str) -> float:
    """Share of a text's words that are in a script, each Han character and Latin word one unit.

    A Latin word weighs as much as a Han character, so that a name quoted in Latin letters does
    not make a Chinese speech English. A text with neither has share 1.
    """
    han = sum(map(len, _HAN.findall(text)))
    latin = len(_LATIN.findall(text))
    if han + latin == 0:
        return 1.0
    return (han if script.startswith("han") else latin) / (han + latin)


def _is_other_han(text: str, script: str) -> bool:
    """Whether a text is in the other kind of Chinese characters than the script asks for.

    GB 2312 is the set of simplified characters in common use, Big5 that of the traditional ones. A
    third and more of a text's characters are in one alone; a name in the other kind is not.
    """
    script_set, other = {"hans": ("gb2312", "big5"), "hant": ("big5", "gb2312")}.get(
        script, ("", "")
    )
    characters = "".join(_HAN.findall(text))
    if not script_set or not characters:
        return False
    alien = sum(
        not _has(script_set, character) and _has(other, character) for character in characters
    )
    return alien > _ALIEN * len(characters)


@cache
def _has(encoding: str, character: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
