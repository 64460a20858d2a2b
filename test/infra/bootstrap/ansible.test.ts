/** The inventory names the hosts of site.yaml; lint; the ZFS role by recorded output, as no kernel module is here. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { readSite } from '../../../infra/bootstrap/site/site.ts';
import { BOOTSTRAP } from './site-fixture.ts';

vi.setConfig({ testTimeout: 600_000 });

const ANSIBLE = join(BOOTSTRAP, 'ansible');
const hasAnsible = (process.env['PATH'] ?? '').split(delimiter).some(each => existsSync(join(each, 'ansible-lint')));
if (!hasAnsible && process.env['CI'] !== undefined) throw new Error('ansible-lint is not on the PATH');

it('the inventory has the hosts of site.yaml', () => {
  const site = readSite(join(BOOTSTRAP, 'site.yaml'));
  const { all } = parse(readFileSync(join(ANSIBLE, 'inventory.yml'), 'utf8')) as {
    all: { children: Record<string, { hosts?: object; children?: Record<string, { hosts: object }> }> };
  };
  expect(Object.keys(all.children['routers']?.hosts ?? {})).toEqual([site.router.name]);
  expect(Object.keys(all.children['hypervisors']?.hosts ?? {})).toEqual(Object.keys(site.hypervisors));
  for (const [role, { hosts }] of Object.entries(all.children['guests']?.children ?? {})) {
    const wanted = Object.entries(site.guests)
      .filter(([, guest]) => guest.role === role)
      .map(([name]) => name);
    expect(Object.keys(hosts)).toEqual(wanted);
  }
});

describe.skipIf(!hasAnsible)('with the real Ansible', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync('/tmp/bootstrap-ansible-test-');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('lint finds nothing', () => {
    const { status, stdout, stderr } = spawnSync('ansible-lint', ['--offline', '--nocolor', 'playbooks', 'roles'], {
      cwd: ANSIBLE,
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr: status === 0 ? '' : stderr }).toMatchObject({ status: 0 });
  });

  /** Commands answer what was recorded, and what they were asked is noted. */
  function record(answers: Readonly<Record<string, string>>): void {
    for (const [name, script] of Object.entries(answers)) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >> ${folder}/asked\n${script}\n`);
      chmodSync(join(folder, name), 0o755);
    }
  }

  function runZfs(): { status: number | null; text: string; asked: string[] } {
    writeFileSync(join(folder, 'play.yml'), '- hosts: north-pve-1\n  gather_facts: false\n  roles: [zfs_mirror]\n');
    const { status, stdout, stderr } = spawnSync(
      'ansible-playbook',
      [
        '-e',
        'ansible_connection=local ansible_become=false',
        '-e',
        'ansible_python_interpreter=auto_silent',
        '--limit',
        'north-pve-1',
        join(folder, 'play.yml'),
      ],
      {
        cwd: ANSIBLE,
        encoding: 'utf8',
        env: {
          ...process.env,
          PATH: `${folder}:${process.env['PATH'] ?? ''}`,
          ANSIBLE_ROLES_PATH: join(ANSIBLE, 'roles'),
        },
      },
    );
    const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');
    rmSync(join(folder, 'asked'));
    return { status, text: stdout + stderr, asked };
  }

  // As zpool 2.2 of Proxmox VE prints them.
  const NO_POOLS = 'echo "no pools available to import" >&2; exit 1';
  const EXPORTED =
    "printf '   pool: tank\\n     id: 1234\\n  state: ONLINE\\n action: The pool can be imported using its name or numeric identifier.\\n'";
  const zpool = (list: string, importable: string): string =>
    `case $1 in list) ${list} ;; import) ${importable} ;; create) : > ${folder}/made ;; esac`;
  const pvesm = (): string => `case $1 in status) [ -e ${folder}/given ] ;; add) : > ${folder}/given ;; esac`;

  it('a mirror is made once, of the disks by id, without force', () => {
    record({ zpool: zpool(`[ ! -e ${folder}/made ] || echo tank`, NO_POOLS), wipefs: ':', pvesm: pvesm() });
    const first = runZfs();
    expect(first).toMatchObject({ status: 0 });
    const site = readSite(join(BOOTSTRAP, 'site.yaml'));
    const disks = site.hypervisors['north-pve-1']?.pool.join(' ') ?? '';
    expect(first.asked).toContain(`zpool create -o ashift=12 -O compression=lz4 -O atime=off tank mirror ${disks}`);
    const second = runZfs();
    expect(second.text).toMatch(/changed=0 .*failed=0/);
    expect(second.asked.filter(line => /create|add|wipefs/.test(line))).toEqual([]);
  });

  it('a pool that is only not imported, and a disk that carries something, are left alone', () => {
    record({ zpool: zpool(':', EXPORTED), wipefs: ':', pvesm: pvesm() });
    const exported = runZfs();
    expect(exported.status).toBe(2);
    expect(exported.text).toContain('zpool import tank');
    expect(exported.asked.join('\n')).not.toContain('create');
    record({
      zpool: zpool(':', NO_POOLS),
      wipefs: "echo '# offset,uuid,label,type'; echo '0x438,1f2e,,ext4'",
      pvesm: pvesm(),
    });
    const used = runZfs();
    expect(used.status).toBe(2);
    expect(used.text).toContain('is not empty');
    expect(used.asked.join('\n')).not.toMatch(/create|pvesm add/);
  });
});
