/**
 * Which top-level blocks an extra text may have. A list of what is allowed, not of what is forbidden: `terraform`,
 * `moved`, `removed`, `import`, `module`, `variable`, `check` and what OpenTofu will know one day can move, forget or
 * hide what our own blocks protect.
 */
import { FieldError, quoteShort } from '../errors.ts';
import { isIdentifier } from '../hcl/identifier.ts';
import { scanStructure, type ScannedBlock } from '../hcl/scan.ts';

/** What every name in extra text starts with, so that it can be none of ours. */
export const EXTRA_PREFIX = 'extra_';

export interface ProviderNames {
  /** Those that have a block of ours: resources may use them, no second block may. */
  readonly own: ReadonlySet<string>;
  readonly extra: ReadonlySet<string>;
}

/**
 * Checks a text that parse-template has made whole.
 *
 * @returns addresses that it declares, such as `random_pet.extra_a`, `output.extra_b`
 * @throws FieldError
 */
export function checkExtraText(text: string, providers: ProviderNames, path: string): readonly string[] {
  const scan = scanStructure(text);
  const refuse = refuser(path);
  if (!scan.complete) return refuse('HCL that can be read whole', 'text that breaks off or is no HCL');
  const [attribute] = scan.attributes.keys();
  if (attribute !== undefined) return refuse('blocks alone at the top level', `the argument ${quoteShort(attribute)}`);
  return scan.blocks.flatMap(block => checkBlock(block, { providers, path }));
}

interface Rules {
  readonly providers: ProviderNames;
  readonly path: string;
}

type Refuse = (expected: string, words: string) => never;

function refuser(path: string): Refuse {
  return (expected, words) => {
    throw new FieldError(path, expected, { words });
  };
}

function checkBlock(block: ScannedBlock, { providers, path }: Rules): readonly string[] {
  const refuse = refuser(path);
  switch (block.type) {
    case 'resource':
      checkResource(block, { providers, path });
      return [block.labels.join('.')];
    case 'data':
      checkLabels(block, 2, path);
      checkProvider(block, { providers, path });
      return [['data', ...block.labels].join('.')];
    case 'output':
      return [['output', ...checkLabels(block, 1, path)].join('.')];
    case 'locals':
      return checkLocals(block, path);
    case 'provider':
      if (block.labels.length === 1 && providers.extra.has(block.labels[0] ?? '')) return [];
      return refuse('provider blocks of providers.extra alone', header(block));
    default:
      return refuse('blocks of type resource, data, output, locals and provider alone', header(block));
  }
}

function checkResource(block: ScannedBlock, rules: Rules): void {
  const refuse = refuser(rules.path);
  const [type = ''] = checkLabels(block, 2, rules.path);
  if (type.toLowerCase() === 'b2_bucket')
    refuse('no b2_bucket, because nothing would protect it: buckets come from Schedules', header(block));
  const runs = block.blocks.find(({ type: nested }) => nested === 'provisioner' || nested === 'connection');
  if (runs !== undefined)
    refuse(
      'no provisioner, because it runs commands beside every credential, and what is escaped for HCL is not for a shell',
      `${runs.type} in ${header(block)}`,
    );
  checkProvider(block, rules);
}

/** Labels, the last of which is a name of the extra module's. */
function checkLabels(block: ScannedBlock, count: number, path: string): readonly string[] {
  const refuse = refuser(path);
  const { labels } = block;
  if (labels.length !== count || !labels.every(isIdentifier))
    refuse(`${block.type} blocks with ${count === 1 ? 'one name' : 'a type and a name'}`, header(block));
  checkName(labels.at(-1) ?? '', header(block), path);
  return labels;
}

function checkName(name: string, where: string, path: string): void {
  if (!name.startsWith(EXTRA_PREFIX) || name === EXTRA_PREFIX)
    refuser(path)(`names that start with ${EXTRA_PREFIX}, so that they are none of the function's own`, where);
}

function checkLocals(block: ScannedBlock, path: string): readonly string[] {
  const refuse = refuser(path);
  if (block.labels.length > 0 || block.blocks.length > 0) refuse('locals without labels and blocks', header(block));
  return [...block.attributes.keys()].map(name => {
    checkName(name, `locals { ${name} }`, path);
    return `local.${name}`;
  });
}

const PROVIDER_REFERENCE = /^([A-Za-z][A-Za-z0-9-]*)(\.[A-Za-z_][A-Za-z0-9_-]*)?$/;

/** A provider that is not required is one that OpenTofu picks by itself, in whatever version. */
function checkProvider(block: ScannedBlock, { providers, path }: Rules): void {
  const given = block.expressions.get('provider');
  const name = given === undefined ? block.labels[0]?.split('_')[0] : PROVIDER_REFERENCE.exec(given)?.[1];
  if (name !== undefined && (providers.own.has(name) || providers.extra.has(name))) return;
  const all = [...providers.own, ...providers.extra].sort().join(', ');
  refuser(path)(
    `resources of the providers ${all} (name others in providers.extra)`,
    `${given === undefined ? '' : `provider = ${quoteShort(given)} in `}${header(block)}`,
  );
}

function header({ type, labels }: ScannedBlock): string {
  return [type, ...labels.map(label => quoteShort(label))].join(' ');
}
