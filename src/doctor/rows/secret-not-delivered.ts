import type { Input } from '../../api/input.ts';
import { readCondition, readPath, type KubeObject } from '../../kube.ts';
import { compareSecrets, compareSelectors, type NeededSecret } from '../../infra/seams.ts';
import { parseDeliveredSecrets, parseStoreConditions } from '../../infra/secret-delivery.ts';
import { NAMESPACE, quoteShell } from '../commands.ts';
import { count, inCluster, inInfra } from '../look.ts';
import { isBeingDeleted, keysOf, namespaceOf } from '../namespaces.ts';
import { ofObject, ofPlace, type Fix, type Problem, type Row } from '../row.ts';
import { findNeededSecrets } from '../secret-references.ts';

const DELIVERY = 'k8s/platform/configs/talos/external-secrets/delivery.yaml';
const STORE = 'k8s/platform/configs/talos/external-secrets/store.yaml';

function fixesFor(namespace: string, secret: string): readonly Fix[] {
  return [
    {
      does: `See what External Secrets says of ${secret}, and whether its store has the value and the key. Put right what it names; the Workspace goes on by itself.`,
      commands: [
        `kubectl -n ${namespace} describe externalsecret ${quoteShell(secret)}`,
        `kubectl describe clusterexternalsecret ${quoteShell(secret)}`,
      ],
    },
    {
      does: 'The value of the state passphrase must be the one that wrote the state: with another one nothing can be read. Never make up a new one.',
    },
  ];
}

/** What the Input makes every Workspace read. */
function readNeeded({ state, backup, dns }: Input): readonly NeededSecret[] {
  const { encryption, credentialsSecretRef: s3 } = state;
  const b2 = backup.credentialsSecretRef;
  const previous = encryption.previousSecretRef;
  return [
    { name: s3.name, keys: [s3.accessKeyIdKey, s3.secretAccessKeyKey] },
    { name: encryption.secretRef.name, keys: [encryption.secretRef.key] },
    ...(previous === undefined ? [] : [{ name: previous.name, keys: [previous.key] }]),
    { name: b2.name, keys: [b2.applicationKeyIdKey, b2.applicationKeyKey] },
    ...(dns === undefined ? [] : [{ name: dns.tokenSecretRef.name, keys: [dns.tokenSecretRef.key] }]),
  ];
}

interface Cluster {
  readonly secrets: readonly KubeObject[];
  readonly external: readonly KubeObject[];
}

function findMissing(reader: KubeObject, needed: readonly NeededSecret[], cluster: Cluster): readonly Problem[] {
  const namespace = namespaceOf(reader);
  const here = (object: KubeObject): boolean => namespaceOf(object) === namespace;
  return needed.flatMap(({ name, keys }) => {
    const secret = cluster.secrets.find(object => here(object) && object.metadata.name === name);
    const missing = secret === undefined ? keys : keys.filter(key => !keysOf(secret).includes(key));
    if (secret !== undefined && missing.length === 0) return [];
    const delivery = cluster.external.find(object => here(object) && targetOf(object) === name);
    const problem: Problem = {
      kind: 'broken',
      evidence: ofObject(reader),
      found: `${secret === undefined ? `Secret ${name} is not in ${namespace}` : `Secret ${name} has no key ${missing.join(', ')}`}; ${explainDelivery(delivery)}`,
      fixes: fixesFor(namespace, name),
    };
    return [problem];
  });
}

function targetOf(external: KubeObject): string {
  const target = readPath(external, 'spec', 'target', 'name');
  return typeof target === 'string' ? target : external.metadata.name;
}

/** Reason only: a message of External Secrets may quote what a store answered. */
function explainDelivery(external: KubeObject | undefined): string {
  if (external === undefined) return 'no ExternalSecret delivers it';
  const ready = readCondition(external, 'Ready');
  if (ready === undefined) return `ExternalSecret ${external.metadata.name} has not run yet`;
  return `ExternalSecret ${external.metadata.name} is Ready ${ready.status}, ${ready.reason}`;
}

/** A Workspace says what it reads; a TofuWorkspace that has none yet will read what the Input says. */
function readersOf(
  objects: Readonly<Record<'TofuWorkspace' | 'Workspace' | 'ProviderConfig', readonly KubeObject[]>>,
  input: Input,
): readonly (readonly [KubeObject, readonly NeededSecret[]])[] {
  const withWorkspace = new Set(objects.Workspace.map(namespaceOf));
  return [
    ...objects.Workspace.map(workspace => {
      const configs = objects.ProviderConfig.filter(config => namespaceOf(config) === namespaceOf(workspace));
      return [workspace, findNeededSecrets(...[workspace, ...configs].map(({ spec }) => spec))] as const;
    }),
    ...objects.TofuWorkspace.filter(xr => !withWorkspace.has(namespaceOf(xr)) && !isBeingDeleted(xr)).map(
      xr => [xr, readNeeded(input)] as const,
    ),
  ];
}

export const secretNotDelivered: Row = {
  id: 'secret-not-delivered',
  symptom: 'Every run of a Workspace fails: a Secret, or a key of it, is not found',
  seam: 'Flux ↔ Crossplane',
  happened: 'A Secret that the Workspace reads was not delivered to its namespace, or lacks a key',
  lookAt: 'ExternalSecret and Secret of that name in the namespace; the ClusterExternalSecret and its store',
  fixes: fixesFor(NAMESPACE, 'SECRET'),
  look: sources => [
    ...inInfra(sources, tree => {
      const needed = readNeeded(sources.input);
      const source = tree.file(DELIVERY);
      const delivered = parseDeliveredSecrets(source);
      const selectors = [...delivered, ...parseStoreConditions(tree.file(STORE))];
      const findings = [
        ...compareSecrets(delivered, needed, source.file),
        ...selectors.flatMap(entry => compareSelectors(entry, sources.input.namespaceLabels)),
      ];
      return {
        problems: findings.map(finding => ({
          kind: 'broken',
          evidence: ofPlace(finding),
          found: finding.message,
          fixes: [
            {
              does: "Let the delivery and the Composition's Input name the same Secret, the same keys and the same labels; then commit.",
            },
          ],
        })),
        looked: `${count(needed.length, 'Secret')} of the Input, all delivered with every key`,
      };
    }),
    ...inCluster(sources, ['TofuWorkspace', 'Workspace', 'ProviderConfig', 'Secret', 'ExternalSecret'], objects => {
      const readers = readersOf(objects, sources.input);
      const cluster = { secrets: objects.Secret, external: objects.ExternalSecret };
      return {
        problems: readers.flatMap(([reader, needed]) => findMissing(reader, needed, cluster)),
        looked: `what ${count(readers.length, 'Workspace')} read is there`,
      };
    }),
  ],
};
