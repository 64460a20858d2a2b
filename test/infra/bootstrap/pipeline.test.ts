/**
 * The Taskfile by the real go-task, with recorders in the place of every step and check: order, forks, guards, the manual
 * step, resume. And that diagram, table and Taskfile are one.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deriveEdges, placeGraph, printGraph } from '../../../infra/bootstrap/pipeline/graph.ts';
import { isBox, readPhases, readTasks } from '../../../infra/bootstrap/pipeline/pipeline.ts';
import { pythonCommands } from './aws.ts';
import { BOOTSTRAP } from './site-fixture.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** The seed's diagram, edge by edge. */
const DIAGRAM = `
p0_gen --> p0_prov
p0_prov --> p0_push
p0_push -.-> aws_sm
p1_fetch -.-> aws_sm
p1_fetch --> p1_fork
p1_fork --> p1_openwrt
p1_fork --> p1_netgear
p0_push ==> p1_fetch
p2_fetch -.-> aws_sm
p2_fetch --> p2_config
p1_openwrt ==> p2_fetch
p1_netgear ==> p2_fetch
p3_fetch -.-> aws_sm
p3_fetch --> p3_prov
p3_prov --> p3_net
p2_config ==> p3_fetch
p4_fetch -.-> aws_sm
p4_fetch --> p4_yaml
p4_yaml --> p4_api
p4_api --> p4_wait
p4_wait --> p4_kubeconfig
p3_net ==> p4_fetch
p5_fork --> p5_wait_api
p5_wait_api --> p5_eso
p5_eso -.-> aws_sm
p5_eso --> p5_sync
p5_sync --> p5_deploy
p5_fork --> p5_ansible_fetch
p5_ansible_fetch -.-> aws_sm
p5_ansible_fetch --> p5_wait_ssh
p5_wait_ssh --> p5_vm_tools
p4_kubeconfig ==> p5_fork`
  .trim()
  .split('\n');

describe('the diagram', () => {
  const tasks = readTasks();

  it('is the one that was asked for, and shows beside it that generating stages in AWS', () => {
    const arrows: Readonly<Record<string, string>> = { then: '-->', triggers: '==>' };
    const edges = deriveEdges(tasks).map(({ from, to, label }) => `${from} ${arrows[label] ?? '-.->'} ${to}`);
    expect(edges.sort()).toEqual([...DIAGRAM, 'p0_gen -.-> aws_sm'].sort());
  });

  it('in the README is current', () => {
    const readme = readFileSync(join(BOOTSTRAP, 'README.md'), 'utf8');
    expect(placeGraph(readme, printGraph(tasks))).toBe(readme);
  });

  it('and the table of the README name every box', () => {
    const readme = readFileSync(join(BOOTSTRAP, 'README.md'), 'utf8');
    for (const name of [...Object.keys(tasks).filter(isBox), 'aws_sm'])
      expect(readme).toContain(`| \`task ${name}\` |`);
  });

  it('has a program for each command and each check, and no other', () => {
    const text = readFileSync(join(BOOTSTRAP, 'Taskfile.yml'), 'utf8');
    const named = (variable: string): string[] =>
      [
        ...new Set([...text.matchAll(new RegExp(`{{\\.${variable}}}/([\\w-]+)`, 'g'))].map(match => match[1] ?? '')),
      ].sort();
    // tofu is what other steps call.
    expect([...named('STEPS'), 'tofu'].sort()).toEqual(readdirSync(join(BOOTSTRAP, 'steps')).sort());
    expect(named('CHECKS')).toEqual(readdirSync(join(BOOTSTRAP, 'checks')).sort());
  });

  it('guards every box with the exit checks of the phase before', () => {
    for (const name of Object.keys(tasks).filter(
      each => isBox(each) && !each.startsWith('p0_') && !each.endsWith('_fork'),
    )) {
      const before = `after-phase${Number(name.charAt(1)) - 1}`;
      expect({ name, deps: tasks[name]?.deps }).toEqual({ name, deps: [before] });
    }
    for (const { checks } of readPhases(tasks)) expect(checks.length).toBeGreaterThan(0);
  });
});

interface Entry {
  readonly what: string;
  readonly at: number;
}

describe('the run', () => {
  let folder: string;
  let commands: string;

  beforeAll(() => {
    commands = pythonCommands();
  });
  beforeEach(() => {
    folder = mkdtempSync('/tmp/pipeline-test-');
    // A step notes when it begins and ends; it fails when a file with its name says so. A check holds when a file says so,
    // and every step of a phase makes its checks hold.
    mkdirSync(join(folder, 'holds'));
    mkdirSync(join(folder, 'fails'));
    const note = `note() { echo "$(date +%s%N) $*" >> ${folder}/log; }`;
    const step = `#!/bin/sh
${note}
name="$(basename "$0") $*"; name="\${name% }"
note "begin $name"
sleep 0.3
file="$(echo "$name" | tr ' /' '__')"
if [ -e "${folder}/fails/$file" ]; then note "fail $name"; echo "$file says why" >&2; exit 1; fi
[ ! -e "${folder}/makes/$file" ] || for check in $(cat "${folder}/makes/$file"); do touch "${folder}/holds/$check"; done
note "end $name"
`;
    const check = `#!/bin/sh\n${note}\nnote "check $(basename "$0")"\n[ -e "${folder}/holds/$(basename "$0")" ] || { echo 'not yet' >&2; exit 1; }\n`;
    for (const [kind, text] of [
      ['steps', step],
      ['checks', check],
    ] as const) {
      mkdirSync(join(folder, kind));
      for (const name of readdirSync(join(BOOTSTRAP, kind))) {
        writeFileSync(join(folder, kind, name), text);
        chmodSync(join(folder, kind, name), 0o755);
      }
    }
    mkdirSync(join(folder, 'makes'));
    for (const [made, checks] of Object.entries(MAKES)) writeFileSync(join(folder, 'makes', made), checks);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Which step makes which checks hold. */
  const MAKES: Readonly<Record<string, string>> = {
    'secret-zero_promote': 'secrets-in-place vpn-gateway',
    'ansible_openwrt.yml': 'openwrt-config',
    netgear_confirm: 'netgear-confirmed',
    'ansible_proxmox.yml': 'proxmox-baseline',
    'proxmox-token': 'proxmox-api',
    'virtual-machines_attach': 'virtual-machines',
    'kubernetes-os_wait': 'etcd-quorum',
    'kubernetes-os_kubeconfig': 'kubeconfig',
    workloads_deploy: 'workloads',
    'ansible_guests.yml': 'guests',
  };

  function environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PATH: `${commands}:${process.env['PATH'] ?? ''}`,
      BOOTSTRAP_STEPS: join(folder, 'steps'),
      BOOTSTRAP_CHECKS: join(folder, 'checks'),
    };
  }

  /** At a terminal, as a prompt needs one; `answer` is typed. */
  function task(args: string, answer = 'y'): Promise<{ code: number | null; text: string }> {
    const child = spawn('script', ['-qefc', `task --dir ${BOOTSTRAP} ${args}`, '/dev/null'], { env: environment() });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (chunk.toString().includes('[y/N]')) child.stdin.write(`${answer}\n`);
    });
    return new Promise(resolve =>
      child.on('close', code => {
        resolve({ code, text });
      }),
    );
  }

  function log(): Entry[] {
    const file = join(folder, 'log');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map(line => {
        const [at, ...what] = line.split(' ');
        return { at: Number(at), what: what.join(' ') };
      });
  }

  const begun = (): string[] =>
    log()
      .filter(({ what }) => what.startsWith('begin '))
      .map(({ what }) => what.slice(6));
  const when = (what: string): number => log().find(entry => entry.what === what)?.at ?? NaN;
  const hold = (...checks: readonly string[]): void => {
    for (const check of checks) writeFileSync(join(folder, 'holds', check), '');
  };
  const PHASE_0 = ['secrets-in-place', 'vpn-gateway'];
  const PHASE_3 = [
    ...PHASE_0,
    'openwrt-config',
    'netgear-confirmed',
    'proxmox-baseline',
    'proxmox-api',
    'virtual-machines',
  ];

  it('goes from nothing to the end in order, with both forks side by side', async () => {
    const { code, text } = await task('bootstrap');
    expect({ code, text }).toMatchObject({ code: 0 });
    const chain = [
      'secret-zero generate',
      'secret-zero provision',
      'secret-zero promote',
      'secret-zero fetch router ssh',
      'ansible openwrt.yml',
      'secret-zero fetch proxmox ssh',
      'ansible proxmox.yml',
      'proxmox-token',
      'secret-zero fetch proxmox tofu ssh',
      'virtual-machines create',
      'virtual-machines attach',
      'secret-zero fetch talos tofu',
      'kubernetes-os plan',
      'kubernetes-os apply',
      'kubernetes-os wait',
      'kubernetes-os kubeconfig',
    ];
    const routes = [
      ['secret-zero fetch router ssh', 'netgear checklist', 'netgear confirm', 'secret-zero fetch proxmox ssh'],
      [
        'kubernetes-os kubeconfig',
        'workloads wait-api',
        'workloads external-secrets',
        'workloads secrets',
        'workloads deploy',
      ],
      ['kubernetes-os kubeconfig', 'secret-zero fetch guests ssh', 'ansible wait-for-guests.yml', 'ansible guests.yml'],
    ];
    for (const route of [chain, ...routes]) {
      route.slice(1).forEach((step, index) => {
        expect({ step, late: when(`begin ${step}`) >= when(`end ${route[index] ?? ''}`) }).toEqual({
          step,
          late: true,
        });
      });
    }
    expect(new Set(begun())).toEqual(new Set([...chain, ...routes.flat()]));
    expect(begun()).toHaveLength(new Set(begun()).size);
    // Each began before the other ended.
    for (const [one, other] of [
      ['ansible openwrt.yml', 'netgear checklist'],
      ['workloads wait-api', 'secret-zero fetch guests ssh'],
    ] as const) {
      expect(when(`begin ${one}`)).toBeLessThan(when(`end ${other}`));
      expect(when(`begin ${other}`)).toBeLessThan(when(`end ${one}`));
    }
  });

  it.each([
    ['phase1', [], 'phase 0 is not done: check secrets-in-place fails. Run: task phase0'],
    ['p1_openwrt', ['secrets-in-place'], 'phase 0 is not done: check vpn-gateway fails'],
    [
      'phase2',
      [...PHASE_0, 'openwrt-config'],
      'phase 1 is not done: check netgear-confirmed fails. Run: task p1_netgear',
    ],
    ['p3_prov', PHASE_0, 'phase 2 is not done: check proxmox-baseline fails'],
    ['p4_api', PHASE_0, 'phase 3 is not done: check virtual-machines fails'],
    ['phase5', PHASE_3, 'phase 4 is not done: check etcd-quorum fails. Run: task phase4'],
    [
      'p5_vm_tools',
      [...PHASE_3, 'etcd-quorum'],
      'phase 4 is not done: check kubeconfig fails. Run: task p4_kubeconfig',
    ],
  ])('%s in the wrong order runs nothing and names the check', async (name, holding, message) => {
    hold(...holding);
    const { code, text } = await task(name);
    expect(code).not.toBe(0);
    expect(text).toContain(message);
    expect(begun()).toEqual([]);
  });

  it('stops where a secret is missing, before anything changes', async () => {
    hold(...PHASE_0);
    writeFileSync(join(folder, 'fails/secret-zero_fetch_router_ssh'), '');
    const { code, text } = await task('phase1');
    expect(code).not.toBe(0);
    expect(text).toContain('secret-zero_fetch_router_ssh says why');
    expect(begun()).toEqual(['secret-zero fetch router ssh']);
  });

  it('goes no further when a human refuses the manual step, and asks again only for that', async () => {
    hold(...PHASE_0);
    const refused = await task('phase1', 'n');
    expect(refused.code).not.toBe(0);
    expect(begun()).toContain('netgear checklist');
    expect(begun()).not.toContain('netgear confirm');
    const next = await task('phase2');
    expect(next.text).toContain('check netgear-confirmed fails');
    expect(await task('p1_netgear')).toMatchObject({ code: 0 });
    // Confirmed once, for this table: it does not ask again.
    rmSync(join(folder, 'log'));
    expect(await task('p1_netgear', 'n')).toMatchObject({ code: 0 });
    expect(begun()).toEqual([]);
  });

  it('does not ask a pipe: without a terminal the manual step is refused', () => {
    hold(...PHASE_0);
    const { status } = spawnSync(join(commands, 'task'), ['--dir', BOOTSTRAP, 'p1_netgear'], {
      env: environment(),
      input: 'y\n',
    });
    expect(status).not.toBe(0);
    expect(begun()).not.toContain('netgear confirm');
  });

  it('resumes after a failure: what is done holds, what failed runs again', async () => {
    writeFileSync(join(folder, 'fails/virtual-machines_attach'), '');
    const first = await task('bootstrap');
    expect(first.code).not.toBe(0);
    expect(begun().at(-1)).toBe('virtual-machines attach');
    rmSync(join(folder, 'fails/virtual-machines_attach'));
    rmSync(join(folder, 'log'));
    expect(await task('phase3')).toMatchObject({ code: 0 });
    expect(begun()).toEqual([
      'secret-zero fetch proxmox tofu ssh',
      'virtual-machines create',
      'virtual-machines attach',
    ]);
  });

  it('shows the plan of everything, and runs nothing', async () => {
    const { code, text } = await task('plan');
    expect({ code, text }).toMatchObject({ code: 0 });
    for (const step of ['secret-zero generate', 'netgear confirm', 'kubernetes-os apply', 'workloads deploy'])
      expect(text).toContain(step);
    expect(log().filter(({ what }) => !what.startsWith('check'))).toEqual([]);
  });

  it('says where it stands and what is next', () => {
    hold(...PHASE_0, 'openwrt-config');
    const status = (): { status: number | null; stdout: string } =>
      spawnSync(join(BOOTSTRAP, 'steps/status'), { env: environment(), encoding: 'utf8' });
    const half = status();
    expect(half.status).toBe(1);
    expect(half.stdout).toMatch(/Phase 0 {2}Secret Zero\n {2}holds {2}secrets-in-place/);
    expect(half.stdout).toMatch(/FAILS {2}netgear-confirmed {2}not yet/);
    expect(half.stdout).toMatch(/waits {2}proxmox-baseline +for phase1/);
    expect(half.stdout).toMatch(/Next: .*Run: task p1_netgear\n$/);
    hold(...Object.values(MAKES).flatMap(checks => checks.split(' ')));
    expect(status()).toMatchObject({ status: 0, stdout: expect.stringContaining('All phases are done.') as string });
  });
});
