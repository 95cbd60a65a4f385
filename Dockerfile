# Five images, chosen with --target:
#   console   the console alone, for a control plane that runs elsewhere; several may share one database
#   platform  the embedded platform alone: control plane, builder and its gateway; one per database. Also the listener, with
#             the command `node .build/listener.mjs`
#   full      the console with the embedded platform, as `npm start` runs it; one per database (default)
#   gateway   the gateway of the embedded platform apart from it; any number of them
#   agent     builds and runs one agent in a cluster; the base of images of your own agents, whose folder is /deployment
# They run without root and with a read-only file system, except for /data or /deployment, and /tmp. /app/sbom.cdx.json is the bill of
# materials (CycloneDX): all npm packages of the product, some of which only other images have.
ARG NODE=24

FROM node:${NODE}-bookworm-slim AS sources
WORKDIR /app
COPY package.json package-lock.json ./
COPY scripts/bootstrap.mjs scripts/data-folder.mjs ./scripts/
COPY scripts/launch/end-with-parent.mjs ./scripts/launch/
RUN --mount=type=cache,target=/root/.npm node -e "import('./scripts/bootstrap.mjs').then((boot) => boot.ensureDependencies())"
COPY . .
RUN node scripts/pack/sbom.mjs > sbom.cdx.json

FROM sources AS build
# The path below which the console is served, such as /pilothouse: see docs/operate.md.
ARG PILOTHOUSE_BASE_PATH=
ENV PILOTHOUSE_BASE_PATH=$PILOTHOUSE_BASE_PATH
# sharp resizes images, which the console does not do.
RUN NEXT_OUTPUT=standalone NEXT_TELEMETRY_DISABLED=1 npx next build && node scripts/docs/build.mjs \
  && cd .next/standalone/node_modules && rm -rf sharp @img detect-libc semver

FROM sources AS full-files
RUN node scripts/build-platform.mjs && node scripts/backup/build-trail.mjs && node scripts/pack/keep-packages.mjs \
  embedded-postgres esbuild swagger-ui-dist .build/*.mjs scripts/start.mjs scripts/database.mjs scripts/backup/backup.mjs scripts/backup/restore.mjs

FROM sources AS agent-files
RUN node scripts/build-platform.mjs && node scripts/pack/keep-packages.mjs esbuild swagger-ui-dist .build/container.mjs .build/agent-server.mjs

FROM node:${NODE}-bookworm-slim AS agent
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends git openssh-client ca-certificates && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node /deployment
COPY --from=sources /app/sbom.cdx.json ./
COPY --from=agent-files /app/package.json ./
COPY --from=agent-files /app/node_modules ./node_modules
COPY --from=agent-files /app/.build ./.build
ENV NODE_ENV=production
USER node
WORKDIR /deployment
EXPOSE 8000 8001
HEALTHCHECK --interval=10s --start-period=90s CMD node -e "fetch('http://127.0.0.1:8001/live').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"
ENTRYPOINT ["node", "/app/.build/container.mjs"]
CMD ["serve"]

FROM sources AS platform-files
RUN node scripts/build-platform.mjs && node scripts/pack/keep-packages.mjs \
  esbuild swagger-ui-dist .build/platform.mjs .build/agent-server.mjs .build/listener.mjs

FROM node:${NODE}-bookworm-slim AS platform
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends git openssh-client ca-certificates bubblewrap && rm -rf /var/lib/apt/lists/* \
  && install -d -o node -g node /data
COPY --from=sources /app/sbom.cdx.json ./
COPY --from=platform-files /app/package.json ./
COPY --from=platform-files /app/node_modules ./node_modules
COPY --from=platform-files /app/.build ./.build
COPY --from=platform-files /app/drizzle/platform ./drizzle/platform
COPY --from=platform-files /app/platform/samples ./platform/samples
ENV NODE_ENV=production PILOTHOUSE_DATA=/data PLATFORM_HOST=0.0.0.0 PLATFORM_PORT=4000
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --start-period=90s CMD node -e "fetch('http://127.0.0.1:'+process.env.PLATFORM_PORT+'/ok').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"
CMD ["node", "--enable-source-maps", ".build/platform.mjs"]

FROM sources AS gateway-files
RUN node scripts/build-platform.mjs && node scripts/pack/keep-packages.mjs .build/gateway.mjs

FROM node:${NODE}-bookworm-slim AS gateway
WORKDIR /app
COPY --from=sources /app/sbom.cdx.json ./
COPY --from=gateway-files /app/package.json ./
COPY --from=gateway-files /app/node_modules ./node_modules
COPY --from=gateway-files /app/.build/gateway.mjs ./.build/gateway.mjs
ENV NODE_ENV=production PILOTHOUSE_GATEWAY_HOST=0.0.0.0 PILOTHOUSE_GATEWAY_PORT=4100
USER node
EXPOSE 4100
HEALTHCHECK --interval=10s --start-period=30s CMD node -e "fetch('http://127.0.0.1:'+process.env.PILOTHOUSE_GATEWAY_PORT+'/healthz').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"
CMD ["node", ".build/gateway.mjs"]

FROM node:${NODE}-bookworm-slim AS console
WORKDIR /app
COPY --from=sources /app/sbom.cdx.json ./
COPY --from=build /app/.next/standalone ./
COPY --from=build /app/.next/static ./.next/static
COPY --from=build /app/public ./public
COPY --from=build /app/.build/docs ./.build/docs
COPY --from=build /app/drizzle/console ./drizzle/console
COPY --from=build /app/scripts/launch/json-console.mjs /app/scripts/launch/lost-output.mjs ./scripts/launch/
RUN install -d -o node -g node /data
ENV NODE_ENV=production HOSTNAME=0.0.0.0 PORT=3000 PILOTHOUSE_DATA=/data NEXT_TELEMETRY_DISABLED=1
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --start-period=30s CMD node -e "fetch('http://127.0.0.1:'+process.env.PORT+'/healthz').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"
CMD ["node", "--import", "./scripts/launch/json-console.mjs", "server.js"]

FROM console AS full
USER root
RUN apt-get update && apt-get install -y --no-install-recommends git openssh-client ca-certificates bubblewrap && rm -rf /var/lib/apt/lists/*
COPY --from=full-files /app ./
USER node
ENV HOST=0.0.0.0 PILOTHOUSE_IN_CONTAINER=1
HEALTHCHECK --interval=10s --start-period=90s CMD node -e "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"
CMD ["node", "scripts/start.mjs"]
