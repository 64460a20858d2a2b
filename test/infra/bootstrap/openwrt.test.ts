/**
 * Phase 1's role on the stand-in router, by the real ansible-playbook: what it writes, that the second run changes
 * nothing, and that a configuration which cuts the link is taken back by the device alone, also after a power cut.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { withAgent } from '../../../infra/bootstrap/secret-zero/agent.ts';
import { generateSshKeyPair } from '../../../infra/bootstrap/secret-zero/ssh-key.ts';
import type { Site } from '../../../infra/bootstrap/site/site.ts';
import { Router, routerCanRun } from './router/router.ts';
import { BOOTSTRAP, writeSite } from './site-fixture.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const KEY = generateSshKeyPair('bootstrap@test');
const PRIVATE = 'kJ6zJ2u1b0Jm1xq0Xn9oV0s9d2m1cVd8w3m2h1cJ7ns=';
const hasAnsible = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some(each => existsSync(join(each, 'ansible-playbook')));
if (!hasAnsible && process.env['CI'] !== undefined) throw new Error('ansible-playbook is not on the PATH');

describe.skipIf(!routerCanRun() || !hasAnsible)('OpenWrt role', () => {
  let router: Router;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync('/tmp/openwrt-test-');
    router = await Router.start('10.20.250');
  });
  afterAll(() => {
    router.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    router.reset();
    rmSync(join(folder, 'known_hosts'), { force: true });
    router.write('etc/dropbear/authorized_keys', `${KEY.publicKey}\n`);
    const commands = [
      'set network.wg0=interface',
      `set network.wg0.private_key=${PRIVATE}`,
      'add_list network.wg0.addresses=10.20.250.1/24',
      'set network.operator=wireguard_wg0',
      'set network.operator.public_key=PEERPEERPEER',
      'set network.operator.preshared_key=+SHARED/SHARED+&=',
    ];
    router.shell(`uci batch <<EOF\n${commands.join('\n')}\nEOF\n/etc/init.d/network reload`);
    // From now on the link stands and falls with the configuration.
    router.write('etc/stand-in/strict', '');
  });

  function expectCode({ code, text }: { code: number | null; text: string }, wanted: number): void {
    expect(code, text).toBe(wanted);
  }

  const armed = (): string[] =>
    readdirSync(join(router.root, 'etc/bootstrap')).filter(name => name.startsWith('armed'));

  function play(
    playbook: string,
    change: (site: Site) => void = () => undefined,
  ): Promise<{ code: number | null; text: string }> {
    const site = writeSite(join(folder, 'site.yaml'), value => {
      value.router.rollback_after = 60;
      change(value);
    });
    return withAgent(KEY.privateKey, socket => {
      const child = spawn('ansible-playbook', ['-e', 'ansible_host=10.20.250.1', `playbooks/${playbook}`], {
        cwd: join(BOOTSTRAP, 'ansible'),
        env: {
          ...process.env,
          SSH_AUTH_SOCK: socket,
          BOOTSTRAP_SITE: site,
          BOOTSTRAP_RECORDS: folder,
          ANSIBLE_NOCOLOR: '1',
          // A connection that another test left open would hide what this one does about host keys.
          ANSIBLE_SSH_CONTROL_PATH_DIR: mkdtempSync(join(folder, 'cp-')),
        },
      });
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
      return new Promise(resolve =>
        child.on('close', code => {
          resolve({ code, text });
        }),
      );
    });
  }

  it('applies, confirms, and finds nothing to do afterwards', async () => {
    expectCode(await play('openwrt-check.yml'), 2);
    const first = await play('openwrt.yml');
    expectCode(first, 0);
    expect(router.uci('network.wg0.private_key')).toBe(PRIVATE);
    expect(router.uci('network.operator.preshared_key')).toBe('+SHARED/SHARED+&=');
    expect(router.shell('uci show network | grep "vlan_210\\|management"').split('\n')).toEqual([
      'vlan_210.=bridge-vlan',
      'vlan_210.device=br-lan',
      'vlan_210.vlan=210',
      'vlan_210.ports+=lan1:t',
      'vlan_210.ports+=lan2:u*',
      'management.=interface',
      'management.device=br-lan.210',
      'management.proto=static',
      'management.ipaddr+=10.20.210.1/24',
    ]);
    expect(router.uci('firewall.iot_zone.input')).toBe('REJECT');
    expect(router.shell('uci show firewall | grep "lab_to"').split('\n')).toEqual([
      'lab_to_wan.=forwarding',
      'lab_to_wan.src=lab',
      'lab_to_wan.dest=wan',
    ]);
    expect(router.uci('dhcp.servers.ignore')).toBe('1');
    expect(armed()).toEqual([]);
    expectCode(await play('openwrt-check.yml'), 0);
    const log = router.read('var/log/stand-in');
    const second = await play('openwrt.yml');
    expect(second.text).toMatch(/changed=0 .*failed=0/);
    expect(router.read('var/log/stand-in')).toBe(log);
    expect(
      await play(
        'openwrt-check.yml',
        site => (site.vlans['lab'] = { id: 241, subnet: '10.20.240.0/24', gateway: '10.20.240.1' }),
      ),
    ).toMatchObject({ code: 2 });
  });

  it('takes a configuration back that cuts the link', async () => {
    const before = router.read('etc/config/network');
    const running = play('openwrt.yml', site => (site.vpn.router = '10.20.250.9'));
    for (let tries = 0; tries < 3_000 && (await router.reachable()); tries += 1) await sleep(100);
    expect(await router.reachable()).toBe(false);
    expect(router.read('etc/config/network')).toContain('10.20.250.9');
    const outcome = await running;
    expect(outcome.code).toBe(2);
    expect(outcome.text).toMatch(/takes its former configuration\s+back 60 seconds/);
    for (let tries = 0; tries < 3_000 && !(await router.reachable()); tries += 1) await sleep(100);
    expect(await router.reachable()).toBe(true);
    expect(router.read('etc/config/network')).toBe(before);
    expect(router.has('etc/bootstrap/applied')).toBe(false);
    // It can be tried again at once.
    expectCode(await play('openwrt.yml'), 0);
  });

  it('boots with the former configuration when the power went before the confirmation', async () => {
    expectCode(await play('openwrt.yml'), 0);
    const before = router.read('etc/config/network');
    // What the role leaves on the device, up to the moment of the power cut: no process survives it.
    router.write('etc/bootstrap/candidate/network', before.replaceAll('10.20.250.1/24', '10.20.250.9/24'));
    router.write('etc/bootstrap/armed-0815', '');
    router.shell('/etc/bootstrap/apply');
    expect(router.read('etc/config/network')).not.toBe(before);
    router.shell('. /etc/init.d/bootstrap-rollback; boot');
    expect(router.read('etc/config/network')).toBe(before);
    expect(armed()).toEqual([]);
  });

  it('confirms too late: the former configuration stays', () => {
    router.write('etc/bootstrap/settled', '');
    const confirm = join(BOOTSTRAP, 'ansible/roles/openwrt/files/confirm.sh');
    router.install(confirm, 'etc/bootstrap/confirm');
    expect(router.shell('/etc/bootstrap/confirm x || echo refused')).toBe(
      'too late: the former configuration is back\nrefused',
    );
    expect(router.has('etc/bootstrap/applied')).toBe(false);
  });

  it('a timer of a change that was confirmed does not take the next one back', () => {
    router.install(join(BOOTSTRAP, 'ansible/roles/openwrt/files/rollback.sh'), 'etc/bootstrap/rollback');
    router.write('etc/bootstrap/armed-second', '');
    router.write('etc/bootstrap/changed', '');
    router.write('etc/bootstrap/before/network', 'former\n');
    router.shell('/etc/bootstrap/rollback 1 first');
    expect(armed()).toEqual(['armed-second']);
    expect(router.read('etc/config/network')).not.toBe('former\n');
    router.shell('/etc/bootstrap/rollback 1 second');
    expect(armed()).toEqual([]);
    expect(router.read('etc/config/network')).toBe('former\n');
  });

  it('leaves a device alone that is not OpenWrt', async () => {
    router.write('etc/openwrt_release', "DISTRIB_ID='Debian'\n");
    const before = router.read('etc/config/network');
    expectCode(await play('openwrt.yml'), 2);
    expect(router.has('etc/bootstrap')).toBe(false);
    expect(router.read('etc/config/network')).toBe(before);
  });
});
