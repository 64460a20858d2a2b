import { type Certificates, findCertificatesFault, fingerprintFiles, readCertificates } from './certificates.ts';

/** The kubelet brings a changed Secret within a minute or two; three small files cost nothing to read. */
const POLL_MS = 2_000;

export interface StoreLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The certificates that are in force, which follow the files they came from. */
export interface CertificateStore {
  current(): Certificates;
  /** Says why nobody can be served now; undefined where all is well. */
  fault(): string | undefined;
  /** Called after each change, of the certificates or of what {@link fault} says. */
  onChange(listener: () => void): void;
}

/**
 * Polls instead of watching: a Secret volume changes by the swap of a symlink, a watch on it has to be made anew
 * after each, and where a watch is not to be had the certificates would run out unnoticed.
 *
 * @throws StartError where there are no usable files to begin with
 */
export function openCertificateStore(directory: string, log: StoreLog): CertificateStore {
  let seen = fingerprintFiles(directory);
  let loaded = seen;
  let certificates = readCertificates(directory);
  let fault = reportFault(undefined, certificates, log);
  const listeners: (() => void)[] = [];

  const poll = (): void => {
    const before = { certificates, fault };
    const found = fingerprintFiles(directory);
    // Read only what lay still between two looks: a swap in the middle of one gives a pair that does not match.
    if (found !== loaded && found === seen) {
      loaded = found;
      certificates = reload(directory, certificates, log);
    }
    seen = found;
    fault = reportFault(before.fault, certificates, log);
    if (before.certificates !== certificates || before.fault !== fault) for (const listener of listeners) listener();
  };
  setInterval(poll, POLL_MS).unref();

  return {
    current: () => certificates,
    fault: () => findCertificatesFault(certificates, new Date()),
    onChange: listener => {
      listeners.push(listener);
    },
  };
}

/** Once per change: what stays broken is not said again every two seconds. */
function reload(directory: string, old: Certificates, log: StoreLog): Certificates {
  try {
    const fresh = readCertificates(directory);
    log.info({ subject: oneLine(fresh.leaf.subject), validTo: fresh.leaf.validTo }, 'certificates reloaded');
    return fresh;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    log.error({ reason, validTo: old.leaf.validTo }, 'cannot reload certificates: keeping the old ones');
    return old;
  }
}

function reportFault(before: string | undefined, certificates: Certificates, log: StoreLog): string | undefined {
  const fault = findCertificatesFault(certificates, new Date());
  if (fault === before) return fault;
  if (fault === undefined) log.info({}, 'certificates usable again');
  else log.error({ reason: fault }, 'certificates unusable: not ready');
  return fault;
}

function oneLine(subject: string): string {
  return subject.replaceAll('\n', ', ');
}
