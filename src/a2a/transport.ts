import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureContext, rootCertificates } from "node:tls";
import type { Dispatcher } from "undici";
import { Agent, EnvHttpProxyAgent } from "undici";
import type { CallFailure } from "../core/call.ts";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { isLoopback } from "./agent-url.ts";
import type { HttpHeaders, HttpReply } from "./classify.ts";
import type { ExchangeFacts } from "./transport-failure.ts";
import {
  abortedFailure,
  classifyTransportError,
  errorCode,
  timedOutFailure,
  tooLargeFailure,
} from "./transport-failure.ts";

/** How the environment wants proxies to be used; empty texts mean none. */
interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

export interface TransportOptions {
  /** PEM file of authorities that are trusted besides the usual ones. */
  readonly caFile?: string | undefined;
  /**
   * Connections to the agent at one time; best the number of calls in flight. Without a bound a call that follows
   * another at once opens a second connection, since undici frees the first only in the next turn of the event loop.
   */
  readonly connections?: number | undefined;
  readonly proxy?: ProxySettings | undefined;
}

export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Absolute. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON for a POST, null for a GET. */
  readonly body: string | null;
  /** From here to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

/** A whole answer of any status, or why there is none. */
type ExchangeResult = HttpReply | { readonly kind: "failure"; readonly failure: CallFailure };

export interface Transport {
  /** One request, one answer: nothing is repeated, no redirect is followed. */
  exchange(request: HttpRequest): Promise<ExchangeResult>;
  /** Exchanges that have no answer yet. */
  inFlightCount(): number;
  /** Ends every socket; exchanges that are still open come back as aborted. May be called twice. */
  close(): Promise<void>;
}

/** A connection that is not made by then will not be: longer than a retried SYN, shorter than a run's patience. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A timer that is later than this was held up by its own process. */
const STALL_MS = 250;
/** What came during a stall is read by then. */
const AFTER_STALL_MS = 500;

/** Of an error page only the beginning is of interest. */
const MAX_ERROR_BODY_BYTES = 262_144;

/**
 * HTTP/1.1 with keep-alive to the agent. Loopback addresses never go through a proxy.
 * @throws OnboardError (usage) when `caFile` cannot be read.
 */
export function createTransport(options: TransportOptions = {}): Transport {
  const agentOptions = {
    // The request's own deadline is the only one: undici's would cut answers after 300 s.
    headersTimeout: 0,
    bodyTimeout: 0,
    connections: options.connections ?? null,
    allowH2: false,
    connect: { timeout: CONNECT_TIMEOUT_MS, ...trustOf(options.caFile) },
  };
  const direct = new Agent(agentOptions);
  const proxied = createProxied(options.proxy, agentOptions);
  const route = (url: URL): Route =>
    proxied === undefined || isLoopback(url)
      ? { dispatcher: direct, proxied: false }
      : { dispatcher: proxied, proxied: true };
  let inFlightCount = 0;
  return {
    async exchange(request) {
      inFlightCount += 1;
      try {
        return await exchange(request, route(request.url));
      } finally {
        inFlightCount -= 1;
      }
    },
    inFlightCount: () => inFlightCount,
    async close() {
      await Promise.all([direct.destroy(), proxied?.destroy()]);
    },
  };
}

interface Route {
  readonly dispatcher: Dispatcher;
  readonly proxied: boolean;
}

function createProxied(
  proxy: ProxySettings | undefined,
  agentOptions: Agent.Options,
): Dispatcher | undefined {
  if (proxy === undefined || (proxy.httpProxy === "" && proxy.httpsProxy === "")) return undefined;
  const { connect } = agentOptions;
  const tls = typeof connect === "object" ? connect : {};
  return new EnvHttpProxyAgent({ ...agentOptions, ...proxy, requestTls: tls, proxyTls: tls });
}

/** One context for all connections, since parsing the authorities takes milliseconds. */
function trustOf(caFile: string | undefined): object {
  if (caFile === undefined) return {};
  return { secureContext: createSecureContext({ ca: [...rootCertificates, readPem(caFile)] }) };
}

function readPem(caFile: string): string {
  try {
    const pem = readFileSync(caFile, "utf8");
    if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  } catch (error) {
    throw new OnboardError(EXIT.usage, `cannot read agent.caFile: ${errorText(error)}`, {
      cause: error,
    });
  }
  throw new OnboardError(EXIT.usage, `agent.caFile holds no certificate: ${caFile}`, {
    hint: "it must be a PEM file with BEGIN CERTIFICATE lines",
  });
}

function exchange(request: HttpRequest, route: Route): Promise<ExchangeResult> {
  return new Promise((resolve, reject) => {
    const reader = new ReplyReader(request, route.proxied, { resolve, reject });
    if (!reader.begin()) return;
    route.dispatcher.dispatch(
      {
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: request.headers,
        body: request.body,
      },
      reader,
    );
  });
}

interface Settle {
  resolve(result: ExchangeResult): void;
  reject(reason: unknown): void;
}

/** Collects one answer within its bounds. undici calls the `on…` methods; the first result stands. */
class ReplyReader implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest;
  readonly #proxied: boolean;
  readonly #settle: Settle;
  readonly #onAbort = (): void => this.#fail(abortedFailure(this.#facts()));
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #status = 0;
  #headers: HttpHeaders = {};
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  constructor(request: HttpRequest, proxied: boolean, settle: Settle) {
    this.#request = request;
    this.#proxied = proxied;
    this.#settle = settle;
  }

  /** Starts the clock; false when the signal has already ended the call. */
  begin(): boolean {
    const { signal, timeoutMs } = this.#request;
    if (signal.aborted) {
      this.#onAbort();
      return false;
    }
    // One signal ends many calls: Node would take their listeners for a leak.
    setMaxListeners(0, signal);
    signal.addEventListener("abort", this.#onAbort);
    this.#wait(timeoutMs);
    return true;
  }

  /**
   * A process that was stopped finds all its times over before it has read what came meanwhile: then
   * the answer gets a moment more, since a send that is given up is sent again.
   */
  #wait(delayMs: number): void {
    const dueAtMs = performance.now() + delayMs;
    this.#timer = setTimeout(() => {
      if (performance.now() - dueAtMs > STALL_MS) this.#wait(AFTER_STALL_MS);
      else this.#fail(timedOutFailure(this.#request.timeoutMs, this.#facts()));
    }, delayMs);
  }

  /** Called when a connection is there, just before the first byte is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#settled) controller.abort(new Error("the call is over"));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpHeaders,
  ): void {
    this.#status = status;
    this.#headers = headers;
    const announcedBytes = Number(headers["content-length"]);
    if (status < 400 && announcedBytes > this.#maxBytes()) this.#overflow();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#sizeBytes += chunk.length;
    this.#chunks.push(chunk);
    if (this.#sizeBytes > this.#maxBytes()) this.#overflow();
  }

  onResponseEnd(): void {
    this.#finish(this.#reply());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (errorCode(error) === "UND_ERR_INVALID_ARG") {
      this.#release();
      this.#settle.reject(error);
      return;
    }
    this.#finish({ kind: "failure", failure: classifyTransportError(error, this.#facts()) });
  }

  /** An error page tells enough by its beginning; any other answer is worth nothing in part. */
  #overflow(): void {
    if (this.#status >= 400) {
      this.#finish(this.#reply());
      this.#controller?.abort(new Error("the rest is not read"));
    } else {
      this.#fail(tooLargeFailure(this.#request.maxResponseBytes, this.#facts()));
    }
  }

  #maxBytes(): number {
    const { maxResponseBytes } = this.#request;
    return this.#status >= 400
      ? Math.min(MAX_ERROR_BODY_BYTES, maxResponseBytes)
      : maxResponseBytes;
  }

  #reply(): HttpReply {
    return {
      kind: "reply",
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks).toString("utf8"),
    };
  }

  #fail(failure: CallFailure): void {
    this.#finish({ kind: "failure", failure });
    this.#controller?.abort(new Error(failure.message));
  }

  #finish(result: ExchangeResult): void {
    if (this.#settled) return;
    this.#release();
    this.#settle.resolve(result);
  }

  #release(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener("abort", this.#onAbort);
    this.#chunks = [];
  }

  #facts(): ExchangeFacts {
    return {
      host: this.#request.url.host,
      written: this.#controller !== undefined,
      proxied: this.#proxied,
    };
  }
}
