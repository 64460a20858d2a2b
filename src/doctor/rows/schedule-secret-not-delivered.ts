import type { Input } from '../../api/input.ts';
import { TEMPLATE_NAMES } from '../../api/input.ts';
import { parseApps, type App } from '../../infra/apps.ts';
import { readPath, type KubeObject } from '../../kube.ts';
import { parseTemplate, renderTemplate } from '../../template.ts';
import { BUCKET, NAMESPACE, quoteShell } from '../commands.ts';
import { count, inCluster, inInfra } from '../look.ts';
import { inNamespace, keysOf } from '../namespaces.ts';
import type { Fix, Problem, Row } from '../row.ts';
import { findB2Schedules, isSelected, placeApps, placeLive, type PlacedSchedule } from '../schedules.ts';

function composedName(namespace: string, bucket: string, { backup }: Input): string {
  const template = parseTemplate(backup.schedulesSecret.name, TEMPLATE_NAMES, 'backup.schedulesSecret.name');
  return renderTemplate(template, { namespace, bucket: bucket.toLowerCase() });
}

function referTo(secret: string, { backup }: Pick<Input, 'backup'>): string {
  const { accessKeyIdKey, secretAccessKeyKey } = backup.schedulesSecret;
  return `{name: ${secret}, key: ${accessKeyIdKey}} and {name: ${secret}, key: ${secretAccessKeyKey}}`;
}

function credentialsFixes(secret: string, reference: string): readonly Fix[] {
  return [
    {
      does: `Let the Schedule read the Secret that is composed for its bucket, ${secret}: its two references are ${reference}.`,
    },
  ];
}

function deliverFixes(namespace: string, secret: string): readonly Fix[] {
  return [
    {
      does: `Deliver ${secret} as the app's own Secret (a file *.sops.yaml beside its Schedule, or an ExternalSecret). The repository's password must be the one that it was made with: with another one the backups cannot be read. Never make up a new one for a repository that exists.`,
      commands: [`kubectl -n ${namespace} get secret ${quoteShell(secret)}`],
    },
  ];
}

/** Credentials of the bucket that come from another Secret than the composed one. */
function findOtherCredentials(placed: PlacedSchedule, input: Input): readonly Problem[] {
  const { namespace, schedule, backend, evidence } = placed;
  const secret = composedName(namespace, backend.bucket, input);
  const read = [backend.credentials.id, backend.credentials.secret];
  if (read.every(reference => reference?.name === secret)) return [];
  const names = [...new Set(read.map(reference => reference?.name ?? 'none'))].join(', ');
  return [
    {
      kind: 'broken',
      evidence,
      found: `Schedule ${namespace}/${schedule.name} reads the credentials of ${backend.bucket} from Secret ${names}; composed is ${secret}`,
      fixes: credentialsFixes(secret, referTo(secret, input)),
    },
  ];
}

/** Every other Secret that it names, such as the repository's password. */
function findUndelivered(placed: PlacedSchedule, input: Input, delivered: ReadonlySet<string>): readonly Problem[] {
  const { namespace, schedule, backend, evidence } = placed;
  const composed = composedName(namespace, backend.bucket, input);
  return schedule.secretReferences
    .filter(({ secret }) => secret !== composed && !delivered.has(secret))
    .map(({ secret, path }) => ({
      kind: 'broken',
      evidence,
      found: `Schedule ${namespace}/${schedule.name} reads Secret ${secret} (${path}), which nobody delivers`,
      fixes: deliverFixes(namespace, secret),
    }));
}

const SECRET_SOURCES = new Set(['Secret', 'ExternalSecret', 'SealedSecret']);

function deliveredBy(apps: readonly App[], namespace: string): ReadonlySet<string> {
  const objects = apps.filter(app => app.namespace === namespace).flatMap(app => app.objects);
  return new Set(
    objects
      .filter(({ kind }) => SECRET_SOURCES.has(kind))
      .map(({ name, document }) => {
        const target = readPath(document, 'spec', 'target', 'name');
        return typeof target === 'string' ? target : name;
      }),
  );
}

/** The composed Secret comes once OpenTofu has made the key: until then it is only late. */
function findLate(placed: PlacedSchedule, input: Input, secrets: readonly KubeObject[]): readonly Problem[] {
  const { namespace, schedule, backend, evidence } = placed;
  const name = composedName(namespace, backend.bucket, input);
  const secret = secrets.find(({ metadata }) => metadata.name === name);
  const { accessKeyIdKey, secretAccessKeyKey } = input.backup.schedulesSecret;
  const there = secret === undefined ? [] : keysOf(secret);
  const missing = [accessKeyIdKey, secretAccessKeyKey].filter(key => !there.includes(key));
  if (missing.length === 0) return [];
  return [
    {
      kind: 'broken',
      evidence,
      found:
        secret === undefined
          ? `Schedule ${namespace}/${schedule.name} reads Secret ${name}, which is not there yet: OpenTofu has not made the key`
          : `Schedule ${namespace}/${schedule.name} reads Secret ${name}, which has no key ${missing.join(', ')}`,
      fixes: [
        {
          does: 'Look at `WorkspaceApplied` and `CredentialsDelivered` of the TofuWorkspace: the Secret is composed one reconcile after the key exists.',
          commands: [`kubectl -n ${namespace} describe tofuworkspaces.platform.kueber.eu workspace`],
        },
      ],
    },
  ];
}

export const scheduleSecretNotDelivered: Row = {
  id: 'schedule-secret-not-delivered',
  symptom: 'k8up cannot open the repository',
  seam: 'app ↔ Crossplane',
  happened:
    'The Schedule reads a Secret that nobody delivers, or the credentials of its bucket from another one than is composed',
  lookAt: '`CredentialsDelivered` of the TofuWorkspace; the references of the Schedule',
  fixes: [
    ...credentialsFixes(
      `${BUCKET}-b2`,
      `{name: ${BUCKET}-b2, key: ACCESS_KEY_ID} and {name: ${BUCKET}-b2, key: SECRET_ACCESS_KEY}`,
    ),
    ...deliverFixes(NAMESPACE, 'SECRET'),
  ],
  look: sources => [
    ...inInfra(sources, tree => {
      const apps = parseApps(tree.files, tree.path('k8s/apps'));
      const selected = placeApps(apps, 'Schedule').filter(entry => isSelected(entry, sources.input));
      const { found: schedules, unseen } = findB2Schedules(selected, sources.input);
      return {
        problems: schedules.flatMap(placed => {
          const others = findOtherCredentials(placed, sources.input);
          return [...others, ...findUndelivered(placed, sources.input, deliveredBy(apps, placed.namespace))];
        }),
        unseen,
        looked: `${count(schedules.length, 'Schedule')}, every Secret that they read is composed or delivered`,
      };
    }),
    ...inCluster(sources, ['Schedule', 'Secret'], objects => {
      const selected = objects.Schedule.map(placeLive).filter(entry => isSelected(entry, sources.input));
      const { found: schedules, unseen } = findB2Schedules(selected, sources.input);
      return {
        problems: schedules.flatMap(placed => {
          const secrets = inNamespace(objects.Secret, placed.namespace);
          const others = findOtherCredentials(placed, sources.input);
          const names = new Set(secrets.map(({ metadata }) => metadata.name));
          return [
            ...others,
            ...(others.length > 0 ? [] : findLate(placed, sources.input, secrets)),
            ...findUndelivered(placed, sources.input, names),
          ];
        }),
        unseen,
        looked: `${count(schedules.length, 'Schedule')}, every Secret that they read is there`,
      };
    }),
  ],
};
