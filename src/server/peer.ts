import type { X509Certificate } from 'node:crypto';

/** id-kp-clientAuth, RFC 5280 section 4.2.1.12. */
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** Whose callers may call. */
export interface Trust {
  readonly authorities: readonly X509Certificate[];
  /** A DNS name that the caller's certificate must carry; undefined where any will do. */
  readonly san: string | undefined;
}

/**
 * Says why a caller is refused; undefined where it may call.
 *
 * OpenSSL cannot judge for us: Crossplane's certificates all carry the subject of their issuer and no
 * key identifier, and OpenSSL takes such a certificate for a self-signed one that nobody vouches for.
 * The handshake has already proved that the caller holds the key of `peer`.
 */
export function findPeerFault(
  peer: X509Certificate | undefined,
  { authorities, san }: Trust,
  now: Date,
): string | undefined {
  if (peer === undefined) return 'no client certificate';
  // Several authorities can share one name while they are rotated: only the signature tells them apart.
  const issuer = authorities.find(authority => peer.checkIssued(authority) && peer.verify(authority.publicKey));
  if (issuer === undefined) return 'client certificate not issued by an authority in ca.crt';
  if (!issuer.ca) return 'client certificate issued by a certificate that is no authority';
  // In Node's words keyUsage is the extended key usage. Core's own server certificate has another one,
  // as has every function's: holding such a key must not be enough to call.
  if (!listUsages(peer).includes(CLIENT_AUTH)) return 'certificate not meant for clients';
  return (
    findDateFault(peer, 'client certificate', now) ??
    findDateFault(issuer, 'authority of the client certificate', now) ??
    (san === undefined || hasName(peer, san) ? undefined : `client certificate not for ${san}`)
  );
}

/** The types promise a list, but a certificate without the extension has none. */
function listUsages(certificate: X509Certificate): readonly string[] {
  return (certificate as { readonly keyUsage: readonly string[] | undefined }).keyUsage ?? [];
}

/** Exactly this DNS name: a wildcard names nobody, and neither does the subject, which every certificate of core shares. */
function hasName(certificate: X509Certificate, name: string): boolean {
  return certificate.checkHost(name, { subject: 'never', wildcards: false }) !== undefined;
}

/** Written so that a date that cannot be read refuses. */
export function findDateFault(certificate: X509Certificate, name: string, now: Date): string | undefined {
  if (!(Date.parse(certificate.validFrom) <= now.getTime())) return `${name} not valid before ${certificate.validFrom}`;
  if (!(now.getTime() <= Date.parse(certificate.validTo))) return `${name} expired on ${certificate.validTo}`;
  return undefined;
}
