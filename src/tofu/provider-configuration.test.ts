import { describe, expect, it } from 'vitest';
import { print } from '../hcl/print.ts';
import { findBlocks, scanStructure } from '../hcl/scan.ts';
import { intent } from '../../test/fixtures/intent.ts';
import type { StateEncryption } from '../intent/intent.ts';
import { buildProviderConfiguration } from './provider-configuration.ts';

function printed(encryption: Omit<StateEncryption, 'keyProviderName'>): string {
  return print(buildProviderConfiguration({ ...intent, encryption: { keyProviderName: 'main', ...encryption } }));
}

const MODES = [
  { name: 'Ordinary', rotating: false, adoptUnencrypted: false, reason: 'the usual case' },
  {
    name: 'Rotating',
    rotating: true,
    adoptUnencrypted: false,
    reason: 'reads the previous passphrase, writes the new',
  },
  { name: 'Adopting', rotating: false, adoptUnencrypted: true, reason: 'reads plain state, writes it encrypted' },
  { name: 'Both', rotating: true, adoptUnencrypted: true, reason: 'fallbacks nest' },
];

describe('buildProviderConfiguration', () => {
  it.each(MODES)('$name is this text: $reason', mode => {
    expect(printed(mode)).toMatchSnapshot();
  });

  it.each(MODES)('$name keeps labels, and holds no passphrase', mode => {
    const text = printed(mode);
    const scan = scanStructure(text);
    expect(scan.complete).toBe(true);
    const encryption = findBlocks(scan, 'terraform').flatMap(block => findBlocks(block, 'encryption'));
    const labels = (type: string): unknown => encryption.flatMap(block => findBlocks(block, type))[0]?.labels;
    expect(labels('key_provider')).toEqual(['pbkdf2', 'main']);
    expect(labels('method')).toEqual(['aes_gcm', 'current']);
    for (const line of text.match(/passphrase +=.*/g) ?? [])
      expect(line).toMatch(/= var\.state_passphrase(_previous)?$/);
    expect(text).not.toMatch(/force_path_style|^ *endpoint /m);
  });

  it.each(MODES)('$name gives each salt one name, which OpenTofu insists on', mode => {
    const scan = scanStructure(printed(mode));
    const providers = findBlocks(scan, 'terraform')
      .flatMap(block => findBlocks(block, 'encryption'))
      .flatMap(block => findBlocks(block, 'key_provider'));
    const names = providers.map(
      block => block.attributes.get('encrypted_metadata_alias') ?? `key_provider.${block.labels.join('.')}`,
    );
    expect(names.toSorted()).toEqual(['key_provider.pbkdf2.main', 'rotated']);
  });
});
