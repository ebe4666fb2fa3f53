# dissensus with everything that it needs, for machines without Python 3.11. The image has the wheel; the project is mounted:
#   docker build --build-arg COMMIT=$(git rev-parse HEAD) -t dissensus .
#   docker run --rm -v "$PWD:/project" dissensus dissensus run
# In an empty folder that runs the five studies. The tests and slow checks are for a checkout: bash .ci/run.
FROM python:3.11-slim AS built
WORKDIR /source
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
# Artefacts name the commit of the code that made them; the image has no history to ask.
ARG COMMIT=unknown
RUN echo "$COMMIT" > COMMIT && pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .

FROM python:3.11-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY requirements.lock /
RUN pip install --no-cache-dir --require-hashes -r /requirements.lock
COPY --from=built /wheels /wheels
RUN pip install --no-cache-dir --no-deps /wheels/*.whl
WORKDIR /project
CMD ["dissensus", "run"]
