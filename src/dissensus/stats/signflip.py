"""The sign-flip randomisation test for paired differences.

Under the sharp null that the treatment does nothing to any pair, swapping the two members of a
pair changes the sign of its difference and nothing else, so the 2^n sign patterns are equally
likely (Fisher 1935, The Design of Experiments, section 21; Pesarin & Salmaso 2010, chapter 1).

Eight units share one random byte, and a table has the signed sum of the eight for each of the 256
bytes. So a million patterns of 1,000 differences take 125 look-ups each, and no matrix of signs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, as_codes, as_sample, check_count
from dissensus.stats.results import RandomisationTest, monte_carlo

_CHUNK = 16_384  # sign patterns at a time, few enough for the cache
_MOST_EXACT = 30
_TIE = 1e-12  # relative slack, so that rounding never breaks a tie with the observed statistic
_BYTE_SIGNS = np.where((np.arange(256)[:, None] >> np.arange(8)) & 1, 1.0, -1.0)


@dataclass(frozen=True)
class _Units:
    """What is flipped as one: sums and sizes of the clusters (or single differences)."""

    sums: FloatArray
    sizes: FloatArray

    @property
    def moving(self) -> npt.NDArray[np.bool_]:
        """Units that flipping changes."""
        return np.asarray(self.sums != 0.0)

    def mean(self, signed: FloatArray) -> FloatArray:
        """Mean difference for signed sums."""
        return signed / float(self.sizes.sum())

    def ratio(self, signed: FloatArray, signed_sizes: FloatArray) -> FloatArray:
        """Mean over its cluster-robust standard error, for signed sums and signed n_g * S_g."""
        mean, total, count = self.mean(signed), self.sizes.sum(), self.sums.size
        squares = float(self.sums @ self.sums)
        # Sum over clusters of (S_g - n_g * mean)^2, expanded so that it needs signed sums only.
        spread = squares - 2.0 * mean * signed_sizes + mean**2 * (self.sizes @ self.sizes)
        spread[spread < _TIE * squares] = 0.0  # the rounding residue of identical units
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = mean * total / np.sqrt(spread * count / (count - 1))
        # No spread is an infinite ratio, except where the mean is zero as well.
        return np.where(mean == 0.0, 0.0, ratio)


def sign_flip_test(
    differences: npt.ArrayLike,
    *,
    flips: int = 100_000,
    exact_up_to: int = 20,
    studentised: bool = False,
    clusters: npt.ArrayLike | None = None,
    seed: int | np.random.Generator = 0,
) -> RandomisationTest:
    """Two-sided sign-flip test that the mean paired difference is zero.

    Parameters
    ----------
    differences : shape (n,); treated minus reference, one per pair. Zeros are kept; flipping them
        changes nothing.
    flips : random sign patterns when the patterns are too many to enumerate.
    exact_up_to : enumerate all patterns when at most this many units (pairs, or clusters if given)
        have a sum other than zero; at most 30.
    studentised : divide the mean by its standard error, cluster-robust with G/(G - 1). With
        clusters of unequal size this makes the test asymptotically valid for the weak null of a
        zero mean effect too (Canay, Romano & Shaikh 2017); else the p-value stays the same.
    clusters : shape (n,); labels; all pairs of a cluster are flipped together.
    seed : source of the random patterns.

    Returns
    -------
    `statistic` is the mean, or t if studentised; p by `results.monte_carlo` if not exact.

    Raises
    ------
    ValueError : fewer than 2 differences or clusters, values that are not finite, or `flips` < 1.
    """
    sample = as_sample(differences, "differences")
    check_count(flips, "flips")
    if not 0 <= exact_up_to <= _MOST_EXACT:
        raise ValueError(f"exact_up_to is {exact_up_to}; pass 0 to {_MOST_EXACT} (2^n patterns).")
    units = _units(sample, clusters)
    observed = units.mean(np.array([units.sums.sum()]))
    if studentised:
        observed = units.ratio(np.array([units.sums.sum()]), np.array([units.sums @ units.sizes]))
    n_moving = int(units.moving.sum())
    exact = n_moving <= exact_up_to
    if exact:
        patterns, total = _every_pattern(n_moving), 2**n_moving
    else:
        patterns, total = _random_patterns(n_moving, flips, np.random.default_rng(seed)), flips
    # With equal sizes t rises with the mean, so the cheaper and more exact comparison will do.
    count = _count_ratios if studentised and np.ptp(units.sizes) > 0 else _count_means
    extreme = count(units, patterns)
    if exact:
        return RandomisationTest(float(observed[0]), extreme / total, total, True, 0.0)
    return monte_carlo(float(observed[0]), extreme, total)


def _units(sample: FloatArray, clusters: npt.ArrayLike | None) -> _Units:
    if clusters is None:
        return _Units(sample, np.ones(sample.size))
    codes = as_codes(clusters, sample.size, "clusters")
    sizes = np.bincount(codes).astype(np.float64)
    if sizes.size < 2:
        raise ValueError("clusters holds 1 distinct label; at least 2 clusters are needed.")
    sums = np.bincount(codes, weights=sample).astype(np.float64)
    # Sums that cancel exactly in theory leave a rounding residue that would count as movable.
    sums[np.abs(sums) < _TIE * np.bincount(codes, weights=np.abs(sample))] = 0.0
    return _Units(sums, sizes)


def _count_means(units: _Units, patterns: Iterator[npt.NDArray[np.uint8]]) -> int:
    """Patterns whose absolute sum reaches the observed one, ties included."""
    table = _byte_table(units.sums[units.moving])
    threshold = abs(units.sums.sum()) - _TIE * np.abs(units.sums).sum()
    return sum(int((np.abs(_gather(table, rows)) >= threshold).sum()) for rows in patterns)


def _count_ratios(units: _Units, patterns: Iterator[npt.NDArray[np.uint8]]) -> int:
    """Patterns whose absolute t reaches the observed one, ties included."""
    weighted = units.sums * units.sizes
    observed = abs(units.ratio(np.array([units.sums.sum()]), np.array([weighted.sum()]))[0])
    threshold = observed * (1.0 - 1e3 * _TIE)  # the subtraction in t costs some digits
    sums = _byte_table(units.sums[units.moving])
    weighted_sums = _byte_table(weighted[units.moving])
    extreme = 0
    for rows in patterns:
        values = np.abs(units.ratio(_gather(sums, rows), _gather(weighted_sums, rows)))
        extreme += int((values >= threshold).sum())
    return extreme


def _byte_table(values: FloatArray) -> FloatArray:
    """Signed sums of each block of eight values for each byte of sign bits: (blocks, 256)."""
    padded = np.zeros(-(-values.size // 8) * 8)
    padded[: values.size] = values
    table: FloatArray = padded.reshape(-1, 8) @ _BYTE_SIGNS.T
    return table


def _gather(table: FloatArray, rows: npt.NDArray[np.uint8]) -> FloatArray:
    """Sum over blocks of the tabled value that each pattern's byte picks; rows (blocks, size)."""
    total = np.zeros(rows.shape[1])
    picked = np.empty(rows.shape[1])
    for block, row in zip(table, rows, strict=True):
        np.take(block, row, out=picked, mode="clip")  # clip: the only mode that fills `out` direct
        total += picked
    return total


def _every_pattern(n: int) -> Iterator[npt.NDArray[np.uint8]]:
    """All 2^n patterns as bytes, (ceil(n / 8), size) a chunk."""
    blocks = -(-n // 8)
    for start in range(0, 2**n, _CHUNK):
        counter = np.arange(start, min(start + _CHUNK, 2**n), dtype=np.dtype("<u4"))
        yield np.ascontiguousarray(counter.view(np.uint8).reshape(-1, 4)[:, :blocks].T)


def _random_patterns(
    n: int, flips: int, rng: np.random.Generator
) -> Iterator[npt.NDArray[np.uint8]]:
    """`flips` random patterns as bytes, (ceil(n / 8), size) a chunk."""
    blocks = -(-n // 8)
    for start in range(0, flips, _CHUNK):
        size = min(_CHUNK, flips - start)
        yield np.frombuffer(rng.bytes(blocks * size), dtype=np.uint8).reshape(blocks, size)
