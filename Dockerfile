# syntax=docker/dockerfile:1
# The image has Node, the program and its dependencies, and no npm. Build it for several platforms with an SBOM:
#
#   docker buildx build --platform linux/amd64,linux/arm64 --sbom=true --provenance=true -t ethgate .
#
# It runs without rights and with a read-only root file system:
#
#   docker run --read-only --cap-drop ALL -p 127.0.0.1:8545:8545 ethgate serve --upstream http://NODE:8090
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/build.mjs scripts/entries.mjs scripts/
COPY src src
# Such as 1134+b7803a22: git rev-list --count HEAD, and git rev-parse --short HEAD.
ARG ETHGATE_COMMIT=
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund && mkdir data

FROM node:24-slim
LABEL org.opencontainers.image.title="ethgate" \
      org.opencontainers.image.description="An Ethereum JSON-RPC gateway for java-tron full nodes" \
      org.opencontainers.image.licenses="MIT"
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
  /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg
ENV NODE_ENV=production ETHGATE_HOST=0.0.0.0 ETHGATE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Owned by the user of the image, so that a new volume is too.
COPY --from=build --chown=node:node /app/data /data
VOLUME /data
USER node
EXPOSE 8545
# Ready means: the node answers and a head is known.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.ETHGATE_PORT ?? 8545) + '/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# On SIGTERM the gateway drains. Node is process 1, so it gets the signal.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
