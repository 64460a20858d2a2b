/**
 * Certificates shaped like Crossplane's, made by openssl: authority, server and client all carry one
 * subject, there are no key identifiers, and only the extended key usage tells server from client.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Crossplane's also has `C=Earth`, which openssl refuses to write: a country has two letters. */
const CROSSPLANE_SUBJECT = '/ST=Earth/L=Earth/O=Crossplane/CN=Crossplane';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface LeafOptions {
  readonly usage: 'clientAuth' | 'serverAuth' | 'none';
  readonly subject?: string;
  readonly names?: string;
  /** Days from now; now and tomorrow where left out. */
  readonly valid?: readonly [from: number, to: number];
}

export interface Authority extends Pair {
  issue(options: LeafOptions): Pair;
}

export type Parts = Readonly<Record<'tls.crt' | 'tls.key' | 'ca.crt', string | undefined>>;

/** A Secret volume: the files are links through a link to a folder, and an update swaps that one link. */
export interface SecretVolume {
  readonly directory: string;
  update(parts: Parts): void;
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
  mount(parts: Parts, directory = this.#nextStem()): string {
    mkdirSync(directory);
    for (const [name, content] of Object.entries(parts))
      if (content !== undefined) writeFileSync(join(directory, name), content);
    return directory;
  }

  /** The same, laid out and updated as the kubelet does it. */
  mountVolume(parts: Parts): SecretVolume {
    const directory = this.#nextStem();
    mkdirSync(directory);
    let count = 0;
    const update = (next: Parts): void => {
      count += 1;
      const name = `..${count}`;
      this.mount(next, join(directory, name));
      symlinkSync(name, join(directory, '..data_tmp'));
      renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
      rmSync(join(directory, `..${count - 1}`), { recursive: true, force: true });
    };
    update(parts);
    for (const name of Object.keys(parts)) symlinkSync(join('..data', name), join(directory, name));
    return { directory, update };
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  #issue(
    authority: string,
    { usage, subject = CROSSPLANE_SUBJECT, names = 'DNS:crossplane.crossplane-system', valid = [0, 1] }: LeafOptions,
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
    // `openssl ca` and not `openssl x509`: before OpenSSL 3.4 only it takes the dates.
    writeFileSync(`${stem}.db`, '');
    writeFileSync(
      `${stem}.cnf`,
      `[ca]\ndefault_ca=d\n[d]\ndatabase=${stem}.db\nnew_certs_dir=${this.root}\ndefault_md=sha256\n` +
        'unique_subject=no\nrand_serial=yes\npreserve=yes\npolicy=p\n' +
        `[p]\n${['ST', 'L', 'O', 'CN'].map(part => `${part}=optional\n`).join('')}`,
    );
    this.#openssl('ca', '-batch', '-notext', '-config', `${stem}.cnf`, '-cert', `${authority}.crt`,
      '-keyfile', `${authority}.key`, '-in', `${stem}.csr`, '-out', `${stem}.crt`, '-extfile', `${stem}.ext`,
      '-startdate', dayFromNow(valid[0]), '-enddate', dayFromNow(valid[1])); // prettier-ignore
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

/** As ASN.1's GeneralizedTime. */
function dayFromNow(days: number): string {
  const iso = new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();
  return `${iso.slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
}

function readPair(stem: string): Pair {
  return { cert: readFileSync(`${stem}.crt`, 'utf8'), key: readFileSync(`${stem}.key`, 'utf8') };
}
