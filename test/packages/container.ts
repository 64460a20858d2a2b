/** Runs an image the way a hardened pod does, and calls the function in it the way core does. */
import { credentials } from '@grpc/grpc-js';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCaller, encodeRequest, failureOf, makeRequest } from '../contract/caller.ts';
import type { Pair, Pki } from '../contract/pki.ts';
import { docker, required } from './surroundings.ts';

export interface Smoke {
  readonly tag: string | undefined;
  /** gRPC's code for the call of somebody without a certificate. */
  readonly stranger: number;
  /** Lines of /proc/PID/status, by name. */
  readonly status: ReadonlyMap<string, string>;
  readonly rootMountedReadOnly: boolean;
  readonly residentMiB: number;
  readonly exitCode: number;
  readonly log: string;
}

const HARDENED = [
  '--read-only',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
  '--memory=256m',
  '--pids-limit=64',
];

/** Starts, calls with and without a certificate, looks at the process, stops. */
export async function smoke(image: string, user: string, pki: Pki): Promise<Smoke> {
  const authority = pki.createAuthority();
  const server = authority.issue({ usage: 'serverAuth', subject: '/CN=function', names: 'DNS:localhost' });
  const client = authority.issue({ usage: 'clientAuth' });
  const certificates = pki.mount({ 'tls.crt': server.cert, 'tls.key': server.key, 'ca.crt': authority.cert });
  const container = docker(
    ...['run', '--detach', ...HARDENED, `--user=${user}`, '--network=host'],
    ...[`--volume=${certificates}:/tls/server:ro`, '--env=TLS_SERVER_CERTS_DIR=/tls/server'],
    ...[image, '--address=127.0.0.1:0'],
  ).trim();
  try {
    const address = await listening(container);
    const tag = await call(address, authority.cert, client);
    const stranger = await callWithoutCertificate(address, authority.cert);
    const pid = docker('inspect', '--format={{.State.Pid}}', container).trim();
    const status = readStatus(pid);
    const mount = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
      .split('\n')
      .find(line => line.split(' ')[4] === '/');
    docker('stop', '--time=30', container);
    return {
      tag,
      stranger,
      status,
      rootMountedReadOnly: mount?.split(' ')[5]?.split(',').includes('ro') ?? false,
      residentMiB: Math.round(Number(status.get('VmHWM')?.split(' ')[0]) / 1024),
      exitCode: Number(docker('inspect', '--format={{.State.ExitCode}}', container)),
      log: logsOf(container),
    };
  } finally {
    docker('rm', '--force', container);
  }
}

async function listening(container: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const address = /"address":"(127\.0\.0\.1:\d+)".*"msg":"listening"/.exec(logsOf(container))?.[1];
    if (address !== undefined) return address;
    if (docker('inspect', '--format={{.State.Running}}', container).trim() !== 'true') break;
    await sleep(100);
  }
  throw new Error(`does not listen: ${logsOf(container)}`);
}

async function call(address: string, authority: string, client: Pair): Promise<string | undefined> {
  const channel = credentials.createSsl(Buffer.from(authority), Buffer.from(client.key), Buffer.from(client.cert));
  const caller = createCaller(address, channel);
  try {
    return (await caller.call(encodeRequest(makeRequest()))).meta?.tag;
  } finally {
    caller.close();
  }
}

async function callWithoutCertificate(address: string, authority: string): Promise<number> {
  const caller = createCaller(address, credentials.createSsl(Buffer.from(authority)));
  try {
    return (await failureOf(caller.call(encodeRequest(makeRequest())))).code;
  } finally {
    caller.close();
  }
}

function readStatus(pid: string): ReadonlyMap<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n');
  return new Map(lines.map(line => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1).trim()]));
}

/** The server logs on stderr, which `docker logs` keeps apart. */
function logsOf(container: string): string {
  return spawnSync(required('DOCKER'), ['logs', container], { encoding: 'utf8' }).stderr;
}
