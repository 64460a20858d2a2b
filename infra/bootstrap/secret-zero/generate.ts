/** Makes values in memory. Nothing here writes a file or puts a value into an argument. */
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import type { Site } from '../site/site.ts';
import type { GeneratedPart } from './catalogue.ts';
import { openNamelessFile } from './nameless-file.ts';
import { generateSshKeyPair } from './ssh-key.ts';

export type Values = Readonly<Record<string, string>>;

export async function generatePart(part: GeneratedPart, site: Site): Promise<Values> {
  switch (part.kind) {
    case 'password':
      return { [part.key]: generatePassword() };
    case 'wireguard-preshared':
      return { [part.key]: randomBytes(32).toString('base64') };
    case 'wireguard-pair': {
      const pair = generateWireguardPair();
      return { [part.privateKey]: pair.privateKey, [part.publicKey]: pair.publicKey };
    }
    case 'ssh-pair': {
      const pair = generateSshKeyPair(`bootstrap@${site.name}`);
      return { [part.privateKey]: pair.privateKey, [part.publicKey]: pair.publicKey };
    }
    case 'talos-bundle': {
      const bundle = await generateTalosBundle(site);
      return { [part.machineSecrets]: bundle.machineSecrets, [part.talosconfig]: bundle.talosconfig };
    }
  }
}

/** 192 bits, of letters and digits alone: these get typed, and pass through shells, YAML and URLs. */
function generatePassword(): string {
  const alphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  let password = '';
  while (password.length < 33) {
    for (const byte of randomBytes(48)) {
      // 228 is the largest multiple of the alphabet's 57 letters: what lies above would favour the first ones.
      if (byte < 228 && password.length < 33) password += alphabet.charAt(byte % alphabet.length);
    }
  }
  return password;
}

/** WireGuard's keys are the bare 32 bytes of X25519; the same as `wg genkey` and `wg pubkey`. */
function generateWireguardPair(): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('x25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  return { privateKey: base64(d), publicKey: base64(x) };
}

function base64(text: string): string {
  return Buffer.from(text, 'base64url').toString('base64');
}

async function generateTalosBundle(site: Site): Promise<{ machineSecrets: string; talosconfig: string }> {
  const { cluster, endpoint, control_planes: planes } = site.kubernetes;
  const machineSecrets = await talosctl(['gen', 'secrets', '--output-file', '-'], '');
  const config = ['gen', 'config', cluster, `https://${endpoint}:6443`, '--with-secrets', INPUT];
  const talosconfig = await talosctl([...config, '--output-types', 'talosconfig', '--output', '-'], machineSecrets);
  return {
    machineSecrets,
    talosconfig: withEndpoints(
      talosconfig,
      Object.values(planes).map(plane => plane.address),
    ),
  };
}

/** A fresh talosconfig names nobody to talk to. */
function withEndpoints(talosconfig: string, endpoints: readonly string[]): string {
  return talosconfig.replace(
    /^(\s*)endpoints: \[\]$/m,
    (_, indent: string) => `${indent}endpoints: [${endpoints.join(', ')}]`,
  );
}

/** What talosctl opens to read its input. Not /dev/stdin: a pipe of ours is a socket, which cannot be opened by name. */
const INPUT = '/proc/self/fd/3';

function talosctl(args: readonly string[], input: string): Promise<string> {
  const descriptor = openNamelessFile(input);
  const child = spawn('talosctl', args, { stdio: ['ignore', 'pipe', 'inherit', descriptor] });
  closeSync(descriptor);
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => {
      if (code === 0) resolve(Buffer.concat(chunks).toString());
      else reject(new Error(`talosctl ${args.slice(0, 2).join(' ')} ended with ${code}`));
    });
  });
}
