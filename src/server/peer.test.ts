import { X509Certificate } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { type Pair, Pki } from '../../test/contract/pki.ts';
import { findPeerFault } from './peer.ts';

const pki = new Pki();
afterAll(() => {
  pki.remove();
});

const read = ({ cert }: Pair): X509Certificate => new X509Certificate(cert);
const authority = pki.createAuthority();
const stranger = pki.createAuthority();
const crossplane = authority.issue({ usage: 'clientAuth' });

const DAY_MS = 24 * 60 * 60 * 1000;
const now = new Date();

describe('findPeerFault', () => {
  it('lets in a client whose certificate has the subject of its issuer, as Crossplane has', () => {
    expect(read(crossplane).subject).toBe(read(crossplane).issuer);
    expect(findPeerFault(read(crossplane), { authorities: [read(authority)], san: undefined }, now)).toBeUndefined();
  });

  it('finds the issuer among authorities of one name, as there are while they are rotated', () => {
    expect(
      findPeerFault(read(crossplane), { authorities: [read(stranger), read(authority)], san: undefined }, now),
    ).toBeUndefined();
  });

  it.each<{ name: string; peer: X509Certificate | undefined; at?: Date; fault: RegExp }>([
    { name: 'no certificate', peer: undefined, fault: /^no client certificate$/ },
    {
      name: "a stranger's under our names",
      peer: read(stranger.issue({ usage: 'clientAuth' })),
      fault: /not issued by an authority/,
    },
    { name: 'a self-signed one under our names', peer: read(stranger), fault: /not issued by an authority/ },
    { name: 'one for servers', peer: read(authority.issue({ usage: 'serverAuth' })), fault: /not meant for clients/ },
    {
      name: 'one for nothing in particular',
      peer: read(authority.issue({ usage: 'none' })),
      fault: /not meant for clients/,
    },
    {
      name: 'one that has expired',
      peer: read(crossplane),
      at: new Date(now.getTime() + 1.5 * DAY_MS),
      fault: /^client certificate expired on /,
    },
    {
      name: 'one that is not yet valid',
      peer: read(crossplane),
      at: new Date(now.getTime() - DAY_MS),
      fault: /^client certificate not valid before /,
    },
    { name: 'any, at no time', peer: read(crossplane), at: new Date(NaN), fault: /not valid before/ },
  ])('refuses $name', ({ peer, at = now, fault }) => {
    expect(findPeerFault(peer, { authorities: [read(authority)], san: undefined }, at)).toMatch(fault);
  });

  it('refuses when there are no authorities', () => {
    expect(findPeerFault(read(crossplane), { authorities: [], san: undefined }, now)).toMatch(
      /not issued by an authority/,
    );
  });

  it.each<[string, string, RegExp | undefined]>([
    ['crossplane.crossplane-system', 'DNS:crossplane.crossplane-system', undefined],
    ['crossplane.crossplane-system', 'DNS:other,DNS:crossplane.crossplane-system', undefined],
    ['crossplane.crossplane-system', 'DNS:other', /^client certificate not for crossplane\.crossplane-system$/],
    ['crossplane.crossplane-system', 'DNS:*.crossplane-system', /not for/],
    ['Crossplane', 'DNS:other', /not for Crossplane$/],
    ['crossplane', 'URI:spiffe://x/DNS:crossplane', /not for/],
  ])('asks for the name %s and meets %s', (san, names, fault) => {
    const found = findPeerFault(
      read(authority.issue({ usage: 'clientAuth', names })),
      { authorities: [read(authority)], san },
      new Date(),
    );
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });

  it('refuses a certificate signed by a leaf that stands in ca.crt', () => {
    expect(findPeerFault(read(crossplane), { authorities: [read(crossplane)], san: undefined }, now)).toMatch(
      /not issued by an authority/,
    );
  });
});
