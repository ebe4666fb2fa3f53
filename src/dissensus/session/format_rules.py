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
    r"^[^\S\n]*(?:[-•‣◦①-⑳]|\d+[.)、](?!\d)|[一二三四五六七八九十]+、|[a-zA-Zأ-ي]\)"
    r"|[가나다라마바사아자차카타파하][.)])\s*\S",
    re.MULTILINE,
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
    r"我是(?:正方|反方)|(?:正方|反方)[一二]辩|第[一二三四\d]+轮|"
    r"السلام عليكم|مرحبا|[أا]هلا|صباح الخير|مساء الخير|تحية طيبة|سيداتي|[أا]يها (?:السادة|الحضور)|"
    r"السيدات والسادة|شكر[اً]|بصفتي (?:المتحدث|ممثل)|الجولة (?:ال|\d)|"
    r"안녕하|여러분|존경하는|신사 숙녀|감사합니다|(?:찬성|반대)(?: 측)? ?(?:첫|두|제\d)|"
    r"저는 (?:찬성|반대)(?: 측)?(?:의|입니다|을)|제?\d ?라운드)",
    re.IGNORECASE,
)
# The share of characters of the other kind from which on a text is of that kind.
_ALIEN = 0.1
_HAN = re.compile(r"[\u3400-\u9fff]+")
#: Writing systems whose words stand between spaces -> their letters.
SPACED = {
    "latin": "A-Za-z\u00c0-\u024f",
    "arabic": "\u0620-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
    "cyrillic": "\u0400-\u052f",
    "hangul": "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3",
}


def _words_in(letters: str) -> re.Pattern[str]:
    """A word, between white space, with one of the letters and no Han character."""
    return re.compile(rf"(?<!\S)(?=\S*[{letters}])[^\s\u3400-\u9fff]+(?!\S)")


_WORDS = {script: _words_in(letters) for script, letters in SPACED.items()}
_ANY_WORD = _words_in("".join(SPACED.values()))


@dataclass(frozen=True)
class SpeechRules:
    """The output rules of one speech.

    Attributes
    ----------
    sentences : how many sentences, exactly.
    words : the most that any one of them may have (segmented words where the language needs it).
    script : one of :data:`SPACED`, "han", or "hans" and "hant" for simplified and traditional
        characters alone: the writing system of the language asked for.
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
    """Share of a text's words that are in a script, each Han character and other word one unit.

    A Latin word weighs as much as a Han character, so that a name quoted in Latin letters does
    not make a Chinese speech English. A word with letters of the script is in it, whatever else it
    has, as where Korean puts a particle behind a Latin name. A text without words has share 1.
    """
    han = sum(map(len, _HAN.findall(text)))
    words = len(_ANY_WORD.findall(text))
    if han + words == 0:
        return 1.0
    of_script = len(_WORDS[script].findall(text)) if script in _WORDS else han
    return of_script / (han + words)


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
