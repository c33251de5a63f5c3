# syntax=docker/dockerfile:1
# One node of Tandem, as a user without rights and with nothing to write but /data and /tmp:
#   docker build -t tandem . && docker run --read-only --tmpfs /tmp -v tandem-data:/data -p 127.0.0.1:4000:4000 tandem
# Without DATABASE_URL it brings its own PostgreSQL, and without S3_… its own object store, both in /data.
ARG NODE_VERSION=20

# What is needed to run it, in the versions of the lock file. npm would keep tools that some package may use when they are
# there, Prisma's and TypeScript among them: 240 MB. So they are taken out of the lock file first.
FROM node:${NODE_VERSION}-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/build.mjs scripts/bundle.mjs scripts/
RUN --mount=type=cache,target=/root/.npm \
    npm pkg delete devDependencies && npm install --package-lock-only --ignore-scripts && npm ci --omit=dev

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/build.mjs scripts/bundle.mjs scripts/
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
# What the package has is what the image has.
RUN npm run build && npm pack --ignore-scripts && tar --extract --gzip --file tandem-gateway-*.tgz

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="Tandem" \
      org.opencontainers.image.description="A task and list service: REST, GraphQL and live events" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package ./
# A new volume gets the owner of what it is mounted over.
RUN install --directory --owner=1000 --group=1000 --mode=0700 /data
ENV NODE_ENV=production \
    NODE_OPTIONS=--enable-source-maps \
    HOST=0.0.0.0 \
    PORT=4000 \
    DATA_DIR=/data
VOLUME /data
# The account `node` of the image, by number, so that a cluster can see that it is not root.
USER 1000:1000
EXPOSE 4000
STOPSIGNAL SIGTERM
# Whether the process answers at all; whether it can serve, as a balancer wants to know, is /readyz.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# New objects get more room than Node gives them: what an answer is made of is garbage before any of it is moved (ADR 13).
CMD ["node", "--max-semi-space-size=64", "dist/main.js"]
