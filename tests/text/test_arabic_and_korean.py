"""Arabic and Korean: sentences, words, tokens and the rules of a speech, on texts in both.

Each pair of texts says the same, sentence by sentence, so that both have as many sentences.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.session.format_rules import SpeechRules, share_of_script
from dissensus.text.divergences import plain_similarity
from dissensus.text.sentences import split_sentences
from dissensus.text.tokens import tokenizer
from dissensus.text.words import count_words, split_words

ARABIC = [
    "يجب أن تكون وسائل النقل العام في المدن مجانية لأن التنقل حق للجميع.",
    "فقد زاد عدد الركاب بنسبة 3.5 في المئة، وانخفض الازدحام في وسط المدينة.",
    "قال المتحدث السابق 'إن التكلفة مرتفعة جدا'، لكنه نسي تكلفة التلوث.",
    "وهل يستطيع أحد أن يشرح لنا من يدفع ثمن الهواء الملوث؟",
]
KOREAN = [
    "이동은 모두의 권리이므로 도시의 대중교통은 무료여야 한다.",
    "승객 수는 3.5퍼센트 늘었고, 도심의 혼잡은 줄어들었다.",
    "앞선 토론자는 '비용이 너무 높다'고 말했지만, 오염의 비용을 잊었다.",
    "오염된 공기의 대가를 누가 치르는지 설명할 수 있는가?",
]
SPEECHES = {"arabic": ARABIC, "hangul": KOREAN}
RULES = {script: SpeechRules(sentences=4, words=50, script=script) for script in SPEECHES}
GREETING = "a greeting or an announcement of the role or round"
LANGUAGE = "not in the language asked for"


@pytest.mark.parametrize("script", SPEECHES)
def test_a_speech_has_the_sentences_that_it_was_made_of(script: str) -> None:
    assert split_sentences(" ".join(SPEECHES[script])) == SPEECHES[script]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        # A title of one letter, a quotation that goes on, an Urdu full stop, a run of marks.
        ("قال د. أحمد إن القانون عادل. ثم جلس.", 2),
        ("سأل: «من يدفع؟»، ولم يجب أحد. وانتهى النقاش.", 2),
        ("یہ قانون درست ہے۔ سب متفق ہیں۔", 2),
        ("هل هذا معقول؟! لا.", 2),
        # Particles follow a Korean quotation at once.
        ('그는 "누가 내는가?"라고 물었다. 아무도 답하지 않았다.', 2),
        ("2026년 3월 1일에 시작했다. 비용은 1,000원이었다.", 2),
    ],
)
def test_where_a_sentence_ends(text: str, sentences: int) -> None:
    assert len(split_sentences(text)) == sentences


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("حقّ التنقّل للجميع", ["حقّ", "التنقّل", "للجميع"]),
        # With its vowels a word is one word, and so is a number with Arabic digits.
        ("مُحَمَّدٌ كَتَبَ الدَّرْسَ", ["مُحَمَّدٌ", "كَتَبَ", "الدَّرْسَ"]),
        ("بنسبة ٣٫٥ في المئة", ["بنسبة", "٣٫٥", "في", "المئة"]),
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),
        ("도시의 대중교통은, 무료여야 한다.", ["도시의", "대중교통은", "무료여야", "한다"]),
        ("AI가 결정한다", ["AI가", "결정한다"]),
    ],
)
def test_words_are_what_stands_between_spaces_with_its_signs(text: str, words: list[str]) -> None:
    assert split_words(text) == words and count_words(text) == len(words)


@pytest.mark.parametrize("script", SPEECHES)
def test_korean_taken_apart_and_arabic_without_vowels_have_as_many_words(script: str) -> None:
    """However a keyboard writes the letters."""
    text = " ".join(SPEECHES[script])
    assert count_words(unicodedata.normalize("NFD", text)) == count_words(text)


@pytest.mark.parametrize("script", SPEECHES)
def test_a_speech_that_keeps_the_rules_breaks_none(script: str) -> None:
    assert RULES[script].violations(" ".join(SPEECHES[script])) == ()


@pytest.mark.parametrize("script", SPEECHES)
def test_each_rule_broken_is_named(script: str) -> None:
    rules, own = RULES[script], SPEECHES[script]
    greetings = {"arabic": "السلام عليكم جميعا.", "hangul": "안녕하십니까 여러분."}
    lists = {"arabic": "أ) ", "hangul": "가. "}
    long = f"{' '.join([own[0].rstrip('.').split()[0]] * 51)}."
    other = next(each for name, each in SPEECHES.items() if name != script)
    for text, broken in (
        (" ".join(own[:3]), "3 sentences instead of exactly 4"),
        (" ".join([greetings[script], *own[1:]]), GREETING),
        (" ".join([lists[script] + own[0], *own[1:]]), "a bulleted or numbered list"),
        (" ".join([long, *own[1:]]), "a sentence of 51 words; the most is 50"),
        (" ".join(other), LANGUAGE),
        ("One of them. Two of them. Three of them. Is that four?", LANGUAGE),
        ("这是第一句。这是第二句。这是第三句。这是第四句吗？", LANGUAGE),
        (" ".join(own).replace(own[0], f"**{own[0]}**"), "banned symbols: *"),
    ):
        assert broken in rules.violations(text), text


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("arabic", "تستخدم OpenAI و Google نماذج كبيرة في كل مكان تقريبا."),
        ("hangul", "OpenAI는 Google의 모델과 GPT를 비교한 결과를 발표했다."),
    ],
)
def test_names_in_latin_letters_make_no_other_language(script: str, text: str) -> None:
    assert share_of_script(text, script) > 0.7
    assert LANGUAGE not in SpeechRules(1, 50, script).violations(text)


@pytest.mark.parametrize("script", SPEECHES)
@pytest.mark.parametrize("name", ["tekken", "words"])
def test_tokens_tell_who_repeats_from_who_does_not(script: str, name: str) -> None:
    """The same speech twice is fully alike; two speeches in other words are less so."""
    encode, own = tokenizer(name), SPEECHES[script]
    whole = [" ".join(own[:2]), " ".join(own[2:])]
    tokens = [encode(text) for text in whole]
    assert all(0 < len(each) < 3 * len(text) for each, text in zip(tokens, whole, strict=True))
    assert plain_similarity([np.array(tokens[0])] * 2, [0, 1]) == pytest.approx(1.0)
    others = (tokens[1], encode(f"{own[0]} {own[2]}"))
    apart, mixed = (plain_similarity([*map(np.array, (tokens[0], b))], [0, 1]) for b in others)
    assert apart < mixed < 1.0


@given(st.text(alphabet="ابتثمحد ًّ؟.،가나다한국 ?!«»'\"", max_size=80))
def test_sentences_and_words_keep_all_letters(text: str) -> None:
    joined = "".join(split_sentences(text))
    assert "".join(joined.split()) == "".join(text.split())
    letters = [c for c in text if c.isalnum()]
    assert [c for c in "".join(split_words(text)) if c.isalnum()] == letters
