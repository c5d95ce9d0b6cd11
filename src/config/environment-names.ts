/** Environment names that are no settings. Secrets have no flag, so that they appear in no process list. */
export const OTHER_ENVIRONMENT = {
  ONBOARD_BATCH_API_KEY: "the agent's API key, sent as X-API-KEY",
  ONBOARD_BATCH_API_KEY_FILE: "a file that holds the API key, instead",
  ONBOARD_BATCH_REDIS_PASSWORD:
    "the password of Redis, for a URL without one, redis.sentinels, redis.cluster",
  ONBOARD_BATCH_REDIS_PASSWORD_FILE: "a file that holds the password of Redis, instead",
  ONBOARD_BATCH_SENTINEL_PASSWORD: "the password of the Sentinels themselves",
  ONBOARD_BATCH_SENTINEL_PASSWORD_FILE: "a file that holds it, instead",
  ONBOARD_BATCH_CONFIG: "the configuration file, as --config",
  ONBOARD_BATCH_REDIS_SERVER: "the redis-server or valkey-server binary of a managed Redis",
} as const;

/** Names of other programs that are honoured. */
export const FOREIGN_ENVIRONMENT = {
  REDIS_URL: "Redis, when ONBOARD_BATCH_REDIS is unset",
  NO_COLOR: "no colour when not empty",
  "HTTP_PROXY, HTTPS_PROXY, NO_PROXY": "the proxy to the agent, never for this machine itself",
  XDG_CONFIG_HOME: "where onboard-batch/config.yaml is looked for, default ~/.config",
  XDG_STATE_HOME: "where a managed Redis keeps its data, default ~/.local/state",
} as const;
