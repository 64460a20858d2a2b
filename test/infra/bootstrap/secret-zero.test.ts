/**
 * Phase 0 against a real server of the AWS API and the stand-in router: it is killed between any two calls that change
 * something, and started again. Nothing secret is found outside memory, AWS and the device.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { generateSshKeyPair } from '../../../infra/bootstrap/secret-zero/ssh-key.ts';
import { Aws, type StoredVersion } from './aws.ts';
import { Router, routerCanRun } from './router/router.ts';
import { BOOTSTRAP, REPOSITORY, STAND_INS, writeSite } from './site-fixture.ts';

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 600_000 });

const STEPS = ['generate', 'provision', 'promote'] as const;
const GENERATED = ['guests', 'longhorn', 'proxmox', 'router', 'ssh', 'talos', 'tofu'];
let folder: string;
let program: string;
let aws: Aws;
let router: Router;
let prefix: string;
let site: string;
let cases = 0;

beforeAll(async () => {
  folder = mkdtempSync('/tmp/secret-zero-test-');
  program = join(folder, 'secret-zero.mjs');
  // One file, as started hundreds of times here.
  await build({
    entryPoints: [join(BOOTSTRAP, 'secret-zero/main.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  aws = await Aws.start();
});

afterAll(() => {
  aws.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number | null;
  readonly text: string;
}

let running: ChildProcess | undefined;

function start(args: readonly string[], environment: NodeJS.ProcessEnv = {}, input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      PATH: `${STAND_INS}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      TMPDIR: folder,
      ...aws.environment,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      BOOTSTRAP_SITE: site,
      BOOTSTRAP_RECORDS: folder,
      ...environment,
    },
  });
  running = child;
  aws.victim = () => child.kill('SIGKILL');
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise(resolve =>
    child.on('close', code => {
      resolve({ code, text });
    }),
  );
}

/** What the program said is in the message of a test that fails. */
function expectCode({ code, text }: Outcome, wanted: number | null): void {
  expect(code, text).toBe(wanted);
}

/** All steps in order, until one does not end well. */
async function phaseZero(environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  let all = '';
  for (const step of STEPS) {
    const { code, text } = await start([step], environment);
    all += text;
    if (code !== 0) return { code, text: all };
  }
  return { code: 0, text: all };
}

function freshSite(): void {
  cases += 1;
  prefix = `bootstrap/case-${cases}`;
  site = writeSite(join(folder, `site-${cases}.yaml`), value => {
    value.aws.prefix = prefix;
    value.router.factory_address = '10.20.251.1';
    value.router.address = '10.20.251.1';
    value.vpn = { ...value.vpn, subnet: '10.20.251.0/24', router: '10.20.251.1', operator: '10.20.251.2' };
  });
}

function valueOf(versions: readonly StoredVersion[], name: string, label: string, key: string): string | undefined {
  return versions.find(each => each.name === name && each.labels.includes(label))?.values[key];
}

it('makes SSH keys that OpenSSH reads', () => {
  const { privateKey, publicKey } = generateSshKeyPair('bootstrap@test');
  const file = mkdtempSync('/dev/shm/ssh-key-test-');
  try {
    const read = spawnSync('sh', ['-c', `umask 077; cat > ${file}/key; ssh-keygen -y -f ${file}/key`], {
      input: privateKey,
      encoding: 'utf8',
    });
    expect(read.stdout.trim()).toBe(publicKey);
  } finally {
    rmSync(file, { recursive: true });
  }
});

describe.skipIf(!routerCanRun())('phase 0', () => {
  beforeAll(async () => {
    router = await Router.start('10.20.251');
  });
  afterAll(() => {
    router.stop();
  });
  beforeEach(() => {
    freshSite();
    router.reset();
    rmSync(join(folder, 'known_hosts'), { force: true });
  });

  async function expectDone(): Promise<void> {
    expectCode(await start(['check', 'secrets']), 0);
    expectCode(await start(['check', 'gateway']), 0);
    const versions = await aws.versions(prefix);
    expect(versions.map(each => each.name).sort()).toEqual(GENERATED);
    for (const { labels } of versions) expect([...labels].sort()).toEqual(['AWSCURRENT', 'BOOTSTRAP_PROVISIONED']);
    expect(router.uci('network.wg0.private_key')).toBe(
      valueOf(versions, 'router', 'AWSCURRENT', 'wireguard_private_key'),
    );
    expect(router.uci('network.operator.preshared_key')).toBe(
      valueOf(versions, 'router', 'AWSCURRENT', 'preshared_key'),
    );
    expect(router.read('etc/dropbear/authorized_keys').trim()).toBe(
      valueOf(versions, 'ssh', 'AWSCURRENT', 'public_key'),
    );
    expect(router.read('etc/passwd')).not.toMatch(/^root::/);
  }

  it('goes through, and changes nothing the second time', async () => {
    expectCode(await phaseZero(), 0);
    await expectDone();
    const before = await aws.versions(prefix);
    const log = router.read('var/log/stand-in');
    aws.calls.length = 0;
    expectCode(await phaseZero(), 0);
    expect(aws.calls.filter(call => !/^(Describe|Get)/.test(call))).toEqual([]);
    expect(await aws.versions(prefix)).toEqual(before);
    expect(router.read('var/log/stand-in')).toBe(log);
  });

  it('does not touch the device before all of its secrets are read back', async () => {
    expect(await start(['provision'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('task p0_gen') as string,
    });
    expectCode(await start(['generate']), 0);
    expect(router.has('etc/dropbear/authorized_keys')).toBe(false);
    // AWS calls the first version current; it is not ours to rely on before the device has it.
    expect(await start(['promote'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('task p0_prov') as string,
    });
    expectCode(await start(['check', 'secrets']), 1);
  });

  it('is killed after every single change in AWS, and goes on from there to the end', async () => {
    const finish = async (step: (typeof STEPS)[number]): Promise<number> => {
      let kills = 0;
      let before: readonly StoredVersion[] = [];
      for (;;) {
        // The server has made the change; the program does not live to hear of it.
        aws.killAfter = 1;
        const { code, text } = await start([step]);
        aws.killAfter = Infinity;
        const after = await aws.versions(prefix);
        expectNothingLost(after);
        // What was staged once is never made a second time.
        for (const { name, values } of before) expect(after.find(each => each.name === name)?.values).toEqual(values);
        before = after;
        if (code !== null) {
          expectCode({ code, text }, 0);
          return kills;
        }
        kills += 1;
      }
    };
    expect(await finish('generate')).toBe(GENERATED.length * 2);
    expect(await finish('provision')).toBe(0);
    expect(await finish('promote')).toBe(GENERATED.length * 2);
    await expectDone();
  });

  it.each(['ssh-killed-before', 'ssh-killed-after'])('is killed around the device (%s), and finishes', async kind => {
    const shims = mkdtempSync(join(folder, 'shims-'));
    spawnSync('cp', [join(STAND_INS, kind), join(shims, 'ssh')]);
    const killed = await phaseZero({ PATH: `${shims}:${STAND_INS}:${process.env['PATH'] ?? ''}` });
    expectCode(killed, null);
    const before = await aws.versions(prefix);
    expectNothingLost(before);
    expect(router.has('etc/dropbear/authorized_keys')).toBe(kind === 'ssh-killed-after');
    // The agent that held the key went with the program that was killed.
    for (let tries = 0; tries < 120 && agents() > 0; tries += 1) await sleep(500);
    expect(agents()).toBe(0);
    expectCode(await phaseZero(), 0);
    await expectDone();
    expect(valueOf(await aws.versions(prefix), 'router', 'AWSCURRENT', 'wireguard_private_key')).toBe(
      valueOf(before, 'router', 'BOOTSTRAP_STAGED', 'wireguard_private_key'),
    );
  });

  /** SSH agents that a program of this test started. */
  function agents(): number {
    const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
    return stdout.split('\n').filter(line => line.startsWith('ssh-agent') && line.includes(folder)).length;
  }

  function expectNothingLost(versions: readonly StoredVersion[]): void {
    if (!router.has('etc/dropbear/authorized_keys')) return;
    const known = versions.filter(each => each.name === 'router').map(each => each.values['wireguard_private_key']);
    expect(known).toContain(router.uci('network.wg0.private_key'));
  }

  it('gives a router that was replaced the keys that AWS has', async () => {
    expectCode(await phaseZero(), 0);
    const before = await aws.versions(prefix);
    router.reset();
    expectCode(await start(['check', 'gateway']), 1);
    expectCode(await phaseZero(), 0);
    await expectDone();
    expect(await aws.versions(prefix)).toEqual(before);
  });

  it('refuses a device that is not OpenWrt, and one with another host key', async () => {
    expectCode(await start(['generate']), 0);
    rmSync(join(router.root, 'etc/openwrt_release'));
    const other = await start(['provision']);
    expect(other).toMatchObject({ code: 1, text: expect.stringContaining('not an OpenWrt device') as string });
    expect(router.has('etc/dropbear/authorized_keys')).toBe(false);
    router.reset();
    const known = spawnSync('ssh-keygen', ['-l', '-f', join(folder, 'known_hosts')], { encoding: 'utf8' });
    expect(known.stdout).toContain('north-gw');
    const stranger = generateSshKeyPair('x').publicKey.split(' ').slice(0, 2).join(' ');
    spawnSync('sh', ['-c', 'cat > "$1"', 'sh', join(folder, 'known_hosts')], { input: `north-gw ${stranger}\n` });
    expectCode(await start(['provision']), 1);
    expect(router.has('etc/dropbear/authorized_keys')).toBe(false);
  });

  it('does not generate when AWS says no for another reason than absence', async () => {
    const answer = await start(['generate'], { AWS_ENDPOINT_URL: 'http://127.0.0.1:9', AWS_MAX_ATTEMPTS: '1' });
    expect(answer.code).toBe(1);
    expect(await aws.versions(prefix)).toEqual([]);
  });

  it('refuses half of a key pair', async () => {
    await aws.ask('CreateSecret', {
      Name: `${prefix}/ssh`,
      SecretString: '{"public_key":"ssh-ed25519 AAAA"}',
      ClientRequestToken: 'a'.repeat(36),
    });
    const answer = await start(['generate']);
    expect(answer).toMatchObject({ code: 1, text: expect.stringContaining('ssh has no private_key') as string });
  });

  it('leaves no secret on disk, in arguments, in environments or in what it says', async () => {
    const seen = new Set<string>();
    const environments = new Set<string>();
    const sampler = setInterval(() => {
      for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
        try {
          seen.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
          environments.add(readFileSync(`/proc/${pid}/environ`, 'utf8'));
        } catch {
          // It has ended.
        }
      }
    }, 5);
    let said = '';
    try {
      said += (await phaseZero()).text;
      said += (await start(['fetch', 'router', 'ssh', 'talos'])).text + (await start(['list'])).text;
    } finally {
      clearInterval(sampler);
    }
    const secrets = (await aws.versions(prefix))
      .flatMap(each => Object.entries(each.values))
      .filter(([key]) => !key.includes('public'))
      .flatMap(([, value]) => value.split('\n').filter(line => !line.startsWith('-----')))
      // Of a YAML line the value alone: the key is no secret.
      .map(line => line.split(' ').at(-1) ?? '')
      .filter(word => word.length > 20 && !word.endsWith(':'));
    expect(secrets.length).toBeGreaterThan(20);
    // The sampler saw what it had to see: the commands of this run.
    expect([...seen].filter(line => line.includes('sh -s')).length).toBeGreaterThan(0);
    const leaked = (where: Iterable<string>): string[] =>
      [...where].filter(text => secrets.some(secret => text.includes(secret)));
    expect(leaked(seen)).toEqual([]);
    expect(leaked(environments)).toEqual([]);
    expect(leaked([said])).toEqual([]);
    expect(searchFiles(secrets)).toEqual([]);
  });

  /** Files with a secret in them: the clone, temporary folders, memory file systems, shell histories. */
  function searchFiles(secrets: readonly string[]): string[] {
    const histories = readdirSync(homedir()).filter(name => name.endsWith('history'));
    const places = [BOOTSTRAP, join(REPOSITORY, 'test/infra'), folder, '/dev/shm'];
    places.push(...histories.map(name => join(homedir(), name)));
    const { stdout } = spawnSync('grep', ['-rlFf', '-', ...places], {
      input: `${secrets.join('\n')}\n`,
      encoding: 'utf8',
    });
    return stdout.split('\n').filter(line => line !== '');
  }

  it('would notice a secret on disk', () => {
    const file = join(folder, 'planted');
    // Not written out here: this file is among those that are searched.
    const secret = ['a', 'planted', 'secret', 'of', 'some', 'length'].join('-');
    spawnSync('sh', ['-c', 'cat > "$1"', 'sh', file], { input: secret });
    expect(searchFiles([secret])).toEqual([file]);
    rmSync(file);
  });
});

describe('one value at a time', () => {
  beforeEach(freshSite);

  it('takes it from stdin and hands it to a child in its environment, or in a file without a name', async () => {
    expect(await start(['fetch', 'eso'])).toMatchObject({
      code: 1,
      text: expect.stringMatching(
        /eso.access_key_id is not in AWS. Run: task secret:put -- eso access_key_id/,
      ) as string,
    });
    expectCode(await start(['put', 'eso', 'access_key_id'], {}, 'first-marker-0815\n'), 0);
    expectCode(await start(['put', 'eso', 'secret_access_key'], {}, 'second-marker-4711\n'), 0);
    expect(await start(['fetch', 'eso'])).toMatchObject({ code: 0, text: 'readable: eso\n' });
    // Twice, since tools open their configuration more than once.
    const script = 'echo "$ID"; cat "$KEY"; cat "$KEY"; ls -l "$KEY"; tr "\\0" " " < /proc/$PPID/cmdline; exit 7';
    const inputs = ['--env', 'ID=eso.access_key_id', '--file', 'KEY=eso.secret_access_key'];
    const { code, text } = await start(['exec', ...inputs, '--', 'sh', '-c', script]);
    expect(code).toBe(7);
    expect(text).toMatch(/^first-marker-0815\nsecond-marker-4711second-marker-4711.*\(deleted\)\n/);
    expect(text.split('\n').at(-1)).not.toContain('marker');
  });

  it('refuses what it does not know, an empty value, and to show one to a program', async () => {
    expectCode(await start(['put', 'eso', 'nothing']), 2);
    expectCode(await start(['put', 'eso', 'access_key_id']), 1);
    expectCode(await start(['put', 'eso', 'access_key_id'], {}, 'marker'), 0);
    const shown = await start(['show', 'eso', 'access_key_id']);
    expect(shown).toMatchObject({ code: 1, text: expect.not.stringContaining('marker') as string });
    expect(await start(['exec', '--env', 'A=ssh.private_key', '--', 'true'])).toMatchObject({
      code: 1,
      text: 'secret-zero: ssh.private_key is not in AWS. Run: task phase0\n',
    });
    expectCode(await start(['exec', 'true']), 2);
    expect(running?.exitCode).toBe(2);
  });
});
