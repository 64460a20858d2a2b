/** infra/tofu/tofu.sh, with a fake tofu on the PATH and a terminal where one is needed. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const TOFU = fileURLToPath(new URL('../../../infra/tofu', import.meta.url));
const FAKE = fileURLToPath(new URL('fake-tofu', import.meta.url));
const ENVIRONMENTS = readdirSync(join(TOFU, 'environment'));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tofu-wrapper-'));
  cpSync(TOFU, join(folder, 'tofu'), { recursive: true, filter: path => !/\/(\.terraform|\.env)$/.test(path) });
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const EDGE = {
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
  TF_VAR_state_passphrase: '0123456789abcdef',
  HCLOUD_TOKEN: 'token',
  TF_VAR_admin_cidrs: '["203.0.113.4/32"]',
  TF_VAR_talos_iso: '122630',
};

function path(environment: string, file: string): string {
  return join(folder, 'tofu/environment', environment, file);
}

function writeEnv(content: string | Readonly<Record<string, string>>, environment = 'edge', mode = 0o600): void {
  const text =
    typeof content === 'string'
      ? content
      : Object.entries(content)
          .map(([name, value]) => `${name}=${value}\n`)
          .join('');
  writeFileSync(path(environment, '.env'), text);
  chmodSync(path(environment, '.env'), mode);
}

interface Result {
  readonly status: number | null;
  readonly output: string;
  /** What the fake tofu says that it was called with; undefined where it was not called. */
  readonly called: { readonly folder: string; readonly args: string[]; readonly variables: string[] } | undefined;
}

interface Terms {
  /** What is typed at a terminal; without it there is none. */
  readonly typed?: string;
  readonly environment?: string;
  readonly cwd?: string;
  readonly shell?: Readonly<Record<string, string>>;
}

function run(args: readonly string[], { typed, environment = 'edge', cwd = '/', shell = {} }: Terms = {}): Result {
  return runCommand([path(environment, 'tofu.sh'), ...args], { ...(typed === undefined ? {} : { typed }), cwd, shell });
}

function runCommand(command: readonly string[], { typed, cwd = '/', shell = {} }: Terms = {}): Result {
  const env = { PATH: `${FAKE}:${process.env.PATH ?? ''}`, HOME: folder, ...shell };
  const quoted = command.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const [program = '', ...rest] = typed === undefined ? command : ['script', '-qec', quoted, '/dev/null'];
  // "script" (util-linux) runs a command at a terminal of its own, and types what it reads.
  const { status, stdout, stderr } = spawnSync(program, rest, {
    env,
    cwd,
    encoding: 'utf8',
    input: typed === undefined ? '' : `${typed}\n`,
    timeout: 30_000,
  });
  const output = `${stdout}${stderr}`.replaceAll('\r', '');
  const all = (kind: string): string[] =>
    [...output.matchAll(new RegExp(`^${kind}: (.*)$`, 'gm'))].map(([, value = '']) => value);
  const called = /fake tofu in (.*)$/m.exec(output)?.[1];
  return {
    status,
    output,
    called: called === undefined ? undefined : { folder: called, args: all('argument'), variables: all('variable') },
  };
}

describe('environments', () => {
  it('all have the same tofu.sh, which can be run', () => {
    const texts = new Set(ENVIRONMENTS.map(name => readFileSync(path(name, 'tofu.sh'), 'utf8')));
    expect(texts.size).toBe(1);
    for (const name of ENVIRONMENTS) writeEnv(exampleFilled(name), name);
    const folders = ENVIRONMENTS.map(environment => run(['plan'], { environment }).called?.folder);
    expect(folders).toEqual(ENVIRONMENTS);
  });

  it('are named before anything runs', () => {
    writeEnv(EDGE);
    expect(run(['plan']).output).toMatch(/^tofu\.sh: environment edge: tofu plan$/m);
  });

  it.each(['/', '..', 'infra'])('are found from any folder: %s', cwd => {
    writeEnv(EDGE);
    const from = cwd === 'infra' ? join(folder, 'tofu') : cwd;
    expect(run(['plan'], { cwd: from }).called?.folder).toBe('edge');
    expect(runCommand([join(folder, 'tofu/tofu.sh'), 'edge', 'plan'], { cwd: from }).called?.folder).toBe('edge');
  });

  it.each([[[]], [['nowhere', 'plan']], [['../edge', 'plan']], [['', 'plan']], [['-chdir=edge', 'plan']]])(
    'that do not exist are refused: %j',
    args => {
      const { status, output, called } = runCommand([join(folder, 'tofu/tofu.sh'), ...args]);
      expect({ status, called }).toEqual({ status: 2, called: undefined });
      expect(output).toMatch(/usage: .* one of: demo edge home johnny-projects netbird production tofu/);
    },
  );
});

describe('arguments', () => {
  it('are passed on as they are', () => {
    writeEnv(EDGE);
    const args = ['plan', '-var', 'a b=$(c) "d"', '-out=x.tfplan', ''];
    expect(run(args).called?.args).toEqual(args);
  });

  it.each(['-chdir=../production', '-chdir', '--chdir=../production', '-no-color'])(
    'before the command are refused: %s',
    option => {
      writeEnv(EDGE);
      expect(run([option, 'apply', '-auto-approve'], { typed: 'edge' })).toMatchObject({
        status: 2,
        called: undefined,
      });
    },
  );

  it.each([[[]], [['version']], [['-help']], [['apply', '-help']], [['fmt', '-check']]])(
    'that touch nothing need no .env: %j',
    args => {
      expect(run(args)).toMatchObject({ status: 0, called: { folder: 'edge' } });
    },
  );

  it('a status other than 0 comes back', () => {
    writeEnv(EDGE);
    writeFileSync(join(folder, 'tofu-that-fails'), '#!/bin/sh\nexit 2\n', { mode: 0o755 });
    cpSync(join(folder, 'tofu-that-fails'), join(folder, 'bin/tofu'), { recursive: true });
    const shell = { PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}` };
    expect(run(['plan', '-detailed-exitcode'], { shell }).status).toBe(2);
  });
});

describe('.env', () => {
  it('gives its values, and nothing is expanded in them', () => {
    writeEnv(
      `# a comment\n\n${Object.entries({ ...EDGE, HCLOUD_TOKEN: '$(touch pwned) `id` $HOME #=' })
        .map(([name, value]) => `${name}=${value}`)
        .join('\n')}`,
    );
    expect(run(['plan']).called?.variables).toContain('variable: HCLOUD_TOKEN=$(touch pwned) `id` $HOME #='.slice(10));
    expect(existsSync(path('edge', 'pwned'))).toBe(false);
  });

  it.each([
    ['"to ken"', 'to ken'],
    ["'to ken'", 'to ken'],
    [`"to'ken"`, `to'ken`],
    ['"token', '"token'],
    ['token\r', 'token'],
    ['["a"]', '["a"]'],
  ])('drops quotes around a whole value, and the end of a line from Windows: %j', (written, value) => {
    writeEnv({ ...EDGE, HCLOUD_TOKEN: written });
    expect(run(['plan']).called?.variables).toContain(`HCLOUD_TOKEN=${value}`);
  });

  it.each([
    ['a missing file', undefined, /edge has no \.env/],
    ['an empty value', { ...EDGE, HCLOUD_TOKEN: '' }, /empty or missing in edge\/\.env: HCLOUD_TOKEN$/m],
    ['a blank value', { ...EDGE, HCLOUD_TOKEN: '"  "' }, /empty or missing in edge\/\.env: HCLOUD_TOKEN$/m],
    ['the example as it is', exampleText('edge'), /empty or missing in edge\/\.env: AWS_ACCESS_KEY_ID AWS_SECRET/],
    ['a missing name', without(EDGE, 'TF_VAR_state_passphrase'), /missing in edge\/\.env: TF_VAR_state_passphrase$/m],
    [
      'a name that runs code',
      { ...EDGE, LD_PRELOAD: '/tmp/x.so' },
      /edge\/\.env:7: LD_PRELOAD is not in \.env\.example/,
    ],
    ['a name that moves the search path', { PATH: '/tmp', ...EDGE }, /edge\/\.env:1: PATH is not in \.env\.example/],
    ['a name of another environment', { ...EDGE, UNIFI_API_KEY: 'x' }, /UNIFI_API_KEY is not in/],
    ['a name twice', 'HCLOUD_TOKEN=a\nHCLOUD_TOKEN=b\n', /edge\/\.env:2: HCLOUD_TOKEN is given twice/],
    ['export', 'export HCLOUD_TOKEN=a\n', /edge\/\.env:1: expected NAME=value/],
    ['a command', 'HCLOUD_TOKEN=a\ntouch pwned\n', /edge\/\.env:2: expected NAME=value/],
    ['spaces around the sign', 'HCLOUD_TOKEN = a\n', /edge\/\.env:1: expected NAME=value/],
  ] as const)('is refused with %s', (_, content, message) => {
    if (content !== undefined) writeEnv(content);
    const { status, output, called } = run(['plan']);
    expect(output).toMatch(message);
    expect({ status, called }).toEqual({ status: 1, called: undefined });
    expect(existsSync(path('edge', 'pwned'))).toBe(false);
  });

  it('no message repeats a value', () => {
    writeEnv(`HCLOUD_TOKEN=geheim-1\nHCLOUD_TOKEN=geheim-2\n`);
    expect(run(['plan']).output).not.toContain('geheim');
    writeEnv(`geheim-3\n`);
    expect(run(['plan']).output).not.toContain('geheim');
  });

  it.each([0o640, 0o604, 0o644])('is refused where others can read it: %o', mode => {
    writeEnv(EDGE, 'edge', mode);
    expect(run(['plan'])).toMatchObject({ status: 1, called: undefined });
  });

  it('an optional name without a value is not set at all', () => {
    writeEnv(`${exampleFilled('home')}UNIFI_INSECURE=\n`, 'home');
    const { called } = run(['plan'], { environment: 'home' });
    expect(called?.variables.filter(line => line.startsWith('UNIFI_'))).toEqual(['UNIFI_API_KEY=x']);
    writeEnv(`${exampleFilled('home')}UNIFI_INSECURE=true\n`, 'home');
    expect(run(['plan'], { environment: 'home' }).called?.variables).toContain('UNIFI_INSECURE=true');
  });

  it('alone counts: what the shell holds of other projects is dropped, by name and never by value', () => {
    writeEnv(EDGE);
    const shell = {
      AWS_PROFILE: 'geheim',
      AWS_ENDPOINT_URL_S3: 'geheim',
      HCLOUD_TOKEN: 'geheim',
      TF_CLI_ARGS_apply: '-auto-approve',
      TF_WORKSPACE: 'geheim',
      TF_DATA_DIR: 'geheim',
      TF_VAR_server_type: 'geheim',
      TF_ENCRYPTION: 'geheim',
      TF_LOG: 'off',
    };
    const { output, called } = run(['plan'], { shell });
    const expected = Object.entries({ ...EDGE, TF_LOG: 'off' }).map(([name, value]) => `${name}=${value}`);
    expect(called?.variables.sort()).toEqual(expected.sort());
    expect(output).toMatch(/not used: .*AWS_PROFILE.*TF_WORKSPACE/);
    expect(output).not.toContain('geheim');
  });

  it('is hidden from git, and so are plans and local state', () => {
    for (const name of ['.env', 'x.tfplan', 'bootstrap.tfstate', 'backend_override.tf', '.terraform/x']) {
      const file = `infra/tofu/environment/edge/${name}`;
      const { status } = spawnSync('git', ['check-ignore', '-q', file], { cwd: join(TOFU, '../..') });
      expect({ file, status }).toEqual({ file, status: 0 });
    }
    const { status } = spawnSync('git', ['check-ignore', '-q', 'infra/tofu/environment/edge/.terraform.lock.hcl'], {
      cwd: join(TOFU, '../..'),
    });
    expect(status).toBe(1);
  });
});

const READING = ['init', 'init -upgrade', 'plan', 'plan -destroy', 'validate', 'output -json', 'show x.tfplan'];
READING.push('state list', 'state show a.b', 'state pull', 'workspace list', 'providers lock', 'console', 'graph');
const CHANGING = ['apply', 'apply -auto-approve', 'apply x.tfplan', 'apply --auto-approve', 'refresh', 'taint a.b'];
CHANGING.push('import a.b c', 'untaint a.b', 'state rm a.b', 'state mv a.b c.d', 'state push x', 'force-unlock 1');
CHANGING.push('state', 'workspace new x', 'workspace select x', 'test', 'init -migrate-state', 'init -force-copy');
CHANGING.push('init -reconfigure', 'a-later-command');
const DESTROYING = [
  'destroy',
  'destroy -auto-approve',
  'apply -destroy',
  'apply -auto-approve --destroy',
  'apply -destroy=true',
];

describe('confirmation', () => {
  beforeEach(() => {
    writeEnv(EDGE);
  });

  it.each(READING)('is not asked for: %s', command => {
    expect(run(command.split(' '))).toMatchObject({ status: 0, called: { args: command.split(' ') } });
  });

  it.each([...CHANGING, ...DESTROYING])('needs a terminal: %s', command => {
    const { status, output, called } = run(command.split(' '));
    expect(output).toMatch(/is for a human at a terminal; nothing was run/);
    expect({ status, called }).toEqual({ status: 1, called: undefined });
  });

  it.each(CHANGING)('is the name of the environment: %s', command => {
    const args = command.split(' ');
    expect(run(args, { typed: 'edge' })).toMatchObject({ status: 0, called: { args } });
  });

  it.each(['', 'y', 'yes', 'production', 'edge ', 'EDGE', '*'])('is nothing else: %j', typed => {
    expect(run(['apply', '-auto-approve'], { typed })).toMatchObject({ status: 1, called: undefined });
  });

  it.each(DESTROYING)('is more than the name where things are destroyed: %s', command => {
    const args = command.split(' ');
    expect(run(args, { typed: 'edge' })).toMatchObject({ status: 1, called: undefined });
    expect(run(args, { typed: 'destroy production' })).toMatchObject({ status: 1, called: undefined });
    expect(run(args, { typed: 'destroy edge' })).toMatchObject({ status: 0, called: { args } });
  });

  it('says what it is about to do', () => {
    const { output } = run(['apply', '-auto-approve', '-var', 'a=b c'], { typed: 'no' });
    expect(output).toMatch(/About to run on environment edge:\n {2}tofu apply -auto-approve -var a=b\\ c\n/);
    expect(output).toMatch(/shows the plan too late to stop it/);
  });

  it('is not satisfied by the end of input', () => {
    const { status, stdout } = spawnSync(
      'script',
      ['-qec', `'${path('edge', 'tofu.sh')}' apply </dev/null`, '/dev/null'],
      {
        env: { PATH: `${FAKE}:${process.env.PATH ?? ''}`, HOME: folder },
        encoding: 'utf8',
      },
    );
    expect(status).toBe(1);
    expect(stdout).not.toContain('fake tofu');
  });
});

it('what tofu writes is for the one who runs it', () => {
  writeEnv(EDGE);
  expect(run(['plan']).output).toMatch(/^umask: 0077$/m);
});

function exampleText(environment: string): string {
  return readFileSync(join(TOFU, 'environment', environment, '.env.example'), 'utf8');
}

/** The example with a value for each required name. */
function exampleFilled(environment: string): string {
  return exampleText(environment).replace(/^([A-Za-z_]+)=$/gm, '$1=x');
}

function without(values: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== name));
}
