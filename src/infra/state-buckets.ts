/** The buckets that environment/tofu makes: `minio_s3_bucket` blocks, by name or by `for_each` over a map of names. */
import type { Place, SourceFile } from './finding.ts';
import { parseHclFile, type HclBlock, type HclValue } from './hcl-file.ts';

export interface StateBucket extends Place {
  readonly name: string;
}

/** @throws Error with file and line where a bucket's name cannot be read */
export function parseStateBuckets(source: SourceFile): readonly StateBucket[] {
  const { file } = source;
  const blocks = parseHclFile(source);
  const names = (value: HclValue | undefined): readonly HclValue[] => {
    if (value?.kind === 'object') return [...value.entries.values()];
    return value?.kind === 'expression' ? names(findLocal(blocks, value.text)) : [];
  };
  return blocks
    .filter(({ type, labels }) => type === 'resource' && labels[0] === 'minio_s3_bucket')
    .flatMap(({ attributes, line }) => {
      const bucket = attributes.get('bucket');
      const found = bucket?.kind === 'string' ? [bucket] : names(attributes.get('for_each'));
      if (found.length === 0) throw new Error(`${file}:${line}: expected buckets with literal names`);
      return found.map(value => {
        if (value.kind !== 'string') throw new Error(`${file}:${value.line}: expected a literal name of a bucket`);
        return { file, line: value.line, name: value.value };
      });
    });
}

/** The value of `local.NAME`. */
function findLocal(blocks: readonly HclBlock[], expression: string): HclValue | undefined {
  const name = /^local\.([\w-]+)$/.exec(expression)?.[1];
  const locals = blocks.filter(({ type }) => type === 'locals');
  return name === undefined ? undefined : locals.map(({ attributes }) => attributes.get(name)).find(Boolean);
}
