# The project with everything that it needs, for machines without Python 3.11:
#   docker build --build-arg COMMIT=$(git rev-parse HEAD) -t dissensus .
#   docker run --rm -v "$PWD/results:/dissensus/results" dissensus snakemake --cores 8
# The tests and slow checks are for a checkout: bash .ci/run.
FROM python:3.11-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /dissensus
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
# Artefacts name the commit of the code that made them; the image has no history to ask.
ARG COMMIT=unknown
RUN pip install --no-cache-dir --no-deps --no-build-isolation -e . && echo "$COMMIT" > COMMIT
CMD ["snakemake", "--cores", "8"]
