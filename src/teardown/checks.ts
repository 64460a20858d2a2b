import { readWorkspace } from '../cluster/workspace.ts';
import { bucketKey } from '../intent/bucket-memory.ts';
import { WORKSPACE_NAME } from '../intent/names.ts';
import { byCodeUnit, nameObject, readCondition, readPath, type KubeObject } from '../kube.ts';
import { CONDITION } from '../report/conditions.ts';
import { readSecretNames } from './holds.ts';
import { generationOf, isPaused, isTerminating } from './objects.ts';
import type { Check, Guarded, Hold, KeyFacts, PlannedBucket } from './plan.ts';
import type { Situation } from './situation.ts';

/** What one check found; `undefined` as fix where there is nothing to do. */
type Finding = Pick<Check, 'verdict' | 'evidence' | 'fix'>;

interface Rule {
  readonly name: string;
  readonly asks: string;
  readonly guards: Guarded;
  readonly find: (situation: Situation, holds: readonly Hold[]) => Finding;
}

function met(...evidence: readonly string[]): Finding {
  return { verdict: 'met', evidence, fix: undefined };
}

function failed(fix: string, ...evidence: readonly string[]): Finding {
  return { verdict: 'failed', evidence, fix };
}

/** In this order: each leans on those before it. */
const RULES: readonly Rule[] = [
  {
    name: 'kinds-read',
    asks: 'everything that this plan leans on could be read',
    guards: 'every way',
    find: ({ unread }) =>
      unread.length === 0
        ? met()
        : {
            verdict: 'unread',
            evidence: unread,
            fix: 'what is not read is not judged, and nothing is planned from it: get the right to list these kinds, or wait for the API server',
          },
  },
  {
    name: 'objects-there',
    asks: 'the namespace has one TofuWorkspace and its Workspace, written by this function, and none of them goes already',
    guards: 'every way',
    find: findObjects,
  },
  { name: 'none-releasing', asks: 'no bucket is being released', guards: 'every way', find: findReleasing },
  {
    name: 'not-paused',
    asks: 'neither the TofuWorkspace nor the Workspace is paused',
    guards: 'destroy',
    find: findPaused,
  },
  {
    name: 'intent-settled',
    asks: 'the function has decided on the TofuWorkspace as it is now',
    guards: 'destroy',
    find: findIntent,
  },
  {
    name: 'workspace-synced',
    asks: 'OpenTofu has applied the Workspace as it is now',
    guards: 'destroy',
    find: findSynced,
  },
  {
    name: 'state-known',
    asks: "OpenTofu's outputs name every bucket that the module speaks of",
    guards: 'destroy',
    find: findOutputs,
  },
  {
    name: 'held-by-usages',
    asks: 'Usages hold everything that the destroy needs',
    guards: 'destroy',
    find: (_situation, holds) => {
      const faults = holds.flatMap(hold => hold.faults.map(fault => `${hold.object}: ${fault}`));
      if (faults.length === 0) return met(`${holds.length} objects, each by a Usage that is Ready`);
      return failed(
        'wait until Crossplane has reconciled the Usages; what they do not hold could go before the destroy',
        ...faults,
      );
    },
  },
  {
    name: 'secrets-there',
    asks: 'every Secret that the Workspace reads is there',
    guards: 'destroy',
    find: findSecrets,
  },
  {
    name: 'claimed-by-nobody-else',
    asks: 'no object of another namespace speaks of these buckets',
    guards: 'buckets',
    find: findClaimed,
  },
  {
    name: 'key-may-delete',
    asks: 'the B2 key may delete these buckets',
    guards: 'buckets',
    find: findKey,
  },
];

/** With a kind unread nothing else is judged: an object that is not seen would look like one that is not there. */
export function judge(situation: Situation, holds: readonly Hold[]): readonly Check[] {
  const rules =
    situation.stage === 'unknown' ? RULES.slice(0, 1) : situation.stage === 'absent' ? RULES.slice(0, 2) : RULES;
  return rules.map(({ find, ...rule }) => ({ ...rule, ...find(situation, holds) }));
}

function findObjects({ sources, objects, faults, protection }: Situation): Finding {
  const { namespace } = sources;
  const { workspace, xr, strangers } = objects;
  if (workspace === undefined)
    return failed(
      'there is nothing here that OpenTofu made: mind the name of the namespace',
      objects.namespace === undefined
        ? `Namespace ${namespace} is not there`
        : `Workspace ${namespace}/${WORKSPACE_NAME} is not there`,
    );
  const going = [objects.namespace, xr, workspace.object].filter(isTerminating);
  if (going.length > 0)
    return failed(
      'functions are not run any more, so no commit changes what its destroy does: the ways below act on the Workspace itself',
      ...going.map(object => `${object === undefined ? '' : nameObject(object)} has been deleted already`),
    );
  const wrong = [
    ...faults,
    ...(xr === undefined ? [`TofuWorkspace ${namespace}/${WORKSPACE_NAME} is not there`] : []),
    ...(protection === undefined
      ? [
          `the module of ${nameObject(workspace.object)} was not written by this version of the function, or an older one`,
        ]
      : []),
    ...strangers.map(stranger => `${nameObject(stranger)} would go with the namespace, and is not part of this plan`),
  ];
  if (wrong.length > 0)
    return failed('look at what is named: this plan speaks only of what this function composes', ...wrong);
  return met(`TofuWorkspace and Workspace ${namespace}/${WORKSPACE_NAME}`);
}

function findReleasing({ xr, memory, outputs, protection, buckets }: Situation): Finding {
  const listed = new Set([...(outputs?.keys() ?? [])].map(bucketKey));
  const evidence = [
    ...buckets.filter(({ state }) => state === 'Releasing').map(({ name }) => `${name}: status.buckets says Releasing`),
    ...[...(memory?.annotated ?? [])]
      .filter(([, state]) => state === 'Releasing')
      .map(([name]) => `${name}: the Workspace's module releases it`),
    ...(xr?.spec.releaseBuckets ?? [])
      .filter(name => listed.has(bucketKey(name)))
      .map(name => `${name}: it is in spec.releaseBuckets and still in OpenTofu's outputs`),
    ...(protection?.forgets === true ? ["the Workspace's module has removed blocks"] : []),
  ];
  if (evidence.length === 0) return met();
  return failed(
    'delete nothing until status.buckets shows it as Released: it has left the block that protects it, and "tofu destroy" ignores removed blocks',
    ...new Set(evidence),
  );
}

function findPaused({ objects }: Situation): Finding {
  const paused = [objects.xr, objects.workspace?.object].filter(object => object !== undefined).filter(isPaused);
  if (paused.length === 0) return met();
  return failed(
    'go on with the runbook that paused it (docs/runbooks/pause.md): a paused object is neither reconciled nor deleted',
    ...paused.map(object => `${nameObject(object)} has the annotation crossplane.io/paused`),
  );
}

function findIntent({ objects: { xr } }: Situation): Finding {
  if (xr === undefined) return failed('there must be a TofuWorkspace', 'there is none');
  const settled = readCondition(xr, CONDITION.intent);
  const [generation, decided] = [generationOf(xr), readDecided(xr)];
  const evidence = [
    settled === undefined
      ? `no condition ${CONDITION.intent}`
      : `${CONDITION.intent} ${settled.status} (${settled.reason})`,
    `status.observedGeneration ${decided ?? 'is missing'}, metadata.generation ${generation ?? 'is missing'}`,
  ];
  if (settled?.status === 'True' && (generation === undefined || decided === generation)) return met(...evidence);
  return failed('see the condition: until it is True for this generation, what was applied last stays', ...evidence);
}

function readDecided(xr: KubeObject): number | undefined {
  const decided = readPath(xr, 'status', 'observedGeneration');
  return typeof decided === 'number' ? decided : undefined;
}

function findSynced({ objects }: Situation): Finding {
  const { workspace, xr } = objects;
  if (workspace === undefined) return failed('there must be a Workspace', 'there is none');
  const synced = readCondition(workspace.object, 'Synced');
  const generation = generationOf(workspace.object);
  const ofGeneration =
    synced?.observedGeneration === undefined
      ? 'of a generation that the provider does not name: it may speak of the module before'
      : `of generation ${synced.observedGeneration}`;
  const says =
    synced === undefined ? 'no condition Synced' : `Synced ${synced.status} (${synced.reason}) ${ofGeneration}`;
  const evidence = `${says}, metadata.generation ${generation ?? 'is missing'}`;
  if (readWorkspace(workspace.object).synced) return met(evidence);
  const hint = xr && readCondition(xr, CONDITION.workspace);
  return failed(
    'see WorkspaceApplied of the TofuWorkspace and docs/debugging-a-workspace.md: a destroy would fail as this does',
    evidence,
    // Ours: it never repeats what the provider says.
    ...(hint === undefined || hint.status === 'True' ? [] : [`${CONDITION.workspace} ${hint.reason}: ${hint.message}`]),
  );
}

function findOutputs({ outputs, memory, known, xr, faults, buckets }: Situation): Finding {
  if (outputs === undefined)
    return failed(
      'nobody knows which buckets the state holds until OpenTofu has applied once and said so',
      ...(faults.length > 0 ? faults : ['status.atProvider.outputs.buckets is missing']),
    );
  const listed = new Set([...outputs.keys()].map(bucketKey));
  const missing = [...(memory?.annotated ?? [])].filter(([name]) => !listed.has(bucketKey(name))).map(([name]) => name);
  const adopted = (xr?.spec.adoptBuckets ?? [])
    .map(({ bucket }) => bucket)
    .filter(name => !listed.has(bucketKey(name)));
  const evidence = [
    ...missing.map(name => `${name}: in the module, and not in the output buckets`),
    ...adopted.map(name => `${name}: in spec.adoptBuckets, and not imported`),
    ...[...(known?.unmoved ?? [])].map(key => `${key}: in spec.movedFrom, and not moved yet`),
  ];
  if (evidence.length > 0)
    return failed(
      'wait until OpenTofu has applied what is asked for; a bucket that is not in the outputs may be in the state',
      ...new Set(evidence),
    );
  return met(
    `status.atProvider.outputs.buckets lists ${buckets.length === 0 ? 'none' : [...outputs.keys()].sort(byCodeUnit).join(', ')}`,
  );
}

function findSecrets({ objects, sources }: Situation): Finding {
  const names = readSecretNames(objects);
  if (sources.origin !== 'api' && objects.secrets.length === 0)
    return {
      verdict: 'unchecked',
      evidence: ['the documents hold no Secret of this namespace'],
      fix: `look whether these are there: ${names.join(', ')}`,
    };
  const there = new Set(objects.secrets.map(({ metadata }) => metadata.name));
  const missing = names.filter(name => !there.has(name));
  if (missing.length === 0) return met(names.join(', '));
  return failed(
    'put them back: without them the provider connects to nothing',
    ...missing.map(name => `Secret ${name} is not there`),
  );
}

function findClaimed({ sources, claims: { claims, doubts, unknown }, buckets }: Situation): Finding {
  if (buckets.length === 0) return met('the state holds no bucket');
  if (sources.origin === 'some documents')
    return {
      verdict: 'unread',
      evidence: ['the documents may be of this namespace alone'],
      fix: 'say --all-namespaces where they hold every Workspace, TofuWorkspace and Schedule of the cluster, or give a kubeconfig',
    };
  if (claims.length + doubts.length > 0)
    return failed(
      'two owners of one bucket: settle whose it is before anybody empties it (docs/runbooks/adopt-bucket.md)',
      ...claims.map(({ bucket, by, where }) => `${bucket}: ${by} (${where})`),
      ...doubts,
    );
  return met(...unknown.map(object => `not known of ${object}`));
}

function findKey({ sources: { key }, objects, buckets }: Situation): Finding {
  if (buckets.length === 0) return met('the state holds no bucket');
  const secret = readKeySecret(objects.workspace?.object);
  switch (key.kind) {
    case 'unchecked':
      return {
        verdict: 'unchecked',
        evidence: ['B2 was not asked'],
        fix: `--check-b2 asks it, with B2_APPLICATION_KEY_ID and B2_APPLICATION_KEY set to what ${secret} holds`,
      };
    case 'unread':
      return { verdict: 'unread', evidence: [key.reason], fix: 'try again, or leave --check-b2 out and look yourself' };
    case 'checked':
      return judgeKey(key, buckets, secret);
  }
}

function judgeKey(
  key: Extract<KeyFacts, { kind: 'checked' }>,
  buckets: readonly PlannedBucket[],
  secret: string,
): Finding {
  const outside = buckets.filter(({ id }) => id !== undefined && key.restrictedTo?.has(id) === false);
  const faults = [
    ...(key.capabilities.has('deleteBuckets') ? [] : ['it lacks deleteBuckets']),
    ...outside.map(({ name }) => `it is restricted to other buckets than ${name}`),
  ].map(fault => `${fault}, according to ${key.source}`);
  if (faults.length === 0)
    return met(`it has deleteBuckets, according to ${key.source}; whether ${secret} holds this key is not known here`);
  return failed(
    `on purpose, most likely. Keep the buckets; or deliver a key with deleteBuckets in ${secret} for the teardown; or delete each bucket by hand after the last commit, not before it (docs/runbooks/teardown.md)`,
    ...faults,
  );
}

/** Where the key comes from that OpenTofu deletes with. */
function readKeySecret(workspace: KubeObject | undefined): string {
  const env = readPath(workspace, 'spec', 'forProvider', 'env');
  const variable: unknown = Array.isArray(env)
    ? env.find(entry => readPath(entry, 'name') === 'B2_APPLICATION_KEY_ID')
    : undefined;
  const secret = readPath(variable, 'secretKeyRef', 'name');
  return typeof secret === 'string' ? `Secret ${secret}` : 'the B2 Secret';
}
