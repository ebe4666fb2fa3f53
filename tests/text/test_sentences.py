"""Sentences: English marks, abbreviations and quotations, Chinese marks, and nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.text.sentences import split_sentences

enough = settings(max_examples=200)

# Marks, quotes, abbreviations and scripts far more often than plain text would have them.
prose = st.lists(
    st.one_of(
        st.sampled_from(list(" \n\t.!?。！？…\"'”’」』)]“「aB3我"))
        | st.sampled_from(["Mr.", "U.S.", "etc.", "No.", " e.g. ", "3.5", "等等", "...", "……"]),
        st.text(max_size=5),
    ),
    max_size=40,
).map("".join)


@pytest.mark.parametrize(
    "sentences",
    [
        ["We agree.", "You do not!", "Why?"],
        ["Mr. Smith met Dr. J. S. Mill in the U.S. Senate.", "They spoke."],
        ["Taxes, e.g. on fuel, fall on the poor, cf. Smith et al. for more.", "So what?"],
        ["Costs rose by 3.5 percent to $1,000.50.", "That is dissensus.org version 2.1."],
        ["It asks for schools, roads, etc. and more.", "It pays."],
        ["It asks for schools, roads, etc.", "The state pays."],
        ["So do you and I.", "We agree."],
        ["Should the state pay?", "No.", "It should not."],
        ["Rule No. 5 is clear.", "Nos. 6 and 7 are not."],
        ['He asked "why?" and left.', '"Really?!"', "“Yes.”", "(It was so.)", "Then night fell"],
        ["Wait...", "That is odd."],
    ],
)
def test_english(sentences):
    assert split_sentences(" ".join(sentences)) == sentences
    assert split_sentences("\n\n".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["政府应该付钱。", "为什么不呢？", "绝不！", "等等……", "没有标点"],
        ["他说：“这不对。”", "（我们同意！）", "「好。」"],
        ["费用增加了3.5%，达到1,000.50元。", "对。"],
        ["真的吗?", "我们认为不是!", "对.", "走"],
        ["U.S.的政策不变。", "GDP增长了。"],
    ],
)
def test_chinese_needs_no_spaces(sentences):
    assert split_sentences("".join(sentences)) == sentences
    assert split_sentences("\n".join(sentences)) == sentences


def test_mixed_text():
    text = "The word 仁 matters. 它的意思是“仁爱。” That is all。 Done"
    assert split_sentences(text) == [
        "The word 仁 matters.",
        "它的意思是“仁爱。”",
        "That is all。",
        "Done",
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\t　"])
def test_no_text_has_no_sentence(text):
    assert split_sentences(text) == []


@pytest.mark.parametrize("text", ["By the U.S.", "Schools, etc.", "  One  ", "..."])
def test_the_end_of_the_text_ends_the_last_sentence(text):
    assert split_sentences(text + " ") == [text.strip()]


@enough
@given(prose)
def test_sentences_hold_every_character_but_white_space(text):
    sentences = split_sentences(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)


#: One sentence count for both: the same text in two languages.
PARALLEL = [
    (1, "对方问‘谁来付钱？’，却不看收益。", "They ask 'who pays?', but ignore the benefits."),
    (1, "对方问‘谁来付钱？’却不看收益。", "They ask 'who pays?' but ignore the benefits."),
    (1, "没有人回答“谁来付账？”而我们答了。", "Nobody answered “who pays?” while we did."),
    (1, "“够了！”他说。", "“Enough!” he said."),
    (3, "他说“够了。”然后离开。然后呢？", "He said “enough.” Then he left. And then?"),
    (1, "这项政策（谁会反对呢？）很受欢迎。", "This policy (who would object?) is popular."),
    (2, "（我们同意！）政府应当付钱。", "(We agree!) The government should pay."),
    (1, "问题是‘谁来付钱？’——而答案很清楚。", "The question is 'who pays?' — and all know it."),
    (1, "他们问‘为什么？’；我们问‘为什么不？’。", "They ask 'why?'; we ask 'why not?'."),
    (2, "谁来付钱？我们都要付。", "Who pays? We all do."),
    (2, "成本是3.5元。这不多！", "It costs 3.5 yuan. That is little!"),
    (1, "A方说‘停下！’B方不停。", "A said 'stop!' and B did not."),
    (2, "我们听到了‘为何不试？’。我们试过。", "We heard 'why not try?'. We tried."),
]


@pytest.mark.parametrize(("count", "chinese", "english"), PARALLEL)
def test_parallel_texts_have_equally_many_sentences(count, chinese, english):
    assert len(split_sentences(chinese)) == count
    assert len(split_sentences(english)) == count
