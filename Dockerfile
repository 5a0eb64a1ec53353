# One image for both programs: the operator (default command) and the guardrail (`guardrail/main.ts`).
# The image contains the Node that package-lock.json pins, so the base image needs only a C++ runtime. Both images are
# pinned by digest, so that a build changes only when this file changes. To update a digest:
#
#   docker buildx imagetools inspect gcr.io/distroless/cc-debian12:nonroot --format '{{.Manifest.Digest}}'
#
# and the same for the other image. To use a mirror, set --build-arg BASE_IMAGE=… and --build-arg BUILD_IMAGE=….
#
# The image can be built for another architecture without emulation: its packages are installed on the machine that builds.
# Only the compile cache needs a program of the image to run: --target image leaves it out.
#
# The same sources result in the same files. For the same digest, the times of files must be fixed too: npm run release does.
ARG BUILD_IMAGE=docker.io/library/node:26-bookworm-slim@sha256:367679cf9792759492a486e4aa4b421764d71a9546a6dae8aab81a99eb797b3e
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f

# Libraries for the architecture of the image. Its default platform is named because older versions of Buildah would use that
# of the stage before it.
FROM --platform=$TARGETPLATFORM ${BUILD_IMAGE} AS libraries

FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS packages
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm config set --location=global os=linux libc=glibc "cpu=$(echo "$TARGETARCH" | sed s/amd64/x64/)" \
 && npm ci --omit=dev --include=optional --loglevel=error

# The licence texts of all packages, NOTICE and the SBOM, from the complete packages. It fails if a text is missing.
COPY LICENSE NOTICE ./
COPY hack/image hack/image
RUN node hack/image/main.ts /out/licenses && cp LICENSE /out/licenses/

# Moves the pinned Node out of the packages. Deletes what the programs do not need: Node's headers, documentation, source
# maps and type declarations of packages, the image reader's runtime for other systems, and builds of OpenTelemetry for bundlers
# and its names that can still change.
RUN mkdir -p /out/usr/local/bin /out/app && cp "$(readlink -f node_modules/.bin/node)" /out/usr/local/bin/node \
 && rm -rf node_modules/node-linux-* node_modules/node-darwin-* node_modules/node-bin-* node_modules/.bin \
 && find node_modules -type f \( -name '*.map' -o -name '*.md' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete \
 && find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 ! -path "*/linux/$(echo "$TARGETARCH" | sed s/amd64/x64/)" \
    -exec rm -rf {} + \
 && rm -rf node_modules/@opentelemetry/*/build/esm node_modules/@opentelemetry/*/build/esnext \
 && rm -f node_modules/@opentelemetry/semantic-conventions/dist/experimental_* \
    node_modules/@opentelemetry/semantic-conventions/dist/index-incubating.* \
 && mv node_modules /out/app/

# Node links against libatomic, which the base image lacks.
RUN --mount=type=bind,from=libraries,source=/usr,target=/libraries \
    lib="lib/$(echo "$TARGETARCH" | sed 's/amd64/x86_64/; s/arm64/aarch64/')-linux-gnu" \
 && mkdir -p "/out/usr/$lib" /out/licenses/libatomic1 \
 && cp -L "/libraries/$lib/libatomic.so.1" "/out/usr/$lib/" \
 && cp -L /libraries/share/doc/libatomic1/copyright /out/licenses/libatomic1/

FROM --platform=$TARGETPLATFORM ${BASE_IMAGE} AS program
# Packages first: they change less often than the layers that follow, so most upgrades pull only those.
COPY --from=packages /out/usr /usr
COPY --from=packages /out/app /app
COPY --from=packages /out/licenses /licenses
WORKDIR /app
COPY package.json ./
COPY crds crds
COPY operator operator
COPY guardrail guardrail
ENV NODE_ENV=production
# Decoded images take large blocks of memory. With this threshold, malloc returns them to the system when they are freed,
# and the process uses a third less memory.
ENV MALLOC_MMAP_THRESHOLD_=131072
USER 65532:65532

# Compiles all modules once. The compile cache makes a start twice as fast and saves each process the compiler's memory.
# Node keeps one cache for each user and each set of CPU features, so a container with another user, or on a much older or
# newer processor than the one of the build, starts without it. V8 accepts only a cache that was written with the flags of the
# program: the first run has those of the operator's Deployment, and the second one has none, as the guardrail. The content
# depends on random hashes, on the order in which modules are read, and on memory that a garbage collection has freed. The other
# flags, which V8 ignores when it accepts a cache, and the one thread for files make it the same in every build.
FROM program AS compiled
ENV NODE_COMPILE_CACHE=/tmp/compiled UV_THREADPOOL_SIZE=1
RUN ["/usr/local/bin/node", "--no-maglev", "--invocation-count-for-turbofan=20000", "--random-seed=1", "--predictable", "--min-semi-space-size=256", "--max-semi-space-size=256", "--eval", "for (const file of ['operator/config.ts', 'operator/operator.ts', 'operator/configuration/documentWorker.ts', 'operator/certificates/x509.ts', 'guardrail/telemetry/sdk.ts']) await import(`./${file}`)"]
RUN ["/usr/local/bin/node", "--random-seed=1", "--predictable", "--min-semi-space-size=256", "--max-semi-space-size=256", "--eval", "for (const file of ['guardrail/commands.ts', 'guardrail/serve.ts', 'guardrail/extProc/extProc.ts', 'guardrail/telemetry/sdk.ts']) await import(`./${file}`)"]

FROM program AS image
# The build sets these two: --build-arg REVISION=$(git rev-parse HEAD) --build-arg CREATED=$(date -u +%Y-%m-%dT%H:%M:%SZ)
ARG REVISION=
ARG CREATED=
ARG BASE_IMAGE
LABEL org.opencontainers.image.title="Gateway Guardrail Operator" \
      org.opencontainers.image.description="Kubernetes operator for an AI gateway's customers, and the guardrail that keeps personal data away from the models." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.authors="The Gateway Guardrail Operator maintainers" \
      org.opencontainers.image.vendor="The Gateway Guardrail Operator maintainers" \
      org.opencontainers.image.licenses="Apache-2.0 AND LGPL-3.0-or-later" \
      org.opencontainers.image.url="https://github.com/example/gateway-guardrail-operator" \
      org.opencontainers.image.source="https://github.com/example/gateway-guardrail-operator" \
      org.opencontainers.image.documentation="https://github.com/example/gateway-guardrail-operator#readme" \
      org.opencontainers.image.base.name="$BASE_IMAGE"
ENV NODE_COMPILE_CACHE=/app/compiled
# Both programs report it as a label of their metric build_info.
ENV BUILD_REVISION=$REVISION
ENTRYPOINT ["/usr/local/bin/node"]
CMD ["operator/main.ts"]

FROM image
COPY --from=compiled /tmp/compiled compiled
