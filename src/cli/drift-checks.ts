/** Which processes look for drift in which layer. Each only reads. */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readAnsibleRecap } from '../drift/ansible-recap.ts';
import { readReconciled, RECONCILED_KINDS, type ReconciledKind } from '../drift/reconciled.ts';
import type { DriftRow, Ended, Layer, Outcome } from '../drift/row.ts';
import { readTofuPlan } from '../drift/tofu-plan.ts';
import { readTopfDryRun } from '../drift/topf.ts';
import type { ClusterAccess } from '../live/from-api.ts';
import { runProcess, type Job } from './run-process.ts';

export interface Check {
  readonly layer: Layer;
  readonly subject: string;
  readonly look: () => Promise<readonly DriftRow[]>;
}

interface Tool {
  readonly layer: Layer;
  readonly subject: string;
  readonly job: Job;
  readonly read: (ended: Ended) => Outcome;
  readonly command: string;
}

const PLAN = ['plan', '-detailed-exitcode', '-lock=false', '-input=false', '-json', '-no-color'];

export function findChecks(layer: Layer, infra: string, timeoutMs: number): readonly Check[] {
  switch (layer) {
    case 'tofu':
      return environmentChecks(join(infra, 'tofu/environment'), timeoutMs);
    case 'ansible':
      return playbookChecks(join(infra, 'ansible'), timeoutMs);
    case 'talos':
      return talosChecks(join(infra, 'talos'), timeoutMs);
    case 'flux':
    case 'crossplane':
      return [];
  }
}

function environmentChecks(folder: string, timeoutMs: number): readonly Check[] {
  const names = list(folder).filter(name => list(join(folder, name)).some(file => file.endsWith('.tf')));
  if (names.length === 0) return [notThere('tofu', folder)];
  return names.map(subject => {
    const cwd = resolve(folder, subject);
    const wrapper = join(cwd, 'tofu.sh');
    const wrapped = existsSync(wrapper);
    return toCheck({
      layer: 'tofu',
      subject,
      job: {
        program: wrapped ? wrapper : 'tofu',
        args: PLAN,
        cwd,
        // What a shell adds to every command of tofu might write, or hide the exit code.
        env: { TF_IN_AUTOMATION: '1', TF_CLI_ARGS: undefined, TF_CLI_ARGS_plan: undefined },
        timeoutMs,
      },
      read: readTofuPlan,
      command: wrapped
        ? `${join(folder, subject, 'tofu.sh')} plan -lock=false`
        : `tofu -chdir=${join(folder, subject)} plan -lock=false`,
    });
  });
}

function playbookChecks(folder: string, timeoutMs: number): readonly Check[] {
  const playbooks = list(join(folder, 'playbooks')).filter(name => /\.ya?ml$/.test(name));
  if (playbooks.length === 0) return [notThere('ansible', join(folder, 'playbooks'))];
  return playbooks.map(subject => {
    const args = ['--check', '--diff', join('playbooks', subject)];
    return toCheck({
      layer: 'ansible',
      subject,
      job: {
        program: 'ansible-playbook',
        args,
        cwd: resolve(folder),
        env: { ANSIBLE_NOCOLOR: '1', ANSIBLE_RETRY_FILES_ENABLED: '0' },
        timeoutMs,
      },
      read: readAnsibleRecap,
      command: `cd ${folder} && ansible-playbook ${args.join(' ')}`,
    });
  });
}

function talosChecks(folder: string, timeoutMs: number): readonly Check[] {
  const clusters = list(folder).filter(name => existsSync(join(folder, name, 'topf.yaml')));
  if (clusters.length === 0) return [notThere('talos', `${folder}/*/topf.yaml`)];
  return clusters.map(subject =>
    toCheck({
      layer: 'talos',
      subject,
      job: { program: 'topf', args: ['apply', '--dry-run'], cwd: resolve(folder, subject), timeoutMs },
      read: readTopfDryRun,
      command: `cd ${join(folder, subject)} && topf apply --dry-run`,
    }),
  );
}

function toCheck({ layer, subject, job, read, command }: Tool): Check {
  const look = async (): Promise<readonly DriftRow[]> => {
    const run = await runProcess(job);
    if ('missing' in run)
      return [
        { layer, subject, outcome: { kind: 'not checked', detail: `there is no ${run.missing} on the PATH` }, command },
      ];
    if ('late' in run)
      return [
        { layer, subject, outcome: { kind: 'failed', detail: `no end within ${job.timeoutMs / 1000} s` }, command },
      ];
    return [{ layer, subject, outcome: read(run), command }];
  };
  return { layer, subject, look };
}

/** All kinds of the layers in one reading. */
export function clusterCheck(layers: readonly Layer[], access: ClusterAccess | undefined): Check {
  const kinds = (Object.keys(RECONCILED_KINDS) as ReconciledKind[]).filter(kind =>
    layers.includes(RECONCILED_KINDS[kind].layer),
  );
  const look = async (): Promise<readonly DriftRow[]> => {
    if (access === undefined)
      return layers.map(layer => ({
        layer,
        subject: 'cluster',
        outcome: { kind: 'not checked', detail: 'no cluster was named (--kubeconfig)' },
      }));
    const versions = Object.fromEntries(kinds.map(kind => [kind, RECONCILED_KINDS[kind].apiVersion])) as Record<
      ReconciledKind,
      string
    >;
    // The client of the API server is large: who looks at other layers only need not wait for it.
    const { readKinds } = await import('../live/from-api.ts');
    const readings = await readKinds(access, versions);
    return kinds.flatMap(kind => readReconciled(kind, readings[kind]));
  };
  return { layer: layers[0] ?? 'flux', subject: 'cluster', look };
}

function notThere(layer: Layer, what: string): Check {
  const row: DriftRow = {
    layer,
    subject: layer,
    outcome: { kind: 'not checked', detail: `${what}: nothing is there` },
  };
  return { layer, subject: layer, look: () => Promise.resolve([row]) };
}

function list(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .map(({ name }) => name)
        .sort()
    : [];
}
