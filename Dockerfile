# mxlint in a container, for CI that runs images: docker run --rm --network none -v "$PWD:/code:ro" mxlint
# The files are only read. --verify needs MLX and the packages of your project: derive an image that has them.
FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels /source

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-deps /wheels/*.whl \
    && useradd --uid 1000 --create-home mxlint
USER 1000
WORKDIR /code
ENTRYPOINT ["mxlint"]
CMD ["check", "."]
