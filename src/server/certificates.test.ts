import { afterAll, describe, expect, it } from 'vitest';
import { Pki } from '../../test/contract/pki.ts';
import { readCertificates } from './certificates.ts';
import { isStartError } from './start-error.ts';

const pki = new Pki();
afterAll(() => {
  pki.remove();
});

const authority = pki.createAuthority();
const leaf = authority.issue({ usage: 'serverAuth' });
const other = authority.issue({ usage: 'serverAuth' });
const whole = { 'tls.crt': leaf.cert, 'tls.key': leaf.key, 'ca.crt': authority.cert };

describe('readCertificates', () => {
  it('reads the three files, and every authority in ca.crt', () => {
    const bundle = `# old\n${authority.cert}# new\n${pki.createAuthority().cert}`;
    const certificates = readCertificates(pki.mount({ ...whole, 'ca.crt': bundle }));
    expect(certificates.authorities).toHaveLength(2);
    expect(certificates.key.toString()).toBe(leaf.key);
  });

  it.each<{ name: string; parts: Parameters<Pki['mount']>[0]; says: RegExp }>([
    {
      name: 'a missing certificate',
      parts: { ...whole, 'tls.crt': undefined },
      says: /^cannot read .*tls\.crt \(ENOENT\)$/,
    },
    { name: 'a missing key', parts: { ...whole, 'tls.key': undefined }, says: /^cannot read .*tls\.key \(ENOENT\)$/ },
    {
      name: 'a missing authority',
      parts: { ...whole, 'ca.crt': undefined },
      says: /^cannot read .*ca\.crt \(ENOENT\)$/,
    },
    { name: 'an empty certificate', parts: { ...whole, 'tls.crt': '' }, says: /tls\.crt: the file is empty$/ },
    { name: 'an empty key', parts: { ...whole, 'tls.key': '' }, says: /tls\.key: the file is empty$/ },
    { name: 'an empty authority', parts: { ...whole, 'ca.crt': '' }, says: /ca\.crt: the file is empty$/ },
    {
      name: 'text for a certificate',
      parts: { ...whole, 'tls.crt': 'x' },
      says: /tls\.crt: no PEM certificate in it$/,
    },
    {
      name: 'a broken certificate',
      parts: { ...whole, 'ca.crt': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
      says: /ca\.crt: not a certificate/,
    },
    { name: 'text for a key', parts: { ...whole, 'tls.key': 'S3CR3T' }, says: /tls\.key: not a private key/ },
    {
      name: 'the key of another pair',
      parts: { ...whole, 'tls.key': other.key },
      says: /tls\.key is not the key of the certificate/,
    },
  ])('refuses $name, names the file and never quotes it', ({ parts, says }) => {
    let caught: unknown;
    try {
      readCertificates(pki.mount(parts));
    } catch (error) {
      caught = error;
    }
    expect(isStartError(caught) && caught.blame).toBe('surroundings');
    expect((caught as Error).message).toMatch(says);
    expect((caught as Error).message).not.toContain('S3CR3T');
  });

  it('refuses a directory in place of a file', () => {
    expect(() => readCertificates('/dev/null')).toThrow(/cannot read .*tls\.crt \(ENOTDIR\)/);
  });
});
