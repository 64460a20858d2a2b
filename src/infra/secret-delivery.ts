/** What External Secrets delivers where: ClusterExternalSecrets, and the store that they read. */
import type { Place, SourceFile } from './finding.ts';
import { readStrings } from './read-strings.ts';
import { parseYamlDocuments, type YamlNode } from './yaml-file.ts';

export interface DeliveredSecret extends Place {
  readonly name: string;
  readonly keys: readonly string[];
  /** Labels of the namespaces that get it; any one of these sets. */
  readonly selectors: readonly Readonly<Record<string, string>>[];
}

/** @throws Error with file and line where the text is not YAML */
export function parseDeliveredSecrets(source: SourceFile): readonly DeliveredSecret[] {
  return ofKind(source, 'ClusterExternalSecret').map(document => {
    const spec = document.get('spec');
    const secret = spec?.get('externalSecretSpec');
    const text = (node: YamlNode | undefined): string => (typeof node?.value === 'string' ? node.value : '');
    return {
      file: source.file,
      line: document.line,
      name: text(secret?.get('target')?.get('name') ?? spec?.get('externalSecretName')),
      keys: (secret?.get('data')?.items() ?? []).map(item => text(item.get('secretKey'))),
      selectors: readSelectors(spec?.get('namespaceSelectors')?.items() ?? []),
    };
  });
}

/** The labels by which each store lets a namespace use it. @throws Error with file and line where the text is not YAML */
export function parseStoreConditions(
  source: SourceFile,
): readonly (Place & { readonly selectors: DeliveredSecret['selectors'] })[] {
  return ofKind(source, 'ClusterSecretStore').map(document => {
    const conditions = document.get('spec')?.get('conditions')?.items() ?? [];
    const selectors = conditions.flatMap(condition => condition.get('namespaceSelector') ?? []);
    return { file: source.file, line: document.line, selectors: readSelectors(selectors) };
  });
}

function ofKind(source: SourceFile, kind: string): readonly YamlNode[] {
  return parseYamlDocuments(source).filter(document => document.get('kind')?.value === kind);
}

function readSelectors(nodes: readonly YamlNode[]): DeliveredSecret['selectors'] {
  return nodes.map(node => readStrings(node.get('matchLabels')));
}
