import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { readScript } from "../../src/redis/script.ts";

/** A command as it went over the wire: its name, then its arguments. */
export type RedisCommand = readonly string[];

/** A moment in the talk between a process and its Redis. */
export interface CutPoint {
  readonly matches: (command: RedisCommand) => boolean;
  /** `call`: before Redis gets the command. `reply`: Redis has done it, the process does not learn of it. */
  readonly when: "call" | "reply";
  /** Which of the matching commands (1: the first). */
  readonly nth?: number;
  /** Ends the process; called at that moment. */
  readonly kill: () => void;
}

/** Stands between one process and its Redis, and hears what they say. */
export interface RedisTap {
  readonly url: string;
  /** Kills and lets nothing more through, either way; resolves with the command that it was about. */
  cutAt(point: CutPoint): Promise<RedisCommand>;
  stop(): Promise<void>;
}

interface Cut extends CutPoint {
  seen: number;
  readonly done: (command: RedisCommand) => void;
}

/** Starts a tap before the Redis at `redisUrl`. Whoever starts it stops it. */
export async function startRedisTap(redisUrl: string): Promise<RedisTap> {
  const { hostname, port } = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let cut: Cut | undefined;
  let isCut = false;

  function fire({ kill, done }: Cut, command: RedisCommand): void {
    kill();
    isCut = true;
    for (const socket of sockets) socket.destroy();
    done(command);
  }

  /** Whether this is the moment, should it be a command's `when`. */
  function isMoment(command: RedisCommand, when: CutPoint["when"]): Cut | undefined {
    if (cut === undefined || cut.when !== when || !cut.matches(command)) return undefined;
    cut.seen += 1;
    return cut.seen === (cut.nth ?? 1) ? cut : undefined;
  }

  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.once("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    const waiting: RedisCommand[] = [];
    forEachValue(near, (bytes) => {
      const command = readCommand(bytes);
      const moment = isCut ? undefined : isMoment(command, "call");
      if (moment !== undefined) fire(moment, command);
      if (isCut) return;
      waiting.push(command);
      far.write(bytes);
    });
    forEachValue(far, (bytes) => {
      const command = waiting.shift() ?? [];
      const moment = isCut ? undefined : isMoment(command, "reply");
      if (moment !== undefined) fire(moment, command);
      if (!isCut) near.write(bytes);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    url: `redis://127.0.0.1:${address.port}`,
    cutAt: (point) =>
      new Promise((done) => {
        cut = { ...point, seen: 0, done };
      }),
    async stop() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A call of one of the program's own scripts. */
export function isScript(name: string): (command: RedisCommand) => boolean {
  const { source, sha } = readScript(name);
  return ([verb = "", what]) =>
    (verb.toLowerCase() === "evalsha" && what === sha) ||
    (verb.toLowerCase() === "eval" && what === source);
}

/** A script of the queue's that has all these keys, told by their ends. */
export function isQueueScript(...keyEnds: string[]): (command: RedisCommand) => boolean {
  return (command) => {
    if (!/^eval(sha)?$/i.test(command[0] ?? "")) return false;
    const { keys } = scriptParts(command);
    return keyEnds.every((end) => keys.some((key) => key.endsWith(end)));
  };
}

/** Keys and arguments of a script's call. */
export function scriptParts(command: RedisCommand): {
  readonly keys: readonly string[];
  readonly args: readonly string[];
} {
  const count = Number(command[2]);
  return { keys: command.slice(3, 3 + count), args: command.slice(3 + count) };
}

/** Hands out the stream's RESP values one by one, as the bytes that they came as. */
function forEachValue(socket: Socket, take: (bytes: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = endOfValue(rest, 0); end !== undefined; end = endOfValue(rest, 0)) {
      take(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}

/** Where the RESP value that begins at `at` ends; undefined while it is not whole. */
function endOfValue(bytes: Buffer, at: number): number | undefined {
  const lineEnd = bytes.indexOf("\r\n", at);
  if (lineEnd === -1) return undefined;
  const type = String.fromCharCode(bytes[at] ?? 0);
  const count = Number(bytes.toString("latin1", at + 1, lineEnd));
  const next = lineEnd + 2;
  if ("$=!".includes(type) && count >= 0) {
    return next + count + 2 <= bytes.length ? next + count + 2 : undefined;
  }
  if ("*~>".includes(type)) return endOfValues(bytes, next, count);
  return type === "%" ? endOfValues(bytes, next, count * 2) : next;
}

function endOfValues(bytes: Buffer, at: number, count: number): number | undefined {
  let end: number | undefined = at;
  for (let index = 0; index < count && end !== undefined; index += 1) end = endOfValue(bytes, end);
  return end;
}

/** A client sends arrays of bulk strings only. */
function readCommand(bytes: Buffer): RedisCommand {
  const words: string[] = [];
  for (let at = bytes.indexOf("\r\n") + 2; at < bytes.length; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const length = Number(bytes.toString("latin1", at + 1, lineEnd));
    words.push(bytes.toString("utf8", lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return words;
}
