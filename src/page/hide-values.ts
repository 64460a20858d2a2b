import { isRecord, type KubeObject } from '../kube.ts';

const HIDDEN = '<hidden>';

/** What may be shown of an object. Of a Secret that is who it is and which keys it has: values may hide anywhere else. */
export function hideValues(object: KubeObject): Readonly<Record<string, unknown>> {
  if (object.kind !== 'Secret') return object;
  const { name, namespace, labels } = object.metadata;
  const { apiVersion, kind, type } = object;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(labels === undefined ? {} : { labels }) },
    ...(typeof type === 'string' ? { type } : {}),
    ...hideEach('data', object['data']),
    ...hideEach('stringData', object['stringData']),
  };
}

function hideEach(field: string, values: unknown): Readonly<Record<string, unknown>> {
  return isRecord(values) ? { [field]: Object.fromEntries(Object.keys(values).map(key => [key, HIDDEN])) } : {};
}
