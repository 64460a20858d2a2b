/**
 * Certificates shaped like Crossplane's, made by openssl: authority, server and client all carry one
 * subject, there are no key identifiers, and only the extended key usage tells server from client.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Crossplane's also has `C=Earth`, which openssl refuses to write: a country has two letters. */
const CROSSPLANE_SUBJECT = '/ST=Earth/L=Earth/O=Crossplane/CN=Crossplane';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Pair {
  issue(options: { usage: 'clientAuth' | 'serverAuth' | 'none'; subject?: string; names?: string }): Pair;
}

export class Pki {
  readonly root: string = mkdtempSync(join(tmpdir(), 'contract-pki-'));
  #count = 0;

  createAuthority(): Authority {
    const stem = this.#nextStem();
    this.#openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', CROSSPLANE_SUBJECT,
      '-addext', 'keyUsage=critical,keyCertSign,cRLSign',
      '-keyout', `${stem}.key`, '-out', `${stem}.crt`); // prettier-ignore
    return { ...readPair(stem), issue: options => this.#issue(stem, options) };
  }

  /** A directory as the certificate Secret is mounted; a part given as undefined is left out. */
  mount(parts: Readonly<Record<'tls.crt' | 'tls.key' | 'ca.crt', string | undefined>>): string {
    const directory = this.#nextStem();
    mkdirSync(directory);
    for (const [name, content] of Object.entries(parts))
      if (content !== undefined) writeFileSync(join(directory, name), content);
    return directory;
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  #issue(
    authority: string,
    {
      usage,
      subject = CROSSPLANE_SUBJECT,
      names = 'DNS:crossplane.crossplane-system',
    }: Parameters<Authority['issue']>[0],
  ): Pair {
    const stem = this.#nextStem();
    const extensions = [
      'basicConstraints=critical,CA:FALSE',
      'subjectKeyIdentifier=none',
      'authorityKeyIdentifier=none',
      'keyUsage=critical,digitalSignature,keyEncipherment',
      `subjectAltName=${names}`,
      ...(usage === 'none' ? [] : [`extendedKeyUsage=${usage}`]),
    ];
    writeFileSync(`${stem}.ext`, `${extensions.join('\n')}\n`);
    this.#openssl('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', subject,
      '-keyout', `${stem}.key`, '-out', `${stem}.csr`); // prettier-ignore
    this.#openssl('x509', '-req', '-days', '1', '-set_serial', String(this.#count + 1),
      '-in', `${stem}.csr`, '-CA', `${authority}.crt`, '-CAkey', `${authority}.key`,
      '-extfile', `${stem}.ext`, '-out', `${stem}.crt`); // prettier-ignore
    return readPair(stem);
  }

  #nextStem(): string {
    this.#count += 1;
    return join(this.root, String(this.#count));
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

function readPair(stem: string): Pair {
  return { cert: readFileSync(`${stem}.crt`, 'utf8'), key: readFileSync(`${stem}.key`, 'utf8') };
}
