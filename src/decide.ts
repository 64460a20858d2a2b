/**
 * The story: from what one call tells us to what we answer. Pure and synchronous.
 *
 *   1 parse Input and XR                 a fault refuses
 *   2 name the requirements              the same on every answer
 *   3 wait until all are answered        absent is not empty
 *   4 read Schedules, routes, Namespace  doubt about a bucket refuses, doubt about DNS does not
 *   5 derive the intent                  what is remembered stays, what exists is guarded
 *   6 build and print the two texts    extra modules checked and appended
 *   7 compose the objects                under the keys they have
 *   8 report
 */
import { parseDuration } from './api/duration.ts';
import { parseInput, type Input } from './api/input.ts';
import { parseTofuWorkspace, type TofuWorkspace } from './api/tofu-workspace.ts';
import { readAppObjects, type AppObjects } from './cluster/app-objects.ts';
import { readExisting, type Existing } from './cluster/existing.ts';
import { deriveRequirements } from './cluster/requirements.ts';
import { composeObjects } from './compose/compose.ts';
import { assignKeys } from './compose/keys.ts';
import { composeProjection, isOurs } from './compose/projection.ts';
import type { Decision, Refused, Requirement, Settled, Waiting } from './decision.ts';
import { DoubtError, isDocumentError, isDoubtError, isFieldError } from './errors.ts';
import { print } from './hcl/print.ts';
import { deriveIntent } from './intent/derive-intent.ts';
import type { Intent } from './intent/intent.ts';
import { parseKubeObject, readPath, type KubeObject } from './kube.ts';
import type { Observation } from './observation.ts';
import { reportRefused, reportWaiting } from './report/conditions.ts';
import { reportReady } from './report/readiness.ts';
import { reportIntent } from './report/settled.ts';
import { readOwnStatus } from './report/status.ts';
import { printExtraModules } from './tofu/extra-module.ts';
import { readLayout } from './tofu/marker.ts';
import { buildProviderConfiguration } from './tofu/provider-configuration.ts';
import { buildRootModule } from './tofu/root-module.ts';

type Requirements = ReadonlyMap<string, Requirement>;

/** What users give us, parsed, and what it makes us require. */
export interface Parsed {
  readonly input: Input;
  readonly xr: TofuWorkspace;
  readonly requirements: Requirements;
}

/** Decides one call. Throws only what no user can cause; {@link refuseUnexpected} answers that. */
export function decide(observation: Observation): Decision {
  try {
    const parsed = parse(observation);
    refuseOldCore(observation);
    const missing = [...parsed.requirements.keys()].filter(key => !observation.required.has(key));
    return missing.length > 0 ? wait(observation, parsed, missing) : settle(observation, parsed);
  } catch (error) {
    if (!isDocumentError(error) && !isFieldError(error) && !isDoubtError(error)) throw error;
    return refuse(observation, isDoubtError(error) ? error.reason : 'InvalidDocument', error.message);
  }
}

/** The answer to a fault of ours: Fatal, so that what was last applied stays, with the requirements on it. */
export function refuseUnexpected(observation: Observation): Refused {
  return refuse(observation, 'InternalError', 'the function failed on this request; its log has the reason');
}

/**
 * Steps 1 and 2.
 * @throws DocumentError | FieldError
 */
export function parse(observation: Observation): Parsed {
  const input = parseInput(observation.input);
  const xr = parseTofuWorkspace(observation.composite);
  return { input, xr, requirements: deriveInputRequirements(input, xr.namespace) };
}

/** What was read and what follows from it, before anything is composed. */
export interface Considered {
  readonly app: AppObjects;
  readonly existing: Existing;
  readonly intent: Intent;
  readonly bucketsKnown: boolean;
  readonly unknownReleases: readonly string[];
  readonly delayedReleases: readonly string[];
}

/**
 * Steps 4 and 5, for those who want to know why.
 * @throws DocumentError | FieldError | DoubtError what {@link decide} refuses
 */
export function consider(observation: Observation, { input, xr, requirements }: Parsed): Considered {
  const app = readAppObjects(requirements, observation.required, {
    b2Hosts: input.backup.endpoints,
    zones: input.dns?.zones ?? [],
    namespaceLabels: input.namespaceLabels,
  });
  const existing = readExisting(observation.observed, xr.namespace, xr.name);
  const layout = readLayout(existing.workspace?.module ?? '');
  return { app, existing, ...deriveIntent({ input, xr, app, existing, layout }) };
}

function settle(observation: Observation, parsed: Parsed): Settled {
  const { input, xr, requirements } = parsed;
  const { app, bucketsKnown, existing, intent, ...releases } = consider(observation, parsed);
  const texts = {
    module: print(buildRootModule(intent)) + printExtraModules(intent),
    configuration: print(buildProviderConfiguration(intent)),
  };
  const { objects, credentials } = composeObjects({
    intent,
    bucketsKnown,
    input,
    texts,
    schedules: app.schedules,
    existing,
    desired: readDesired(observation),
  });
  return {
    kind: 'settled',
    requirements,
    ttlSeconds: parseDuration(input.ttl),
    resources: new Map(
      [...objects].map(([key, object]) => [
        key,
        { object, ready: reportReady(object.kind, existing.objects.get(key)) },
      ]),
    ),
    ...reportIntent({ input, xr, app, intent, ...releases, credentials, workspace: existing.workspace }),
  };
}

/**
 * What exists of ours is desired as it is: were this answer applied, nothing would change (invariant 1).
 * @throws DoubtError where an earlier step desires a key or an object of ours: passed on, its answer would replace ours
 */
function wait(observation: Observation, { xr, requirements }: Parsed, missing: readonly string[]): Waiting {
  const existing = readExisting(observation.observed, xr.namespace, xr.name);
  const ours = [...existing.objects]
    .filter(
      ([key, object]) =>
        isOurs(object, xr.namespace, xr.name) || (existing.strangers.includes(key) && !observation.desired.has(key)),
    )
    .map(([key, object]) => ({ key, object: composeProjection(object) }));
  return {
    kind: 'waiting',
    requirements,
    resources: new Map(
      [...assignKeys(ours, existing.objects, readDesired(observation))].map(([key, object]) => [
        key,
        { object, ready: reportReady(object.kind, existing.objects.get(key)) },
      ]),
    ),
    status: readOwnStatus(observation.composite),
    conditions: [reportWaiting(missing)],
    warnings: [],
  };
}

function refuse(observation: Observation, reason: string, message: string): Refused {
  return {
    kind: 'refused',
    requirements: requirementsOf(observation),
    conditions: [reportRefused(reason, message)],
    warnings: [],
    fatal: message,
  };
}

/**
 * What we require, told from the Input and the XR's namespace alone, so that a fault elsewhere does not
 * change it. With neither readable there is nothing to ask for: without a namespace it would be all of them.
 */
function requirementsOf(observation: Observation): Requirements {
  try {
    const input = parseInput(observation.input);
    const namespace = readPath(observation.composite, 'metadata', 'namespace');
    if (typeof namespace !== 'string' || namespace === '') return new Map();
    return deriveInputRequirements(input, namespace);
  } catch (error) {
    if (isDocumentError(error)) return new Map();
    throw error;
  }
}

function deriveInputRequirements(input: Input, namespace: string): Requirements {
  return deriveRequirements(namespace, input.selector.matchLabels, input.dns !== undefined);
}

function refuseOldCore({ capabilities }: Observation): void {
  if (capabilities.has('capabilities') && !capabilities.has('required-resources'))
    throw new DoubtError(
      'CrossplaneTooOld',
      'this Crossplane does not answer requirements.resources: Crossplane v2.0 or newer is needed',
    );
}

/** Objects of earlier steps; one without a readable identity can't be one of ours. */
function readDesired({ desired }: Observation): ReadonlyMap<string, KubeObject> {
  const objects = new Map<string, KubeObject>();
  for (const [key, value] of desired) objects.set(key, readDesiredObject(value));
  return objects;
}

/** An earlier step may leave the name to core; the key still counts as taken. */
function readDesiredObject(value: unknown): KubeObject {
  try {
    return parseKubeObject(value);
  } catch (error) {
    if (!isFieldError(error)) throw error;
    return { apiVersion: '', kind: 'object', metadata: { name: 'without a name' } };
  }
}
