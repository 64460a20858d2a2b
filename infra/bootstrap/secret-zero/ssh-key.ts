/** An Ed25519 key pair in the forms that OpenSSH and Dropbear read, without ssh-keygen, which would write files. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';

export interface SshKeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

const TYPE = Buffer.from('ssh-ed25519');

export function generateSshKeyPair(comment: string): SshKeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  // A JWK holds the bare 32 bytes of both halves.
  const jwk = privateKey.export({ format: 'jwk' });
  const open = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const seed = Buffer.from(jwk.d ?? '', 'base64url');
  const blob = Buffer.concat([field(TYPE), field(open)]);
  return {
    privateKey: printPrivateKey(blob, open, seed, comment),
    publicKey: `ssh-ed25519 ${blob.toString('base64')} ${comment}`,
  };
}

/** PROTOCOL.key of OpenSSH: cipher and derivation none, one key, a check number twice, padding 1, 2, 3… to 8 bytes. */
function printPrivateKey(blob: Buffer, open: Buffer, seed: Buffer, comment: string): string {
  const check = randomBytes(4);
  const secret = Buffer.concat([seed, open]);
  const inner = Buffer.concat([check, check, field(TYPE), field(open), field(secret), field(Buffer.from(comment))]);
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, index) => index + 1));
  const none = field(Buffer.from('none'));
  const body = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    none,
    none,
    field(Buffer.alloc(0)),
    number(1),
    field(blob),
    field(Buffer.concat([inner, padding])),
  ]).toString('base64');
  const lines = body.match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

function field(bytes: Buffer): Buffer {
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
