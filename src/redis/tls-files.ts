import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { RedisTls } from "./topology.ts";

/** PEM files of a TLS connection, absolute paths. */
export interface TlsPaths {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/**
 * Reads the files of `redis.tls` and checks that TLS can be spoken with them.
 * @throws OnboardError (exit 2) that names the setting
 */
export async function readTlsFiles({ caFile, certFile, keyFile }: TlsPaths): Promise<RedisTls> {
  const ca = await readPart("redis.tls.caFile", caFile, (pem) => ({ ca: pem }));
  const cert = await readPart("redis.tls.certFile", certFile, (pem) => ({ cert: pem }));
  const key = await readPart("redis.tls.keyFile", keyFile, (pem) => ({ key: pem }));
  const tls = { ...ca, ...cert, ...key };
  check("redis.tls.certFile and redis.tls.keyFile", tls);
  return tls;
}

async function readPart(
  setting: string,
  file: string | undefined,
  toPart: (pem: string) => RedisTls,
): Promise<RedisTls> {
  if (file === undefined) return {};
  const part = toPart(await readPem(setting, file));
  check(`${setting} (${file})`, part);
  return part;
}

async function readPem(setting: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new OnboardError(EXIT.usage, `${setting} cannot be read (${errorText(error)})`);
  }
}

function check(what: string, part: RedisTls): readonly X509Certificate[] {
  try {
    createSecureContext(part);
    // It takes a text without any certificate for an empty list of authorities.
    return [part.ca, part.cert]
      .filter((pem) => pem !== undefined)
      .map((pem) => new X509Certificate(pem));
  } catch (error) {
    throw new OnboardError(EXIT.usage, `${what} cannot be used (${errorText(error)})`, {
      hint: "PEM files are wanted: -----BEGIN CERTIFICATE-----, and for a key -----BEGIN PRIVATE KEY-----",
      cause: error,
    });
  }
}
