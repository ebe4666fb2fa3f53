"""Tables 4 to 6 in the paper's shape, and the study's own on the fitted debate model."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from math import inf

from dissensus.report.frames import Keyed, Record, keyed, records
from dissensus.report.labels import MISSING, Cell, listed, number, p_value
from dissensus.report.tables import Row, Table, make
from dissensus.report.view import Artefacts, View

from ..terms import DIFFERENCE
from .frames import DAGGER, LABELS, Estimates, bank_words, cell, warning

MAIN, CLOSED_FORM = "hierarchical", "moment"

#: The first round alone, which the paper's tables are of.
FIRST = "1"

_METRICS = (("conformity", "Conformity"), ("obstinacy", "Obstinacy"), ("delta", "Delta"))

#: What names a place, and a parameter of its fit.
_PLACE = ("team", "bank", "condition", "rounds")
_KEY = (*_PLACE, "method", "parameter")


def table_4(artefacts: Artefacts, view: View) -> Table:
    """Observed shares beside those that the fitted DCM implies."""
    estimates, fitted = Estimates.of(artefacts), keyed(artefacts.frame("dcm"), *_KEY)
    banks = estimates.panels()
    rows: list[Row] = []
    for team in estimates.teams:
        for bank in banks:
            for measure, words in _METRICS:
                cells = []
                for condition in LABELS:
                    cells.append(cell(estimates.get(team, bank, measure, condition)))
                    cells.append(cell(fitted[team, bank, condition, FIRST, MAIN, measure]))
                if any(text != MISSING for text in cells):
                    rows.append((team, bank_words(bank), words, *cells))
    note = (
        "Round 1. GT: observed, with the bootstrap interval of Table 1. Est.: what the DCM implies "
        "that was fitted to the same answers by hierarchical maximum likelihood, with the delta "
        "method's interval. Anon.: anonymised. The paper's Tables 4 to 6 have one team and bank "
        "each. That both agree is no test of the model: see the test of fit."
        if rows
        else "Nothing could be fitted."
    )
    title = "Tables 4 to 6: Ground truth and DCM estimation"
    columns = ("Team", "Bank", "Metric", "GT", "Est.", "GT (Anon.)", "Est. (Anon.)")
    return make("table_4", title, columns, rows, note, view.simulated)


#: Weights beyond these change no probability by a thousandth: where the search for them ends.
_ENDLESS = 1000.0

#: Set behind the condition of a fit that is none.
DOUBLE_DAGGER = "‡"

Place = tuple[str, str, str, str]


def _place(row: Record) -> Place:
    team, bank, condition, rounds = (str(row[name]) for name in _PLACE)
    return team, bank, condition, rounds


@dataclass(frozen=True)
class Fits:
    """The fits of a run by place, that is team, bank, condition and rounds.

    Attributes
    ----------
    places : of the banks that are shown, in the order of the artefact.
    fitted : by place, method and parameter.
    equal : the likelihood-ratio test at a place.
    estimates : the estimates.
    """

    places: Sequence[Place]
    fitted: Keyed
    equal: Keyed
    estimates: Estimates

    @classmethod
    def of(cls, artefacts: Artefacts) -> Fits:
        """Of the rows of the artefacts."""
        estimates, (dcm, tests) = Estimates.of(artefacts), artefacts.frames("dcm", "dcm_tests")
        every = dict.fromkeys(_place(row) for row in records(dcm))
        return cls(
            [place for place in every if place[1] in estimates.panels()],
            keyed(dcm, *_KEY),
            keyed(tests[tests["test"] == "equal_weights"], *_PLACE),
            estimates,
        )

    def rows(self, rounds: Container[str], cells: Callable[[Place], Row]) -> list[Row]:
        """Team, bank, condition and further cells of every place of such rounds."""
        chosen = (place for place in self.places if place[3] in rounds)
        return [(*self._name(place), *cells(place)) for place in chosen]

    def text(self, place: Place, parameter: str, method: str = MAIN) -> str:
        """An estimate with its interval; a dagger at a difference that may be none."""
        row = self.fitted[*place, method, parameter]
        if row["ci_high"] > _ENDLESS:
            text = f"{number(row['estimate'])} [{number(row['ci_low'])}, ∞)"
            return Cell(text, {"": row["estimate"], "ci_low": row["ci_low"], "ci_high": inf})
        difference = place[2] == DIFFERENCE or parameter in ("ibc", "delta")
        return cell(row, mark=difference)

    def test(self, place: Place) -> str:
        """p of equal weights."""
        return p_value(self.equal[place]["p_value"])

    def questions(self, place: Place) -> str:
        row = self.fitted.get((*place, MAIN, "ibc"))
        return str(int(row["n_questions"])) if row else MISSING

    def _name(self, place: Place) -> Row:
        team, bank, condition, _ = place
        words = DIFFERENCE if condition == DIFFERENCE else LABELS[condition][0]
        row = self.fitted.get((*place, MAIN, "ibc"))
        ended = row is not None and bool(row["converged"])
        return team, bank_words(bank), words if ended else f"{words} {DOUBLE_DAGGER}"


_UNENDED = f"{DOUBLE_DAGGER} The answers do not tell the parameters, or the search did not end."

#: Column of the weights' table -> parameter.
_WEIGHTS = {
    "w_self": "w_self",
    "w_peer": "w_peer",
    "Total weight": "total_weight",
    "pi_belief": "pi_belief",
    "pi_self": "pi_self",
    "pi_peer": "pi_peer",
}


def table_dcm(artefacts: Artefacts, view: View) -> Table:
    """Weights and mixture shares of the first transition."""
    fits = Fits.of(artefacts)
    rows = fits.rows(
        {FIRST},
        lambda place: (
            *(fits.text(place, parameter) for parameter in _WEIGHTS.values()),
            fits.test(place),
            fits.questions(place),
        ),
    )
    note = (
        "Round 1. Hierarchical maximum likelihood with |alpha_0| = 1, in which the weights are "
        "measured. Total weight: w_self and the weights of all peers; pi_belief, pi_self and "
        "pi_peer: the shares of a new answer that come from belief, from the own last answer and "
        "from all peers' together. With n peers, equal weights make pi_peer n times pi_self; where "
        "agents hear different numbers of peers, pi is of one who hears the mean number. "
        "Difference: vanilla minus anonymised. LRT: likelihood-ratio test of w_self = w_peer. "
        f"{view.level} intervals by the delta method. {DAGGER} The interval contains zero. "
        f"{_UNENDED}"
    )
    columns = ("Team", "Bank", "Condition", *_WEIGHTS, "LRT p", "Questions")
    title = "Identity weights of the Dirichlet-compound-multinomial debate model"
    return make("table_dcm", title, columns, rows, note, view.simulated)


def table_ibc(artefacts: Artefacts, view: View) -> Table:
    """The identity bias by both of its definitions."""
    fits = Fits.of(artefacts)

    def cells(place: Place) -> Row:
        team, bank, condition, _ = place
        compared = condition == DIFFERENCE
        seen = fits.estimates.get(team, bank, "ibc" if compared else "delta", condition)
        return (
            fits.text(place, "ibc"),
            fits.text(place, "ibc", CLOSED_FORM),
            fits.text(place, "ibc_difference" if compared else "delta"),
            cell(seen, mark=True),
        )

    note = (
        "Round 1. The difference, vanilla minus anonymised, of the Deltas is the IBC (equation 5), "
        "as the model implies it and as observed. For one peer the paper equates it with "
        "pi_peer − pi_self under vanilla. It is that where the total weight is the same under both "
        "conditions and anonymised weights are equal: see the table of weights. With n peers "
        "pi_peer − pi_self is not zero where nobody's answer weighs more than another's; the "
        "likelihood-ratio test asks that. Moments: in closed form, where all agents hear as many "
        f"peers. {view.level} intervals. {DAGGER} The interval contains zero. {_UNENDED} "
        f"{warning(view)}"
    )
    columns = (
        "Team",
        "Bank",
        "Condition",
        "pi_peer − pi_self",
        "The same, moments",
        "Delta, implied",
        "Delta, observed",
    )
    title = "Identity bias by both definitions"
    return make("table_ibc", title, columns, fits.rows({FIRST}, cells), note, view.simulated)


def table_rounds(artefacts: Artefacts, view: View) -> Table:
    """The model fitted to all rounds together, and what that cannot say."""
    fits = Fits.of(artefacts)
    later = {place[3] for place in fits.places} - {FIRST}
    parameters = ("w_self", "w_peer", "total_weight", "ibc")
    rows = fits.rows(
        later,
        lambda place: (
            *(fits.text(place, parameter) for parameter in parameters),
            fits.text(place, "ibc_difference" if place[2] == DIFFERENCE else "delta"),
            fits.test(place),
        ),
    )
    spans = listed(span.replace("-", " to ") for span in sorted(later))
    accumulate = (
        f"Rounds {spans}. The model has what an agent weighed in earlier rounds add up (Definition "
        "2). Without names no agent can know which opinion is its own, so nothing can add up by "
        "agent unless everyone sees everyone. In any other graph the anonymised rows and the "
        "differences are of a model that cannot hold: there, unequal weights and a small LRT p are "
        "no sign of identity bias. Round 1 has no such difficulty. "
    )
    simulated = (
        "Simulated anonymised agents take the mean of what all authors had weighed: in a ring, "
        "pi_peer − pi_self then comes out 0.04 to 0.13 where it is zero. "
        if view.simulated
        else ""
    )
    note = (
        f"{accumulate}{simulated}pi_peer − pi_self and Delta are those of the first transition. "
        f"{view.level} intervals by the delta method. {DAGGER} The interval contains zero. "
        f"{_UNENDED}"
        if rows
        else "The run has one round alone, or nothing could be fitted."
    )
    heads = ("w_self", "w_peer", "Total weight", "pi_peer − pi_self", "Delta, implied", "LRT p")
    title = "Identity weights from all rounds together"
    columns = ("Team", "Bank", "Condition", *heads)
    return make("table_rounds", title, columns, rows, note, view.simulated)


def table_goodness(artefacts: Artefacts, view: View) -> Table:
    """Does the model fit: five cells, observed and expected, and the same agent by agent."""
    estimates, tests = Estimates.of(artefacts), artefacts.frame("dcm_tests")
    chosen = tests[tests["test"] == "goodness_of_fit"]
    apart = tests[tests["test"] == "goodness_by_agent"]
    by_agent = keyed(apart, *_PLACE)
    heads: dict[str, None] = {}
    split = []
    for row in records(chosen):
        cells = dict(text.rsplit(" ", 1) for text in row["cells"])
        heads |= dict.fromkeys(cells)
        split.append((row, cells))
    rows = [
        (
            row["team"],
            bank_words(row["bank"]),
            LABELS.get(row["condition"], (row["condition"], ""))[0],
            *(cells.get(head, MISSING).replace("/", " / ") for head in heads),
            number(row["statistic"], 2),
            p_value(row["p_value"]),
            p_value(by_agent[_place(row)]["p_value"]),
            str(int(row["n"])),
        )
        for row, cells in split
        if row["bank"] in estimates.banks
    ]
    note = (
        "Round 1. Observed / expected transitions: an agent and its peer had agreed and it stayed "
        "or left; or they had disagreed and it kept its own answer, took a peer's, or gave a "
        "third. Pearson's statistic over the cells; p by parametric bootstrap. By agent: the same "
        "over five cells of each seat, or of each persona in a team that has them; the cells are "
        "in dcm_tests. A small p says that the fitted model does not describe what agents do; a "
        "small one by agent alone, that agents are not alike. A large one does not say that they "
        "do not look at content: the cells know who said an answer, not whether it is right. Nor "
        "does it say that agents are alike where they change seats without a name."
    )
    columns = ("Team", "Bank", "Condition", *heads, "Pearson's X²", "p", "p, by agent", "N")
    title = "Fit of the debate model"
    return make("table_goodness", title, columns, rows, note, view.simulated)
