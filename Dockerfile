# The function's image: one ES module on a Node base that has no shell and no package manager.
# Needs BuildKit, and nothing else that is not in the base images: `make packages` builds with it.
# Another base, or one by digest: --build-arg BUILD_IMAGE=… or RUNTIME_IMAGE=…, of the same Node major.
ARG NODE_MAJOR=24
ARG BUILD_IMAGE=docker.io/library/node:${NODE_MAJOR}-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs${NODE_MAJOR}-debian12:nonroot

# What comes out is the same for every platform, so it is made on the builder's own.
FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS bundle
ARG NODE_MAJOR
RUN node -e 'process.exit(process.versions.node.split(".")[0] === process.argv[1] ? 0 : 1)' "$NODE_MAJOR"
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Both secrets are optional, for a registry of one's own: an npm configuration, and authorities to trust.
RUN --mount=type=cache,target=/root/.npm \
    --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=authorities \
    if [ -s /run/secrets/authorities ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/authorities; fi; \
    npm ci --prefer-offline --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/bundle.ts scripts/
COPY src src
RUN node --import tsx scripts/bundle.ts /out

FROM ${RUNTIME_IMAGE}
ARG VERSION=development
ARG REVISION=unknown
LABEL org.opencontainers.image.title="function-tofu-workspace" \
      org.opencontainers.image.description="A Crossplane composition function: from an app's backup Schedule and route to one OpenTofu Workspace." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
COPY --from=bundle /out/ /
USER 65532:65532
EXPOSE 9443
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/main.js"]
