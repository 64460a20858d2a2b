import { spawn } from 'node:child_process';
import { SYSTEM } from './calls.ts';
import { required } from './cluster.ts';

export interface ForwardedPort {
  /** HOST:PORT on this machine. */
  readonly address: string;
  close(): void;
}

const START_TIMEOUT_MS = 30_000;

/** To a port of a pod in Crossplane's namespace, which need not be reachable from here. */
export async function forwardPort(pod: string, port: number): Promise<ForwardedPort> {
  const child = spawn(
    required('E2E_KUBECTL'),
    ['--kubeconfig', required('E2E_KUBECONFIG'), '--namespace', SYSTEM, 'port-forward', `pod/${pod}`, `:${port}`],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      child.kill();
      reject(new Error(`port-forward to ${pod} said only: ${text}`));
    }, START_TIMEOUT_MS);
    child.once('error', reject);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const found = /Forwarding from (127\.0\.0\.1:\d+)/.exec(text)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
  });
  return { address, close: () => child.kill() };
}
