import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));
export const ansibleFolder = `${repository}infra/ansible`;

/** The pinned tools; `tools.sh` installs them where they are not there yet. */
const bin = execFileSync(`${ansibleFolder}/tools.sh`, {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
}).trim();

const environment = {
  ...process.env,
  PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  ANSIBLE_CONFIG: `${ansibleFolder}/ansible.cfg`,
  // One line for each message, as it is written in the role.
  ANSIBLE_CALLBACK_RESULT_FORMAT: 'json',
  ANSIBLE_NOCOLOR: '1',
  ANSIBLE_NOCOWS: '1',
};

export interface HostRecap {
  readonly ok: number;
  readonly changed: number;
  readonly failed: number;
}

export interface Run {
  readonly status: number;
  /** What Ansible said, with the quotes inside its messages as the role wrote them. */
  readonly output: string;
  readonly recap: Readonly<Record<string, HostRecap>>;
}

const recapLine = /^(\S+)\s+: ok=(\d+)\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)/gm;

/** Runs one of Ansible's commands in infra/ansible, behind `prefix` if there is one. */
export function ansible(command: string, args: readonly string[], prefix: readonly string[] = []): Run {
  const [program = command, ...rest] = [...prefix, command, ...args];
  const result = spawnSync(program, rest, {
    cwd: ansibleFolder,
    encoding: 'utf8',
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.error !== undefined) throw result.error;
  const output = `${result.stdout}${result.stderr}`.replaceAll('\\"', '"');
  const recap: Record<string, HostRecap> = {};
  for (const [, host = '', ok, changed, unreachable, failed] of output.matchAll(recapLine)) {
    recap[host] = { ok: Number(ok), changed: Number(changed), failed: Number(unreachable) + Number(failed) };
  }
  return { status: result.status ?? -1, output, recap };
}
