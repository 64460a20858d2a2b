import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { findDateFault } from './peer.ts';
import { StartError } from './start-error.ts';

export interface Certificates {
  /** PEM, as TLS wants them. */
  readonly key: Buffer;
  readonly cert: Buffer;
  readonly ca: Buffer;
  /** The first certificate in `cert`: who we are. */
  readonly leaf: X509Certificate;
  /** The certificates in `ca`: whose word for a caller counts. */
  readonly authorities: readonly X509Certificate[];
}

const FILES = ['tls.crt', 'tls.key', 'ca.crt'] as const;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads and checks all three files, so that a broken Secret shows when the process starts and not as
 * a failed handshake in core. Dates are not checked here: {@link findCertificatesFault} says when they are out.
 *
 * @throws StartError that names the file
 */
export function readCertificates(directory: string): Certificates {
  const [certPath, keyPath, caPath] = [
    join(directory, 'tls.crt'),
    join(directory, 'tls.key'),
    join(directory, 'ca.crt'),
  ];
  const [cert, key, ca] = [readPem(certPath), readPem(keyPath), readPem(caPath)];
  const leaf = parseCertificates(cert, certPath)[0];
  const authorities = parseCertificates(ca, caPath);
  const privateKey = parseKey(key, keyPath);
  if (leaf?.checkPrivateKey(privateKey) !== true)
    throw new StartError('surroundings', `${keyPath} is not the key of the certificate in ${certPath}`);
  // Refuses what parses but TLS does not take, such as a key that is too short.
  attempt(() => createSecureContext({ key, cert, ca }), `cannot use the certificates in ${directory}`);
  return { key, cert, ca, leaf, authorities };
}

/** Says why nobody can be served with these; undefined where they are good. */
export function findCertificatesFault({ leaf, authorities }: Certificates, now: Date): string | undefined {
  const faults = authorities.map(authority => findDateFault(authority, 'authority in ca.crt', now));
  return (
    findDateFault(leaf, 'server certificate', now) ??
    (faults.every(fault => fault !== undefined) ? faults[0] : undefined)
  );
}

/** Changes when the content of any of the files does, or whether it can be read. */
export function fingerprintFiles(directory: string): string {
  const hash = createHash('sha256');
  for (const name of FILES) hash.update(readState(join(directory, name))).update('\0');
  return hash.digest('hex');
}

function readState(path: string): Buffer | string {
  try {
    return readFileSync(path);
  } catch (error) {
    return `unreadable: ${codeOf(error)}`;
  }
}

function readPem(path: string): Buffer {
  const content = attempt(() => readFileSync(path), `cannot read ${path}`);
  if (content.length === 0) throw new StartError('surroundings', `cannot use ${path}: the file is empty`);
  return content;
}

function parseCertificates(pem: Buffer, path: string): X509Certificate[] {
  const blocks = pem.toString('latin1').match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new StartError('surroundings', `cannot use ${path}: no PEM certificate in it`);
  return blocks.map(block => attempt(() => new X509Certificate(block), `cannot use ${path}: not a certificate`));
}

function parseKey(pem: Buffer, path: string): KeyObject {
  return attempt(() => createPrivateKey(pem), `cannot use ${path}: not a private key`);
}

/** Only the error's code is passed on: a parser's message may quote what it read. */
function attempt<Result>(act: () => Result, failure: string): Result {
  try {
    return act();
  } catch (error) {
    const code = codeOf(error);
    throw new StartError('surroundings', code === '' ? failure : `${failure} (${code})`, { cause: error });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
