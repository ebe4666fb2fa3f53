"""What simulated speakers say around the sentences of their corpora.

Each list has many ways to do one thing, and a reader knows the thing by any of them. A slot in
braces is filled from what is spoken about, so that hardly a sentence is said in two debates. A
lead ends before a colon; what follows the colon is a sentence of the speaker's own.
"""

from __future__ import annotations

#: How a claim is brought, by its kind.
LEADS = {
    "evidence_backed": (
        "take the evidence first",
        "somebody went and counted",
        "there is a record of it",
        "this has been measured",
        "the figures are public",
        "ask those who looked",
        "the proof lies in the open",
        "here is what was found",
        "there are witnesses to this",
        "this much is documented",
        "on {term} we need not guess",
        "{term} can be looked up",
        "somebody has examined {term}",
        "of {term} there is a record",
        "you may check {term} for yourselves",
        "I bring proof about {term}",
    ),
    "principled": (
        "start from what both sides owe",
        "reason it through from fairness",
        "there is a principle in this",
        "think what we owe one another",
        "any fair rule begins here",
        "the reason is one for everybody",
        "consistency asks this of us all",
        "both benches must grant it",
        "let one standard hold for all",
        "fairness comes before convenience",
        "right and wrong come in with {term}",
        "on {term} one rule must hold for all",
        "a principle is at stake in {term}",
        "with {term} it comes down to fairness",
        "whoever reasons about {term} arrives here",
        "I argue from what is owed, and {term} shows it",
    ),
    "assertion": (
        "I simply put it to you",
        "see it with my eyes",
        "call it a conviction",
        "I say this on my own word",
        "to me it is plain",
        "I say it because I believe it",
        "allow me an opinion",
        "I ask you to feel the force of this",
        "it is my view, no more",
        "take it from me",
        "of {term} I have an opinion",
        "I do not stop to prove it, but think of {term}",
        "my own view of {term} is short",
        "about {term} I only say what I think",
        "I hear {term} like this",
        "I trust my sense of {term}",
    ),
}
#: That objections to a claim are met in advance.
GUARDS = (
    "before anybody objects",
    "whatever may be replied",
    "though it will be denied",
    "with the likely objection in view",
    "however hard it is pressed later",
    "so that no reply surprises us",
    "knowing what can be said against it",
    "lest it be waved away",
    "in spite of what you may be told next",
    "for those who doubt already",
    "even granting the usual reply",
    "without fear of the reply",
)
#: That a claim is the answer to what was quoted last.
REPLIES = (
    "in answer",
    "against that",
    "by way of reply",
    "to meet it",
    "set against this",
    "as my answer",
    "in reply",
    "to answer it",
)
#: Where in the speech a claim stands: the first, one of those between, the last.
ORDINALS = (
    ("first of all", "to begin with"),
    ("next", "besides", "then"),
    ("finally", "last of all"),
)
#: Who is answered, and what they said.
ADDRESSES = (
    "{name} told you: “{quote}”.",
    "Hear {name} once more: “{quote}”.",
    "“{quote}”: that was {name}.",
    "{name} leans on this: “{quote}”.",
    "I turn to {name}, and to the words “{quote}”.",
    "I wrote down what {name} said, “{quote}”.",
    "{name} wants you to take this home: “{quote}”.",
    "You heard it from {name}: “{quote}”.",
    "Then there is {name}, with “{quote}”.",
    "{name} built on the words “{quote}”.",
    "Much hung, for {name}, on “{quote}”.",
    "Now for {name}: “{quote}”.",
    "What of “{quote}”, as {name} has it?",
    "{name} was sure of one thing: “{quote}”.",
    "“{quote}”, says {name}.",
    "Let me take {name} at these words: “{quote}”.",
)
#: What an answer does to the reasoning.
LOGIC = (
    "that does not follow",
    "it proves less than it seems",
    "the step is missing",
    "the inference has a hole in it",
    "two questions are run together there",
    "turn that argument round",
    "it assumes what it should show",
    "that is a leap and no step",
    "the conclusion is bought too cheaply",
    "follow it one step further",
    "the reasoning breaks at its joint",
    "the premise will not carry it",
)
#: That an answer brings what nobody has said.
NEW = (
    "something was left out",
    "there is a fact missing there",
    "add what went unmentioned",
    "set beside it what we have not heard",
    "there is more to tell",
    "one thing was passed over",
    "the other half of the story is this",
    "nobody has told you the rest",
    "here is what was not said",
    "put this on the scales too",
    "the account is not complete",
    "look at what was kept from you",
)
#: That what was quoted does not stand.
FALLEN = (
    "So {term} cannot carry the case.",
    "That is where we lose {term}.",
    "With that, nothing is left of {term} as an argument.",
    "After this not much is left of {term}.",
    "Nobody should vote on the strength of {term}.",
    "And so we have to give up {term}.",
    "The point about {term} falls.",
    "Whoever counted on {term} must look elsewhere.",
    "I do not see how {term} can recover from that.",
    "Strike {term} from the account.",
    "That leaves {term} without a leg under it.",
    "It is over with {term}.",
)
#: How a speech begins; {motion} is what the House would do.
OPENINGS = {
    "proposition": (
        "I ask this House to {motion}, and I ask it with {term} in mind.",
        "We should {motion}; {term} and {other} will tell you why.",
        "My case for why we ought to {motion} runs from {term} to {other}.",
        "Let me begin with {term}, since it is why I would {motion}.",
        "What have {term} and {other} to do with a vote to {motion}? Nearly everything.",
        "Thank you. I would {motion}, and {term} is where I start.",
        "If you came to hear why a country would {motion}, think of {term}.",
        "Of all the reasons to {motion} I have picked {term}, and after it {other}.",
    ),
    "opposition": (
        "I ask this House not to {motion}, and I ask it with {term} in mind.",
        "We should not {motion}; {term} and {other} will tell you why.",
        "My case against the wish to {motion} runs from {term} to {other}.",
        "Let me begin with {term}, since it is why I would not {motion}.",
        "What have {term} and {other} to do with a plan to {motion}? Nearly everything.",
        "Thank you. I would not {motion}, and {term} is where I start.",
        "If you came to hear why no country should {motion}, think of {term}.",
        "Of all the reasons not to {motion} I have picked {term}, and after it {other}.",
    ),
}
CLOSINGS = {
    "proposition": (
        "When you vote, think of {term}, think of {other}, and {motion}.",
        "That is my case: {term} on one side, {other} on the other, and good reason to {motion}.",
        "Keep {term} in mind, and {other}; then {motion}.",
        "I began with a motion and end with {term} and {other}: let us {motion}.",
        "Whoever remembers {term} and {other} will want to {motion}.",
        "For the sake of {term}, and because of {other}, I would {motion}.",
        "I leave you {term} and {other}, and a vote to {motion}.",
        "If {term} moved you at all, or {other}, then {motion} with us tonight.",
    ),
    "opposition": (
        "When you vote, think of {term}, think of {other}, and do not {motion}.",
        "That is my case: {term} on one side, {other} on the other, and no reason to {motion}.",
        "Keep {term} in mind, and {other}; then decline to {motion}.",
        "I began with a motion and end with {term} and {other}: let us not {motion}.",
        "Whoever remembers {term} and {other} will not want to {motion}.",
        "For the sake of {term}, and because of {other}, I would not {motion}.",
        "I leave you {term} and {other}, and a vote not to {motion}.",
        "If {term} moved you at all, or {other}, then refuse with us to {motion}.",
    ),
}
DEFINITION = "By “{motion}” I mean {definition}; {scope}, with {term} as the test; not {exclusion}."
DEFINITIONS = (
    "a standing law and no experiment",
    "a change that binds everybody alike",
    "a right written down, with its limits beside it",
    "a reform with its safeguards in the same bill",
    "what a parliament could pass next year",
    "a rule that courts can read and apply",
    "the whole practice, and not a pilot of it",
    "an act of law, open to review after ten years",
    "a power that is used or not, but is there",
    "a settled practice, with officers to see to it",
    "something that a citizen may rely on in court",
    "a duty of the state, and one that it can perform",
)
SCOPES = (
    "in one country like ours",
    "over the next generation",
    "for grown men and women",
    "in a country at peace",
    "wherever our own law runs",
    "in the years that we can plan for",
    "for the many, and not for the rare case",
    "with the means that we have today",
    "under judges who can be appealed to",
    "once it has been paid for",
)
EXCLUSIONS = (
    "what is done in a war",
    "what is done to children",
    "whatever is now before a court",
    "the habits of private clubs",
    "what other countries may prefer",
    "measures of an emergency",
    "what a firm writes into its contracts",
    "customs that nobody enforces",
    "what was done before the law began",
    "trials on a small scale",
)
#: What the first speaker of the opposition makes of the definition.
CONTESTED = (
    "I contest the definition in one point: it may not leave out {exclusion}.",
    "One thing in the definition I dispute, and that is to leave out {exclusion}.",
    "The definition is too narrow where it leaves out {exclusion}.",
)
ACCEPTED = (
    "I take the definition as it was given, {scope}.",
    "About the definition we need not quarrel: {scope}.",
    "The definition may stand, {scope}.",
)
#: Questions of points of information, and what answers each: (questions, answers).
QUESTIONS = {
    "burden": (
        (
            "who bears the cost of {term} when it goes wrong?",
            "when it goes badly with {term}, who pays?",
            "who answers to the losers for {term}?",
        ),
        (
            "Those who voted for it pay for {term}, and they pay in the open.",
            "The cost of {term} falls on all of us, which is why all of us should decide it.",
            "We pay for {term}, and we pay more for leaving things as they are.",
            "Whoever signs for {term} answers for it, by name.",
        ),
    ),
    "knowledge": (
        (
            "how do you know that of {term}, rather than hope it?",
            "what shows that about {term}?",
            "have you more than one good story about {term}?",
        ),
        (
            "I know it of {term} because people went and looked, and would do so again.",
            "What shows it is that {term} can be examined by anybody in this room.",
            "If {term} were only a story, it would not have come out alike twice.",
            "Hope has nothing to do with {term}: others saw the same.",
        ),
    ),
    "choice": (
        (
            "is that true for those who had no choice about {term}?",
            "what choice did anybody have about {term}?",
            "what of those who never asked for {term}?",
        ),
        (
            "It is truest for those who had no choice about {term}: they need the rule most.",
            "Nobody chose {term} freely before either, and I would at least ask them.",
            "Where force comes in with {term}, I am with you, and so is the law that I want.",
            "The choice about {term} is exactly what I am defending.",
        ),
    ),
    "next_door": (
        (
            "would you say the same of the case next door to {term}?",
            "where does that end, once you allow {term}?",
            "does not the same hold of everything like {term}?",
        ),
        (
            "I would say the same of every case like {term}, and gladly.",
            "It ends where the reason for {term} ends, and I have given the reason.",
            "No: with {term} it differs, because here somebody can still object.",
            "What holds of {term} holds of its neighbours, as far as they are like it.",
        ),
    ),
}
#: How a point of information quotes what it is about.
POINTS = (
    "You say “{quote}”: {question}",
    "On “{quote}”, {question}",
    "If it is so that “{quote}”, {question}",
    "“{quote}”, I hear: {question}",
)
#: What may follow an answer; {quote} is another claim of the speech.
ANSWER_ENDS = (
    "It is of a piece with what I said, “{quote}”.",
    "Remember “{quote}”, and you have my reason.",
    "I refer {name} to my words “{quote}”.",
    "That is why I told you “{quote}”.",
    "Put it beside “{quote}”, and it is answered.",
    "{name} might ask the same of “{quote}”.",
)
#: What a judge says of a debate, with how many claims of each side were left standing.
REASONS = (
    "{own} of its claims were left standing, against {other}.",
    "More was left of it at the end: {own} claims to {other}.",
    "It answered {answers} claims of the other team and lost fewer of its own.",
    "Its answers went to the point in {answers} places.",
    "I weighed {own} claims that stood against {other}, and how they were met.",
    "The closer reading of the other team, with {answers} answers, decided it for me.",
)
