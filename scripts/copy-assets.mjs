// The compiler copies only TypeScript; the Lua transitions travel beside the modules that load them.
import { chmodSync, cpSync } from "node:fs";

cpSync("src/redis/lua", "dist/redis/lua", { recursive: true });
chmodSync("dist/main.js", 0o755);
