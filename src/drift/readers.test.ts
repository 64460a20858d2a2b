/**
 * What tools print, as rows. OpenTofu's lines are those of 1.12.6, shortened; Ansible's recap is written after the format of ansible-core 2.21;
 * topf's exit codes are from its documentation, since topf cannot be had here.
 */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kube.ts';
import { readAnsibleRecap } from './ansible-recap.ts';
import { isClean, printDrift, toJson } from './print.ts';
import { readReconciled } from './reconciled.ts';
import type { DriftRow, Ended } from './row.ts';
import { readTofuPlan } from './tofu-plan.ts';
import { readTopfDryRun } from './topf.ts';

const SECRET = 'hunter2-in-the-output';

const ended = (code: number, lines: readonly (string | object)[], stderr = ''): Ended => ({
  code,
  stdout: lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  stderr,
});
const version = { '@level': 'info', '@message': 'OpenTofu 1.12.6', tofu: '1.12.6', type: 'version', ui: '1.2' };
const planned = (addr: string, action: string) => ({
  '@message': `${addr}: Plan to ${action} ${SECRET}`,
  change: { resource: { addr }, action },
  type: 'planned_change',
});
const drifted = (addr: string) => ({
  '@message': SECRET,
  change: { resource: { addr }, action: 'update' },
  type: 'resource_drift',
});
const diagnostic = (summary: string, address?: string) => ({
  '@message': `Error: ${summary}`,
  diagnostic: { severity: 'error', summary, detail: SECRET, ...(address === undefined ? {} : { address }) },
  type: 'diagnostic',
});

describe('readTofuPlan', () => {
  it('0 is no drift', () => {
    expect(readTofuPlan(ended(0, [version]))).toEqual({ kind: 'no drift', detail: 'no changes' });
  });

  it('2 is drift: counts and addresses, and nothing else of the output', () => {
    const outcome = readTofuPlan(
      ended(2, [
        version,
        'a line that is no JSON',
        drifted('proxmox_vm.node["talos-cp-01"]'),
        planned('proxmox_vm.node["talos-cp-01"]', 'update'),
        planned('netbird_group.a', 'create'),
        planned('netbird_group.b', 'create'),
        planned('unifi_network.guests', 'delete'),
      ]),
    );
    expect(outcome).toEqual({
      kind: 'drift',
      detail: '2 to add, 1 to change, 1 to destroy; 1 of them changed outside',
      addresses: [
        'proxmox_vm.node["talos-cp-01"] (update)',
        'netbird_group.a (create)',
        'netbird_group.b (create)',
        'unifi_network.guests (delete)',
      ],
    });
  });

  it.each([
    [
      'no .env',
      ended(1, [], 'tofu.sh: edge has no .env: copy .env.example, fill it in, chmod 600.'),
      'not checked',
      /no \.env/,
    ],
    [
      'an .env that others read',
      ended(1, [], 'tofu.sh: edge/.env can be read by others: chmod 600.'),
      'not checked',
      /incomplete, faulty or readable/,
    ],
    ['no init', ended(1, [version, diagnostic('Inconsistent dependency lock file')]), 'failed', /not initialised/],
    ['no remote state', ended(1, [diagnostic('Unable to find remote state')]), 'failed', /state cannot be read/],
    ['another error', ended(1, [diagnostic(SECRET, 'netbird_group.a')]), 'failed', /1 error\(s\) at netbird_group\.a/],
    ['a signal', { code: null, stdout: '', stderr: '' }, 'failed', /run it by hand/],
  ] as const)('%s', (_, run, kind, detail) => {
    const outcome = readTofuPlan(run);
    expect(outcome.kind).toBe(kind);
    expect(outcome.detail).toMatch(detail);
    expect(JSON.stringify(outcome)).not.toContain(SECRET);
  });
});

const recap = (...hosts: readonly string[]): string =>
  [
    `--- before\n+++ after\n-password: ${SECRET}`,
    'PLAY RECAP *********************************************************',
    ...hosts,
  ].join('\n');
const host = (name: string, changed: number, unreachable = 0, failed = 0): string =>
  `${name.padEnd(26)} : ok=12   changed=${changed}    unreachable=${unreachable}    failed=${failed}    skipped=3    rescued=0    ignored=0   `;

describe('readAnsibleRecap', () => {
  it.each([
    [
      'no drift',
      ended(0, [recap(host('proxmox-1', 0), host('proxmox-2', 0))]),
      'no drift',
      '2 host(s) as they should be',
    ],
    ['drift', ended(0, [recap(host('proxmox-1', 2), host('proxmox-2', 0))]), 'drift', 'proxmox-1: 2 would change'],
    [
      'a host that is away',
      ended(4, [recap(host('proxmox-1', 1), host('proxmox-2', 0, 1))]),
      'failed',
      'proxmox-2 cannot be reached; proxmox-1: 1 would change',
    ],
    ['a host that fails', ended(2, [recap(host('proxmox-1', 0, 0, 1))]), 'failed', 'proxmox-1 fails'],
    ['no recap', ended(1, [SECRET]), 'failed', 'the check fails before it ends: run it by hand'],
    ['no host', ended(0, [recap()]), 'failed', 'no host was looked at'],
  ] as const)('%s', (_, run, kind, detail) => {
    expect(readAnsibleRecap(run)).toEqual({ kind, detail });
  });
});

it.each([
  [0, 'no drift'],
  [2, 'drift'],
  [1, 'failed'],
])('topf that ends with %d is %s', (code, kind) => {
  expect(readTopfDryRun(ended(code, [SECRET])).kind).toBe(kind);
});

describe('readReconciled', () => {
  const workspace = (fields: Readonly<Record<string, unknown>>, annotations = {}): KubeObject => ({
    apiVersion: 'opentofu.m.upbound.io/v1beta1',
    kind: 'Workspace',
    metadata: { name: 'workspace', namespace: 'paperless', annotations },
    ...fields,
  });
  const conditions = (synced: string, ready: string) => ({
    status: {
      conditions: [
        { type: 'Synced', status: synced, reason: 'ReconcileError', message: SECRET },
        { type: 'Ready', status: ready, reason: 'Available' },
      ],
    },
  });
  const read = (...objects: readonly KubeObject[]) => readReconciled('Workspace', { kind: 'objects', objects });

  it('is one row where all is well', () => {
    expect(read(workspace(conditions('True', 'True')))).toEqual([
      { layer: 'crossplane', subject: 'Workspace', outcome: { kind: 'no drift', detail: '1, all Synced and Ready' } },
    ]);
  });

  it('names what fails by its reason alone, and what is paused', () => {
    expect(
      read(
        workspace(conditions('False', 'True')),
        workspace(conditions('True', 'True'), { 'crossplane.io/paused': 'true' }),
      ),
    ).toEqual([
      {
        layer: 'crossplane',
        subject: 'Workspace paperless/workspace',
        outcome: { kind: 'failed', detail: 'Synced False ReconcileError' },
      },
      {
        layer: 'crossplane',
        subject: 'Workspace paperless/workspace',
        outcome: { kind: 'drift', detail: 'suspended or paused: nothing puts a change back' },
      },
    ]);
  });

  it('an object without conditions has not been reconciled', () => {
    expect(read(workspace({}))[0]?.outcome).toEqual({ kind: 'failed', detail: 'Synced absent, Ready absent' });
  });

  it('what may not be listed was not checked', () => {
    const [row] = readReconciled('Kustomization', { kind: 'unreadable', reason: 'forbidden' });
    expect(row).toEqual({
      layer: 'flux',
      subject: 'Kustomization',
      outcome: { kind: 'not checked', detail: 'forbidden' },
    });
  });
});

describe('the summary', () => {
  const rows: readonly DriftRow[] = [
    {
      layer: 'tofu',
      subject: 'edge',
      outcome: { kind: 'drift', detail: '1 to add', addresses: ['a.b (create)'] },
      command: 'tofu.sh plan',
    },
    { layer: 'flux', subject: 'cluster', outcome: { kind: 'no drift', detail: '4, all Ready' } },
  ];

  it('is one table, with addresses and the command below what drifted', () => {
    expect(printDrift(rows)).toBe(
      [
        'LAYER  IT          WHAT     OUTCOME   DETAIL',
        'tofu   reports     edge     drift     1 to add',
        '    a.b (create)',
        '    $ tofu.sh plan',
        'flux   reconciles  cluster  no drift  4, all Ready',
        '',
        '1 drift, 0 failed, 0 not checked, 1 no drift',
        '',
      ].join('\n'),
    );
  });

  it('is clean only where everything was checked', () => {
    expect(isClean(rows)).toBe(false);
    expect(isClean(rows.slice(1))).toBe(true);
    expect(isClean([{ layer: 'talos', subject: 'edge', outcome: { kind: 'not checked', detail: 'no topf' } }])).toBe(
      false,
    );
    expect(toJson(rows)).toMatchObject({
      version: 1,
      clean: false,
      rows: [{ means: 'reports', outcome: 'drift', addresses: ['a.b (create)'] }, { addresses: [] }],
    });
  });
});
