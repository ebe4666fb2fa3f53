"""The exact marginal likelihood of a debate whose agents are Dirichlet-compound-multinomial.

Model
-----
Question m has beliefs p ~ Dirichlet(a_correct on the correct option, a_other on each other one).
Round 0: y_i0 ~ p. In round t agent i draws one categorical answer from a Dirichlet of parameter

    alpha_it = p + w_self #{s < t: y_is = k} + w_peer #{s < t, j a peer of i: y_js = k},

whose sum is 1 + t W_i with W_i = w_self + n_p(i) w_peer (Definition 2 of the paper in units of
|alpha_0|, of which no more can be identified). The Dirichlet integrates out:

    P(y_it = k | p, history) = u (p_k + c),   u = 1 / (1 + t W_i),   c = a w_self + b w_peer,

with known whole numbers a and b. So the likelihood of a question is the expectation over p of a
product of polynomials, one an option,

    prod_k p_k^(n_k) prod_(answers k) (u p_k + u c)  =  prod_k sum_j q_kj p_k^(n_k + j),

and E prod_k p_k^(d_k) = prod_k (alpha_k)_(d_k) / (A)_(sum of d), rising factorials. The 2^(N T)
terms of the expanded mixtures are thus never written out: the polynomials of the options are
convolved, which is exact, has positive terms only, and takes a degree of at most N T.

Options that look alike (as many opening answers, the same factors) have the same polynomial, and
questions that look alike the same likelihood; each is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, IntArray

from .panel import Panel, one_hot

#: The four parameters, in the order of every vector of them.
NAMES = ("w_self", "w_peer", "a_correct", "a_other")
#: What an estimator gives: the parameters, what follows from them for the first transition, and the
#: sum of the weights that an agent gives in a round.
QUANTITIES = (
    *NAMES,
    "pi_belief",
    "pi_self",
    "pi_peer",
    "ibc",
    "total_weight",
    "conformity",
    "obstinacy",
    "delta",
)


@dataclass(frozen=True)
class Parameters:
    """Weights of an agent's own and of one peer's answer, and the beliefs' concentrations."""

    w_self: float
    w_peer: float
    a_correct: float
    a_other: float

    @classmethod
    def of(cls, values: npt.ArrayLike) -> Parameters:
        """From a vector in the order of :data:`NAMES`."""
        return cls(*(float(value) for value in np.asarray(values)))

    def vector(self) -> FloatArray:
        """(4,), in the order of :data:`NAMES`."""
        return np.array([self.w_self, self.w_peer, self.a_correct, self.a_other])


@dataclass(frozen=True)
class Factors:
    """Kinds of factor u (x + a w_self + b w_peer) with u = 1 / (1 + t (w_self + n w_peer)).

    Attributes
    ----------
    t, n, a, b : (F,), round, number of peers, and how often own and peers' answers were this one.
    """

    t: FloatArray
    n: FloatArray
    a: FloatArray
    b: FloatArray

    def lines(self, w_self: float, w_peer: float) -> tuple[FloatArray, FloatArray]:
        """Slopes and intercepts, (3, F) each: values, and derivatives by the log weights."""
        u = 1.0 / (1.0 + self.t * (w_self + self.n * w_peer))
        c = self.a * w_self + self.b * w_peer
        by_self, by_peer = -self.t * u**2, -self.t * self.n * u**2
        slopes = [u, by_self * w_self, by_peer * w_peer]
        in_self, in_peer = self.a * u + c * by_self, self.b * u + c * by_peer
        return np.array(slopes), np.array([c * u, in_self * w_self, in_peer * w_peer])


@dataclass(frozen=True)
class Likelihood:
    """What the likelihood of a panel depends on, each thing that looks alike once.

    Attributes
    ----------
    factors : kinds of factor.
    lists : (C, most factors), the factors of each kind of answered option, longest list first.
    degree : (C,), the lists' lengths.
    opening : (C,), opening answers for it.
    is_correct : (C,), whether it is the correct one.
    cells : (U, most options), kinds of option of each kind of question, those with most factors
        first; C stands for an option without answers. Questions with most options come first.
    options : (U,), number of options K.
    answered : (U,), opening answers.
    kind : (M,), kind of each question.
    """

    factors: Factors
    lists: IntArray
    degree: IntArray
    opening: IntArray
    is_correct: npt.NDArray[np.bool_]
    cells: IntArray
    options: IntArray
    answered: IntArray
    kind: IntArray

    @classmethod
    def of(cls, panel: Panel, rounds: int) -> Likelihood:
        """Prepare a panel's rounds 0 to `rounds`."""
        width = panel.width
        question, option, factor, factors = _transitions(panel, rounds, width)
        n_cells, n_factors = panel.n_questions * width, len(factors.t)
        opening = one_hot(panel.answers[:, 0], width).sum(axis=1).ravel()
        counts = np.bincount(
            (question * width + option) * n_factors + factor, minlength=n_cells * n_factors
        ).reshape(n_cells, n_factors)
        is_correct = (np.arange(width) == panel.correct[:, None]).ravel()
        present = np.flatnonzero(opening + counts.sum(axis=1) > 0)
        rows = np.column_stack([is_correct[present], opening[present], counts[present]])
        kinds, kind = _distinct(rows)
        degree = kinds[:, 2:].sum(axis=1)
        most_first = np.argsort(-degree, kind="stable")
        kinds, degree, kind = kinds[most_first], degree[most_first], np.argsort(most_first)[kind]
        cells = np.full(n_cells, len(kinds), dtype=np.int64)
        cells[present] = kind
        order, options, answered, questions = _questions(
            cells.reshape(-1, width), len(degree), panel.options, opening.reshape(-1, width)
        )
        lists = _lists(kinds[:, 2:], degree)
        return cls(
            factors,
            lists,
            degree,
            kinds[:, 1],
            kinds[:, 0] > 0,
            order,
            options,
            answered,
            questions,
        )

    def value(self, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log likelihoods of the kinds of question, (U,), and derivatives by the logs, (U, 4).

        Parameters
        ----------
        parameters : (4,), w_self, w_peer, a_correct, a_other, each above 0.
        """
        a_correct, a_other = float(parameters[2]), float(parameters[3])
        total = np.asarray(a_correct + (self.options - 1) * a_other, dtype=np.float64)
        most = int(self.answered.max(initial=0) + self.degree.max(initial=0) * self.cells.shape[1])
        # Any scale cancels; this one keeps rising factorials of every size within a float's range.
        scale = float(total.max()) + 0.5 * most
        product = self._convolve(self._polynomials(parameters, scale))
        sums = self.answered[:, None] + np.arange(product.shape[2])
        logs, slopes = _rising(total, int(sums.max()), scale)
        each = np.arange(len(total))[:, None]
        weights, slope = np.exp(-logs[each, sums]), slopes[each, sums]
        likelihood = np.einsum("us,us->u", product[0], weights)
        by = np.einsum("cus,us->uc", product[1:], weights)
        by_total = np.einsum("us,us,us->u", product[0], weights, slope)
        by[:, 2] -= by_total * a_correct
        by[:, 3] -= by_total * (self.options - 1) * a_other
        return np.log(likelihood), by / likelihood[:, None]

    def _polynomials(self, parameters: FloatArray, scale: float) -> FloatArray:
        """Of each kind of option, (most factors + 1, 5, C + 1): values and four derivatives.

        What is long comes last, here and in the products: numpy is slow over short last axes.
        """
        slopes, intercepts = self.factors.lines(float(parameters[0]), float(parameters[1]))
        n_cells, most = self.lists.shape
        made = np.zeros((most + 1, 5, n_cells + 1))
        made[0, 0] = 1.0
        lines, constants = slopes[:, self.lists.T], intercepts[:, self.lists.T]
        for step, longer in enumerate((self.degree > np.arange(most)[:, None]).sum(axis=1)):
            line, constant = lines[:, step, :longer], constants[:, step, :longer]
            new = made[: step + 2, :3, :longer]
            old = new[:-1].copy()
            new[:-1] *= constant[0]
            new[1:] += old * line[0]
            new[:-1, 1:] += old[:, :1] * constant[1:]
            new[1:, 1:] += old[:, :1] * line[1:]
        for channel, alpha in ((3, parameters[2]), (4, parameters[3])):
            mine = np.flatnonzero(self.is_correct == (channel == 3))
            power = self.opening[mine, None] + np.arange(most + 1)
            logs, slope = _rising(np.array([alpha]), int(power.max(initial=0)), scale)
            made[:, :3, mine] *= np.exp(logs[0, power]).T[:, None]
            made[:, channel, mine] = made[:, 0, mine] * slope[0, power].T * alpha
        return made

    def _convolve(self, made: FloatArray) -> FloatArray:
        """Products over the options of each kind of question, (5, U, degree + 1)."""
        degrees = np.append(self.degree, 0)[self.cells]
        length = int(degrees.sum(axis=1).max(initial=0)) + 1
        product = np.zeros((length, 5, len(self.cells)))
        first = made[:length, :, self.cells[:, 0]]
        product[: len(first)] = first
        for place in range(1, self.cells.shape[1]):
            filled = self.cells[:, place] < len(self.degree)
            rows = int(filled.sum())  # questions with most options come first
            factor = made[:, :, self.cells[:rows, place]]
            old = product[..., :rows]
            new = old * factor[0, 0]
            new[:, 1:] += old[:, :1] * factor[0, 1:]
            for power in range(1, int(degrees[:rows, place].max(initial=0)) + 1):
                new[power:] += old[:-power] * factor[power, 0]
                new[power:, 1:] += old[:-power, :1] * factor[power, 1:]
            product[..., :rows] = new
        return np.ascontiguousarray(product.transpose(1, 2, 0))


def _transitions(
    panel: Panel, rounds: int, width: int
) -> tuple[IntArray, IntArray, IntArray, Factors]:
    """Question, new answer and kind of factor of every usable transition, and the kinds."""
    answers = one_hot(panel.answers[:, :rounds], width)
    answer_counts = np.cumsum(answers, axis=1)
    peer_counts = np.einsum("mtjk,ij->mtik", answer_counts, panel.hears)
    question, step, agent = np.nonzero(panel.usable(rounds))
    answer = panel.answers[question, step + 1, agent]
    rows = np.column_stack(
        [
            step + 1,
            panel.n_peers[agent],
            answer_counts[question, step, agent, answer],
            peer_counts[question, step, agent, answer],
        ]
    )
    kinds, kind = _distinct(rows)
    t, n, a, b = kinds.T.astype(np.float64)
    return question, answer, kind, Factors(t, n, a, b)


def _questions(
    cells: IntArray, nothing: int, options: IntArray, opening: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Cells, options and opening answers of each kind of question, and each question's kind."""
    cells = np.sort(cells, axis=1)
    used = max(int((cells < nothing).sum(axis=1).max(initial=0)), 1)
    rows = np.column_stack([options, opening.sum(axis=1), cells[:, :used]])
    kinds, kind = _distinct(rows)
    most_first = np.argsort(-(kinds[:, 2:] < nothing).sum(axis=1), kind="stable")
    kinds = kinds[most_first]
    return kinds[:, 2:], kinds[:, 0], kinds[:, 1], np.argsort(most_first)[kind]


def _lists(counts: IntArray, degree: IntArray) -> IntArray:
    """Factors of each kind of option as a list; what stands after its end means nothing."""
    lists = np.zeros((len(counts), int(degree.max(initial=0))), dtype=np.int64)
    row, factor = np.nonzero(counts)
    times = counts[row, factor]
    ends = np.cumsum(times)
    starts = np.cumsum(degree) - degree
    rows = np.repeat(row, times)
    lists[rows, np.arange(ends[-1] if ends.size else 0) - starts[rows]] = np.repeat(factor, times)
    return lists


def _distinct(rows: IntArray) -> tuple[IntArray, IntArray]:
    """Distinct rows and the number of each row among them; numpy's own is ten times slower."""
    packed = np.ascontiguousarray(rows, dtype=">i8")
    keys = packed.view(np.dtype((np.void, packed.itemsize * packed.shape[1]))).ravel()
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return np.asarray(rows[first], dtype=np.int64), number.ravel().astype(np.int64)


def _rising(alpha: FloatArray, most: int, scale: float) -> tuple[FloatArray, FloatArray]:
    """Logs of the rising factorials (alpha)_j / scale^j, j = 0..most, and their slopes in alpha."""
    terms = alpha[:, None] + np.arange(most)
    logs, slopes = np.zeros((2, len(alpha), most + 1))
    np.cumsum(np.log(terms / scale), axis=1, out=logs[:, 1:])
    np.cumsum(1.0 / terms, axis=1, out=slopes[:, 1:])
    return logs, slopes
