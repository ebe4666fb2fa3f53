"""The numbers of the paper's Tables 1, 2 and 4 to 7, as printed."""

from __future__ import annotations

BANKS = ("GPQA", "MMLU", "HellaSwag", "GSM8K")

#: Questions of each bank (A.1).
QUESTIONS = (198, 272, 300, 300)

Triple = tuple[float, float, float]

Halves = tuple[tuple[Triple, ...], tuple[Triple, ...]]


def _triples(cells: str) -> tuple[Triple, ...]:
    numbers = [float(cell) for cell in cells.split()]
    return tuple(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))


def _read(table: str) -> dict[str, Halves]:
    """model -> its first line and its second, each three numbers a bank."""
    rows = [line.split(maxsplit=1) for line in table.strip().splitlines()]
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return {model: (_triples(first), _triples(second)) for (model, first), (_, second) in pairs}


#: Table 1: model -> conformity, obstinacy and Delta by bank, vanilla and anonymised.
TABLE_1 = _read("""
Llama-8B     0.437  0.313  0.124   0.543  0.392  0.151   0.569  0.308  0.261   0.386  0.217  0.169
Llama-8B     0.389  0.363  0.026   0.392  0.549 -0.157   0.465  0.456  0.009   0.406  0.317  0.089
Mistral-7B   0.423  0.418  0.005   0.404  0.486 -0.082   0.485  0.449  0.036   0.233  0.535 -0.302
Mistral-7B   0.378  0.460 -0.082   0.408  0.475 -0.067   0.428  0.492 -0.064   0.302  0.459 -0.157
Qwen-7B      0.647  0.255  0.392   0.709  0.274  0.435   0.747  0.240  0.507   0.531  0.407  0.124
Qwen-7B      0.485  0.424  0.061   0.498  0.471  0.027   0.484  0.516 -0.032   0.414  0.510 -0.096
Qwen-32B     0.632  0.334  0.298   0.800  0.192  0.608   0.696  0.304  0.392   0.509  0.473  0.036
Qwen-32B     0.502  0.466  0.036   0.512  0.488  0.024   0.536  0.455  0.081   0.455  0.509 -0.054
GPT-OSS-20B  0.359  0.319  0.040   0.618  0.382  0.236   0.588  0.408  0.180   0.568  0.378  0.190
GPT-OSS-20B  0.335  0.371 -0.036   0.509  0.473  0.036   0.460  0.529 -0.069   0.528  0.417  0.111
""")

#: Table 1: model -> IBC by bank.
IBC = {
    "Llama-8B": (0.098, 0.307, 0.252, 0.080),
    "Mistral-7B": (0.087, 0.015, 0.100, -0.145),
    "Qwen-7B": (0.331, 0.408, 0.539, 0.220),
    "Qwen-32B": (0.262, 0.584, 0.311, 0.092),
    "GPT-OSS-20B": (0.076, 0.200, 0.249, 0.079),
}

#: Table 2: model -> vanilla, anonymised and drop in percent by bank; subversion and correction.
TABLE_2 = _read("""
Llama-8B     0.615  0.545  11.4   0.507  0.321  36.7   0.632  0.523  17.2   0.513  0.412  19.7
Llama-8B     0.566  0.503  11.1   0.649  0.537  17.2   0.637  0.549  13.8   0.481  0.503  -4.6
Mistral-7B   0.528  0.454  14.0   0.381  0.376   1.3   0.541  0.500   7.6   0.494  0.545 -10.3
Mistral-7B   0.472  0.435   7.8   0.552  0.543   1.6   0.512  0.436  14.8   0.278  0.295  -6.1
Qwen-7B      0.717  0.500  30.3   0.579  0.389  32.8   0.709  0.430  39.4   0.342  0.233  31.9
Qwen-7B      0.711  0.553  22.2   0.853  0.632  25.9   0.767  0.488  36.4   0.740  0.575  22.3
Qwen-32B     0.473  0.357  24.5   0.750  0.268  64.3   0.630  0.500  20.6   0.455  0.333  26.8
Qwen-32B     0.736  0.651  11.5   0.839  0.714  14.9   0.739  0.543  26.5   0.727  0.727   0.0
GPT-OSS-20B  0.164  0.091  44.5   0.064  0.059   7.8   0.573  0.462  19.4   0.397  0.288  27.5
GPT-OSS-20B  0.882  0.864   2.0   0.965  0.951   1.5   0.581  0.487  16.2   0.809  0.753   6.9
""")

#: Tables 4 to 6: model and bank -> conformity, obstinacy and Delta, as observed and as the DCM
#: implies them, vanilla and then anonymised.
TABLES_4_TO_6 = {
    ("Qwen-7B", "GPQA"): _triples(
        "0.647 0.255 0.392  0.719 0.236 0.483  0.485 0.424 0.061  0.521 0.440 0.081"
    ),
    ("Qwen-7B", "MMLU"): _triples(
        "0.709 0.274 0.435  0.707 0.255 0.452  0.498 0.471 0.027  0.487 0.486 0.001"
    ),
    ("Llama-8B", "MMLU"): _triples(
        "0.543 0.392 0.151  0.580 0.409 0.171  0.392 0.549 -0.157  0.406 0.580 -0.174"
    ),
}

#: Table 7: model -> accuracy in percent, vanilla and anonymised, with the banks in :data:`BANKS`'
#: order (the paper's has GSM8K second and MMLU last).
TABLE_7 = {
    "Qwen-7B": ((35.4, 82.7, 81.0, 94.0), (36.9, 82.7, 80.0, 94.3)),
    "Llama-8B": ((37.4, 83.5, 69.0, 83.3), (32.3, 82.0, 66.7, 85.0)),
    "Mistral-7B": ((19.7, 71.0, 62.7, 34.3), (20.7, 69.9, 62.7, 33.7)),
    "Qwen-32B": ((46.5, 92.3, 85.7, 95.0), (45.5, 91.9, 85.3, 95.0)),
    "GPT-OSS-20B": ((60.6, 94.5, 76.3, 95.0), (62.6, 93.8, 77.7, 95.0)),
}
