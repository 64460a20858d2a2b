/**
 * etcd and kube-apiserver on free ports of loopback, with the CRDs of the group: all that a controller needs. No garbage
 * collector and no namespace controller: the tests do by hand what those would do.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiextensionsV1Api, KubeConfig } from '@kubernetes/client-node';
import type { TestProject } from 'vitest/node';
import { parse } from 'yaml';
import { findTool, skipWithout } from '../../../conformance/tools.ts';
import { findFreePort } from '../../../fixtures/free-port.ts';

const CRDS = fileURLToPath(new URL('../../../../data/crds/', import.meta.url));
const TOKEN = 'the-token-of-the-tests';
const START_TIMEOUT = 600_000;

declare module 'vitest' {
  interface ProvidedContext {
    /** Empty where there are no tools: the tests are skipped then. */
    readonly kubeconfig: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (skipWithout('kubernetes/kube-apiserver')) {
    project.provide('kubeconfig', '');
    return () => Promise.resolve();
  }
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-'));
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children.reverse()) await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    project.provide('kubeconfig', await start(folder, children));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function start(folder: string, children: ChildProcess[]): Promise<string> {
  const [clients, peers, secure] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const etcd = `http://127.0.0.1:${clients}`;
  const peer = `http://127.0.0.1:${peers}`;
  const run = (program: string, args: readonly string[]): void => {
    const log = openSync(join(folder, `${program.split('/').at(-1)}.log`), 'w');
    children.push(spawn(program, args, { stdio: ['ignore', log, log] }));
    closeSync(log);
  };
  run('etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', etcd, '--advertise-client-urls', etcd],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ]);
  writeKeys(folder);
  run(findTool('kubernetes/kube-apiserver'), [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${secure}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'service-accounts.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'service-accounts.key')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--disable-admission-plugins=ServiceAccount',
  ]);
  const kubeconfig = join(folder, 'kubeconfig');
  writeKubeconfig(kubeconfig, `https://127.0.0.1:${secure}`);
  await installCrds(kubeconfig, folder);
  return kubeconfig;
}

function writeKeys(folder: string): void {
  mkdirSync(join(folder, 'certificates'));
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  writeFileSync(join(folder, 'service-accounts.pub'), publicKey);
  writeFileSync(join(folder, 'service-accounts.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'tokens.csv'), `${TOKEN},tests,tests,system:masters\n`, { mode: 0o600 });
}

/** The API server makes its own certificate: on loopback, and for as long as the tests run, nobody checks it. */
function writeKubeconfig(path: string, server: string): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'tests', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'tests', user: { token: TOKEN } }],
    contexts: [{ name: 'tests', context: { cluster: 'tests', user: 'tests' } }],
    'current-context': 'tests',
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
}

async function installCrds(kubeconfig: string, folder: string): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = config.makeApiClient(ApiextensionsV1Api);
  const deadline = Date.now() + START_TIMEOUT;
  for (const file of readdirSync(CRDS).filter(name => name.startsWith('opentofu.m.upbound.io_'))) {
    const body = parse(readFileSync(join(CRDS, file), 'utf8')) as { metadata: { name: string } };
    await until(deadline, folder, () => api.createCustomResourceDefinition({ body: body as never }));
    await until(deadline, folder, async () => {
      const { status } = await api.readCustomResourceDefinition({ name: body.metadata.name });
      if (status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') !== true)
        throw new Error(`${file} is not established`);
    });
  }
}

async function until(deadline: number, folder: string, step: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await step();
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        const log = readFileSync(join(folder, 'kube-apiserver.log'), 'utf8').split('\n').slice(-20).join('\n');
        throw new Error(`the API server does not come up: ${String(error)}\n${log}`, { cause: error });
      }
      await sleep(250);
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}
