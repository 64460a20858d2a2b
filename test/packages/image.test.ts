/** The image, made by Docker from the Dockerfile and made without Docker: both are held to the same. */
import { status } from '@grpc/grpc-js';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pki } from '../contract/pki.ts';
import { type Entry, isWritableBy, listFiles, readImageConfig } from './archive.ts';
import { smoke } from './container.ts';
import { ARCHES, BUILDERS, docker, imagePath, ROOT, USERS } from './surroundings.ts';

const pki = new Pki();
afterAll(() => {
  pki.remove();
});

const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

describe.each(BUILDERS)('the image by %s', builder => {
  let image: string;

  beforeAll(() => {
    const loaded = docker('load', '--input', imagePath(builder, 'amd64'));
    image = /Loaded image: (\S+)/.exec(loaded)?.[1] ?? '';
  });

  it.each(USERS)('answers over mutual TLS as %s on a read-only root, without any capability', async user => {
    const seen = await smoke(image, user, pki);
    expect(seen.tag).toBe('tag-1');
    expect(seen.stranger).toBe(status.UNAVAILABLE);
    expect(seen.rootMountedReadOnly).toBe(true);
    const [uid = '', gid = ''] = user.split(':');
    expect(seen.status.get('Uid')?.split('\t')).toEqual(Array(4).fill(uid));
    expect(seen.status.get('Gid')?.split('\t')).toEqual(Array(4).fill(gid));
    expect(Number(`0x${seen.status.get('CapEff') ?? ''}`)).toBe(0);
    expect(seen.status.get('NoNewPrivs')).toBe('1');
    // SIGTERM to the container's first process, heard and obeyed.
    expect(seen.exitCode).toBe(0);
    expect(seen.log).toContain('"msg":"stopped"');
    console.log(`memory of the image by ${builder} as ${user} after two calls: ${seen.residentMiB} MiB at most`);
  });

  it('runs the Node that the Dockerfile names, and the version of this tree', () => {
    const major = /^ARG NODE_MAJOR=(\d+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '';
    expect(docker('run', '--rm', '--entrypoint=/nodejs/bin/node', image, '--version')).toMatch(`v${major}.`);
    expect(docker('run', '--rm', image, '--version').trim()).toBe(about.version);
  });

  it('does not start without certificates', () => {
    expect(() => docker('run', '--rm', image)).toThrow(/no certificates/);
  });

  describe.each(ARCHES)('for %s', arch => {
    let files: readonly Entry[];
    beforeAll(() => {
      files = listFiles(imagePath(builder, arch));
    });

    it('says so, and who runs it', () => {
      const { architecture, config } = readImageConfig(imagePath(builder, arch));
      expect(architecture).toBe(arch);
      expect(config.User).toBe('65532:65532');
      expect(config.Entrypoint).toEqual(['/nodejs/bin/node', '/app/dist/main.js']);
      expect(config.Labels).toMatchObject({
        'org.opencontainers.image.title': 'function-tofu-workspace',
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.version': about.version,
        'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/) as unknown,
      });
    });

    it('holds of ours one module, its version and the licences, and no more', () => {
      expect(
        files
          .filter(({ mode, path }) => mode.startsWith('-') && path.startsWith('app/'))
          .map(({ path }) => path)
          .sort(),
      ).toEqual(['app/THIRD-PARTY-LICENSES.txt', 'app/dist/main.js', 'app/package.json']);
    });

    it('has no shell, no package manager, no sources and no packages in it', () => {
      const tools = /(^|\/)(sh|bash|dash|busybox|env|apt|apt-get|dpkg|apk|npm|npx|yarn|corepack)$/;
      const sources = /\.tsx?$|(^|\/)node_modules\//;
      expect(files.length).toBeGreaterThan(10);
      expect(files.filter(({ path }) => tools.test(path) || sources.test(path))).toEqual([]);
    });

    it.each(USERS)('has no file that %s may write', user => {
      const id = Number(user.split(':')[0]);
      const writable = files.filter(entry => entry.mode[0] !== 'l' && isWritableBy(entry, id));
      // Folders that the base brings; on a read-only root they cannot be written either.
      expect(writable.filter(({ path }) => !['tmp', 'home/nonroot'].includes(path))).toEqual([]);
    });

    it('has nothing that takes on another user', () => {
      expect(files.filter(({ mode }) => /^-..[sS]|^-.{5}[sS]/.test(mode))).toEqual([]);
    });
  });
});

describe('built again', () => {
  it("crane's image is the same, byte for byte", () => {
    const [first, second] = (['first', 'second'] as const).map(run =>
      createHash('sha256')
        .update(readFileSync(imagePath('crane', 'amd64', run)))
        .digest('hex'),
    );
    expect(second).toBe(first);
  });

  // check.sh builds Docker's image for arm64 without what its build for amd64 left in the cache.
  it.each(BUILDERS)('by %s, anew and for another platform, our layer is the same', builder => {
    const [amd64, arm64] = ARCHES.map(arch => readImageConfig(imagePath(builder, arch)).rootfs.diff_ids.at(-1));
    expect(arm64).toBe(amd64);
  });

  it.each(ARCHES)('with and without Docker, the image for %s says the same of itself', arch => {
    const [byDocker, byCrane] = BUILDERS.map(builder => readImageConfig(imagePath(builder, arch)).config);
    // An empty field that only Docker writes.
    expect({ OnBuild: null, ...byCrane }).toEqual(byDocker);
  });
});
