import { parseArgs } from 'node:util';
import { B2Account, B2Error } from '../b2/client.ts';
import { NAMESPACE_KINDS } from '../teardown/objects.ts';
import { planTeardown } from '../teardown/plan-teardown.ts';
import { isAgainst, type KeyFacts, type TeardownSources } from '../teardown/plan.ts';
import { B2_FLAGS, B2_USAGE, readB2Access } from './b2-access.ts';
import { NAMESPACE_FLAGS, NAMESPACE_USAGE, readNamespaceObjects, requireNamespace } from './namespace-objects.ts';
import type { Command } from './command.ts';
import { parseFlags } from './flags.ts';
import { printTeardown } from './print-teardown.ts';
import { UsageError } from './usage-error.ts';

const FLAGS = {
  ...NAMESPACE_FLAGS,
  ...B2_FLAGS,
  'check-b2': { type: 'boolean' },
  'b2-capabilities': { type: 'string' },
  json: { type: 'boolean' },
} as const;

export const teardown: Command = {
  usage: `<namespace> [flags]

Says how one namespace is unwound, from what is live: which buckets its state knows, what
holds what, in which order it goes, what stands against it, and what to commit. The way
that keeps the buckets comes first. It changes nothing: the cluster and B2 get GET requests
and no others.

${NAMESPACE_USAGE}
  --check-b2              ask B2 what the key in B2_APPLICATION_KEY_ID and B2_APPLICATION_KEY
                          may do, and which buckets hold files
  --b2-capabilities LIST  what the key may do, without asking: deleteBuckets,listBuckets,…
${B2_USAGE}
  --json                  for machines

For --objects: kubectl get namespaces,tofuworkspaces.platform.kueber.eu,\\
schedules.k8up.io,usages.protection.crossplane.io,workspaces.opentofu.m.upbound.io,\\
providerconfigs.opentofu.m.upbound.io,providerconfigusages.opentofu.m.upbound.io -A -o yaml
Without Secrets, whether they are there is not checked; their values are never looked at.

Exit codes: 0 nothing stands against it, 1 refused (a check is not met), 2 wrong usage or
unreadable files.
`,
  async run(args) {
    const { values, positionals } = parseFlags(1, () =>
      parseArgs({ args: [...args], options: FLAGS, allowPositionals: true }),
    );
    const namespace = requireNamespace(positionals[0]);
    const given = readGivenKey(values['b2-capabilities'], values['check-b2'] === true);
    const access = values['check-b2'] === true ? readB2Access(values) : undefined;
    const objects = await readNamespaceObjects(values, namespace, NAMESPACE_KINDS);
    const sources: TeardownSources = { namespace, ...objects, key: given, holdsFiles: new Map() };
    const plan = planTeardown(access === undefined ? sources : await askB2(sources, () => B2Account.authorize(access)));
    process.stdout.write(values.json === true ? `${JSON.stringify(plan, undefined, 2)}\n` : printTeardown(plan));
    if (!plan.refused) return 0;
    const names = plan.checks.filter(isAgainst).map(({ name }) => name);
    process.stderr.write(`refused: ${names.join(', ')}\n`);
    return 1;
  },
};

/** @throws UsageError */
function readGivenKey(list: string | undefined, isAsked: boolean): KeyFacts {
  if (list === undefined) return { kind: 'unchecked' };
  if (isAsked) throw new UsageError('--check-b2 asks what --b2-capabilities says: give one of them');
  const capabilities = list.split(',').map(name => name.trim());
  const wrong = capabilities.find(name => !/^[A-Za-z]+$/.test(name));
  if (wrong !== undefined)
    throw new UsageError(`--b2-capabilities: expected names with commas between, got ${JSON.stringify(wrong)}`);
  return { kind: 'checked', source: '--b2-capabilities', capabilities: new Set(capabilities), restrictedTo: undefined };
}

/** What B2 says of the key, and of each bucket whether it holds files. */
async function askB2(sources: TeardownSources, authorize: () => Promise<B2Account>): Promise<TeardownSources> {
  try {
    const account = await authorize();
    const { capabilities, restrictedTo } = account.authorization;
    const ids = planTeardown(sources).buckets.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const holdsFiles = new Map<string, boolean>();
    for (const id of ids) {
      const holds = await lookInto(account, id);
      if (holds !== undefined) holdsFiles.set(id, holds);
    }
    return { ...sources, key: { kind: 'checked', source: 'B2', capabilities, restrictedTo }, holdsFiles };
  } catch (error) {
    if (!(error instanceof B2Error)) throw error;
    return { ...sources, key: { kind: 'unread', reason: error.message } };
  }
}

/** undefined where it can't be told: the plan says so, and nothing depends on it. */
async function lookInto(account: B2Account, id: string): Promise<boolean | undefined> {
  try {
    return await account.holdsFiles(id);
  } catch (error) {
    if (!(error instanceof B2Error)) throw error;
    process.stderr.write(`bucket ${id}: not looked into: ${error.message}\n`);
    return undefined;
  }
}
