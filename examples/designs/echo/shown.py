"""Every bridge: how far its estimate is from the other's, alone and shown."""

from dissensus.report.frames import Column, complete, tabulate
from dissensus.report.labels import number
from dissensus.report.style import new_figure, styled
from dissensus.report.view import Drawn


def distances(artefacts):
    metrics = complete(artefacts.frame("metrics"))  # results/echo/echo/metrics.parquet
    return metrics.pivot(index="item_id", columns="arm", values="distance").dropna()


@styled
def bridges(artefacts, view):
    rows, figure = distances(artefacts), new_figure(2.4, view.simulated)
    axes = figure.subplots()
    axes.plot(rows["alone"], rows["shown"], "o", markersize=3)
    axes.set(xlabel="Distance alone (metres)", ylabel="Distance shown (metres)")
    return Drawn(figure, {"n": str(len(rows))})


def nearest(artefacts, view):
    rows = distances(artefacts).sort_values("shown").head(5).reset_index()
    columns = [
        Column("Bridge", "item_id"),
        *(Column(arm, arm, number) for arm in ("alone", "shown")),
    ]
    note = "Distances in metres."
    return tabulate("nearest", "The nearest five", columns, rows.to_dict("records"), note, view)
