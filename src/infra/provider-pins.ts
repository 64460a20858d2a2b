/** Which provider versions a root or module of OpenTofu pins: `required_providers` in its versions.tf. */
import type { Place, SourceFile } from './finding.ts';
import { parseHclFile } from './hcl-file.ts';

export interface ProviderPin extends Place {
  /** As written; OpenTofu compares sources without case. */
  readonly source: string;
  readonly version: string;
}

/** @throws Error with file and line where an entry is not literal */
export function parseProviderPins(source: SourceFile): readonly ProviderPin[] {
  const { file } = source;
  return parseHclFile(source)
    .filter(({ type }) => type === 'terraform')
    .flatMap(({ blocks }) => blocks)
    .filter(({ type }) => type === 'required_providers')
    .flatMap(({ attributes }) => [...attributes])
    .map(([name, value]) => {
      const [from, version] = ['source', 'version'].map(key =>
        value.kind === 'object' ? value.entries.get(key) : undefined,
      );
      if (from?.kind !== 'string' || version?.kind !== 'string')
        throw new Error(`${file}:${value.line}: ${name}: expected a literal source and version`);
      return { file, line: version.line, source: from.value, version: version.value };
    });
}
