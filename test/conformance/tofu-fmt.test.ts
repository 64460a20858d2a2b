/** The texts in expected/ are canonical: the real formatters find nothing to do, nor anything they cannot read. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readExamples } from './examples.ts';
import { findTool, skipWithout, type Tool } from './tools.ts';

const folders = readExamples()
  .map(({ name, folder }) => ({ name, expected: join(folder, 'expected') }))
  .filter(({ expected }) => existsSync(expected) && readdirSync(expected).some(file => file.endsWith('.tf')));

// Whoever runs this may have settings for tofu, about which it may have something to say.
const WITHOUT_SETTINGS = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TF_')));

// The newest, and the oldest that a supported provider-opentofu bundles.
describe.each<Tool>(['opentofu', 'opentofu-1.10'])('tofu fmt of %s', tool => {
  describe.skipIf(skipWithout(tool))('expected/', () => {
    it('has folders to look at', () => {
      expect(folders.length).toBeGreaterThan(0);
    });

    it.each(folders)('is silent on $name', ({ expected }) => {
      const { status, stdout, stderr } = spawnSync(findTool(tool), ['fmt', '-check', '-diff', '-recursive', expected], {
        encoding: 'utf8',
        env: WITHOUT_SETTINGS,
      });
      expect({ status, stdout, stderr }).toStrictEqual({ status: 0, stdout: '', stderr: '' });
    });
  });
});
