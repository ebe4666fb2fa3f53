"""What makes simulated debates read like none, counted: repeats, stock, and answers to nothing.

Run as a script on a folder of results (``results/<run>/union``), it prints the counts of all its
debates. None may be above one in a hundred.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from dissensus.text.corpora.reading import read_document
from dissensus.text.sentences import split_sentences

#: Words that say nothing about what is spoken of.
_SMALL_WORDS = """
    about after again against also because been before being between both could does done down
    each else even ever every from have here into itself just know like made make many more
    most much must never next once only other over rather said same says should some something
    still such take than that their them then there these they thing things this those through
    told under until very want were what when where which while with without would your yours
    yourself speaker reason question point answer true case
"""
_SMALL = frozenset(_SMALL_WORDS.split())
#: How a first speech betrays that it answers somebody, when nobody has spoken.
_AFTER_OTHERS = re.compile(
    r"what is said against it|has (?:just )?(?:said|told)|(?:said|told us|told you) (?:just )?now"
    r"|I have listened to|as we have heard tonight",
    re.IGNORECASE,
)
_COLOPHON = re.compile(r"written for the dissensus project", re.IGNORECASE)


def _key(sentence: str) -> str:
    """A sentence as it is compared: by its words alone."""
    return " ".join(re.findall(r"[^\W_]+(?:['’][^\W_]+)?", sentence.casefold()))


def _words(text: str) -> set[str]:
    """The words of a text that say what it is about, by their first five letters."""
    found = re.findall(r"[^\W\d_]{4,}", text.casefold())
    return {word[:5] for word in found if word not in _SMALL}


def _share(count: float, total: float) -> float:
    return count / total if total else 0.0


def repeats(speeches: Sequence[str]) -> dict[str, float]:
    """Shares of speeches that say a sentence twice, and of sentences and words that are repeats."""
    twice = sentences = repeated = words = repeated_words = 0
    for text in speeches:
        said: set[str] = set()
        before = repeated
        for sentence in split_sentences(text.replace("\n", " ")):
            size, key = len(sentence.split()), _key(sentence)
            sentences, words = sentences + 1, words + size
            if key in said:
                repeated, repeated_words = repeated + 1, repeated_words + size
            said.add(key)
        twice += repeated > before
    return {
        "speeches that say a sentence twice": _share(twice, len(speeches)),
        "sentences that are repeats": _share(repeated, sentences),
        "words in repeats": _share(repeated_words, words),
    }


def stock(speeches: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Share of words in sentences that are said in debates of two motions; motion -> speeches."""
    said: dict[str, set[str]] = defaultdict(set)
    size: Counter[str] = Counter()
    for motion, texts in speeches.items():
        for text in texts:
            for sentence in split_sentences(text.replace("\n", " ")):
                key = _key(sentence)
                said[key].add(motion)
                size[key] += len(sentence.split())
    shared = sum(size[key] for key, motions in said.items() if len(motions) > 1)
    return {"words in stock sentences": _share(shared, size.total())}


def first_answers(speeches: Iterable[str]) -> dict[str, float]:
    """Share of first speeches that answer what nobody has said."""
    answered = [bool(_AFTER_OTHERS.search(text)) for text in speeches]
    return {"first speeches that answer": _share(sum(answered), len(answered))}


def foreign_claims(
    claims: Sequence[tuple[str, str]], documents: Mapping[str, str]
) -> dict[str, float]:
    """Share of claims, (motion, text), that documents of another motion have and its own have not;
    motion -> all text of its documents.
    """
    flat = {motion: _key(text) for motion, text in documents.items()}
    foreign = sum(
        _key(text) not in flat[motion]
        and any(_key(text) in other for name, other in flat.items() if name != motion)
        for motion, text in claims
    )
    return {"claims of another motion's documents": _share(foreign, len(claims))}


def empty_answers(points: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Share of answers, (question, answer), that speak of nothing that the question asks about."""
    empty = sum(not (_words(question) & _words(answer)) for question, answer in points)
    return {"answers to another question": _share(empty, len(points))}


def slips(speeches: Sequence[str], documents: Mapping[str, str]) -> dict[str, float]:
    """Shares of speeches with a colophon in them, and with a sentence cut at a decimal: one that
    ends where a document goes on with a digit.
    """
    cut = [any(map(partial(_is_cut, documents), split_sentences(text))) for text in speeches]
    colophons = sum(bool(_COLOPHON.search(text)) for text in speeches)
    return {
        "speeches with a colophon": _share(colophons, len(cut)),
        "speeches with a cut decimal": _share(sum(cut), len(cut)),
    }


def _is_cut(documents: Mapping[str, str], sentence: str) -> bool:
    end = re.escape(" ".join(sentence.split())[-25:])
    at_point = sentence.endswith(".") and re.search(r"(?:\s|\d)\.$", sentence)
    return bool(at_point) and any(re.search(rf"{end}\d", text) for text in documents.values())


def same_definitions(definitions: Sequence[str]) -> dict[str, float]:
    """Share of debates whose definitions, without what they say the motion is, are another's."""
    meant = []
    for text in definitions:
        taken = json.loads(text)
        terms = sorted(term["definition"] for term in taken["terms"])
        meant.append(json.dumps([terms, taken["scope"], taken["exclusions"]]))
    times = Counter(meant)
    again = sum(count for count in times.values() if count > 1)
    return {"definitions of another debate": _share(again, len(meant))}


def counts(
    speeches: pd.DataFrame,
    points: pd.DataFrame,
    claims: pd.DataFrame,
    definitions: Sequence[str],
    documents: Mapping[str, str],
) -> dict[str, float]:
    """All counts of some debates.

    Parameters
    ----------
    speeches, points, claims : rows of these artefacts.
    definitions : the replies with the definitions, one a debate.
    documents : see :func:`foreign_claims`.
    """
    texts = speeches["text"].tolist()
    answered = points[points["accepted"] & points["answer"].ne("")]
    return {
        **repeats(texts),
        **stock({str(name): rows["text"].tolist() for name, rows in speeches.groupby("motion_id")}),
        **first_answers(speeches.loc[speeches["speech"] == 1, "text"]),
        **foreign_claims(list(zip(claims["motion_id"], claims["text"], strict=True)), documents),
        **empty_answers(list(zip(answered["text"], answered["answer"], strict=True))),
        **slips(texts, documents),
        **same_definitions(definitions),
    }


#: The shipped documents by the motion that they speak of; those that spoke of two are of none.
DOCUMENTS = {
    "lottery": (
        *("the-rota-and-the-doctor", "a-ward-in-permanent-handover", "the-allotment-lecture"),
        *("who-is-missing", "pleading-against-the-lot", "the-act-and-the-event"),
        *("a-word-for-the-lobster", "on-being-thrown-out", "the-bag-and-the-ball", "two-doors"),
        *("five-hundred-names", "unit-cost-what-is-a-seat-worth", "visiting-hours-the-lottery"),
        *("the-long-table-the-chamber", "in-chambers-the-drawn-house", "night-shift-the-ball"),
        *("the-back-stairs-the-lost-seat", "the-margin-seats"),
    ),
    "memory": (
        *("the-side-that-is-not-there", "the-organist", "against-the-clearing-bill"),
        *("second-copies", "two-permissions", "the-competent-witness", "two-orders-i-regret"),
        *("the-committee-for-sorrows", "for-ilse", "the-locked-room", "open-the-clinic"),
        *("unit-cost-the-price-of-forgetting", "visiting-hours-the-clinic"),
        *("the-long-table-the-clinics", "in-chambers-the-clinics", "night-shift-ilse"),
        *("the-back-stairs-the-committee", "the-margin-clinics"),
    ),
}


def shipped(root: Path) -> dict[str, str]:
    """Motion -> all that the shipped speakers have said and written on it."""
    texts: dict[str, list[str]] = {motion: [] for motion in DOCUMENTS}
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        for motion, names in DOCUMENTS.items():
            if path.stem in names:
                texts[motion].append(read_document(path, 5.0).text)
    return {motion: " ".join(" ".join(found).split()) for motion, found in texts.items()}


def main(folder: Path) -> None:
    """Print the counts of a run's debates."""
    turns, speeches, points, claims = (
        pd.read_parquet(folder / f"{name}.parquet")
        for name in ("turns", "speeches", "points", "claims")
    )
    taken = turns[(turns["role"] == "definitions") & turns["compliant"]]
    definitions = taken["value"].tolist()
    documents = shipped(Path("resources/speakers"))
    for name, share in counts(speeches, points, claims, definitions, documents).items():
        print(f"{share:8.2%}  {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
