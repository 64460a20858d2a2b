/** What the recap of `ansible-playbook --check --diff` says, host by host. The diff itself may hold a secret. */
import type { Ended, Outcome } from './row.ts';

const HOST = /^(\S+)\s*:\s*ok=(\d+)\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)/;

export function readAnsibleRecap({ code, stdout }: Ended): Outcome {
  const at = stdout.lastIndexOf('PLAY RECAP');
  const hosts = (at < 0 ? '' : stdout.slice(at)).split('\n').flatMap(line => {
    const match = HOST.exec(line);
    if (match === null) return [];
    const [changed, unreachable, failed] = [match[3], match[4], match[5]].map(Number);
    return [{ host: match[1] ?? '', changed: changed ?? 0, unreachable: unreachable ?? 0, failed: failed ?? 0 }];
  });
  const bad = hosts.filter(({ unreachable, failed }) => unreachable + failed > 0);
  const drifted = hosts
    .filter(({ changed }) => changed > 0)
    .map(({ host, changed }) => `${host}: ${changed} would change`);
  if (bad.length > 0) {
    const words = bad.map(({ host, unreachable }) => `${host} ${unreachable > 0 ? 'cannot be reached' : 'fails'}`);
    return { kind: 'failed', detail: [...words, ...drifted].join('; ') };
  }
  if (code !== 0) return { kind: 'failed', detail: 'the check fails before it ends: run it by hand' };
  if (hosts.length === 0) return { kind: 'failed', detail: 'no host was looked at' };
  if (drifted.length > 0) return { kind: 'drift', detail: drifted.join('; ') };
  return { kind: 'no drift', detail: `${hosts.length} host(s) as they should be` };
}
