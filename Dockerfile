# What the program needs to run. No package needs its install script: what they would compile is optional.
FROM node:20-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/copy-assets.mjs ./scripts/
COPY src ./src
RUN npm run build

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Outputs go below the working folder: mount one there that the container's user may write.
# Whichever user that is, answers that must outlive a Redis outage have their place in /state.
RUN mkdir /data && chown node:node /data && mkdir -m 1777 /state
ENV XDG_STATE_HOME=/state
USER node
WORKDIR /data
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["help"]
