import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];

/** Makes a private certificate authority. @returns the path of its certificate */
export async function makeAuthority(dir: string, name: string): Promise<string> {
  const file = path.join(dir, `${name}.pem`);
  const names = ["-subj", `/CN=onboard-batch test authority ${name}`];
  const out = ["-keyout", path.join(dir, `${name}.key`), "-out", file];
  await promisify(execFile)("openssl", ["req", "-x509", ...NEW_KEY, ...names, ...out]);
  return file;
}

/** Makes a certificate for 127.0.0.1, signed by the authority `ca` of the same folder. */
export async function makeCertificate(dir: string, name: string): Promise<void> {
  const authority = ["-CA", path.join(dir, "ca.pem"), "-CAkey", path.join(dir, "ca.key")];
  const names = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"];
  const leaf = ["-addext", "basicConstraints=critical,CA:FALSE"];
  const out = ["-keyout", path.join(dir, `${name}.key`), "-out", path.join(dir, `${name}.pem`)];
  const words = ["req", "-x509", ...NEW_KEY, ...names, ...leaf, ...authority, ...out];
  await promisify(execFile)("openssl", words);
}
