/** What the API server adds to an object, and core sends along. */
import { isRecord } from '../src/kube.ts';

type Fields = Readonly<Record<string, unknown>>;

const TIME = '2026-01-01T00:00:00Z';

/** An object as it is stored: with identity, owner and `managedFields`, which name each field that was applied. */
export function settledFields(object: Fields): Fields {
  const metadata = isRecord(object.metadata) ? object.metadata : {};
  return {
    ...object,
    metadata: {
      ...metadata,
      uid: 'e2b9fd3c-5d5c-4d2f-9f4e-0c6a4d1f8a11',
      resourceVersion: '48151623',
      generation: 1,
      creationTimestamp: TIME,
      managedFields: [
        {
          manager: 'kustomize-controller',
          operation: 'Apply',
          apiVersion: object.apiVersion,
          time: TIME,
          fieldsType: 'FieldsV1',
          fieldsV1: nameFields({ metadata: { labels: metadata.labels }, spec: object.spec, data: object.data }),
        },
      ],
    },
  };
}

/** FieldsV1 of what is there: `f:` and the name, down to values and lists. */
function nameFields(value: unknown): Fields {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([key, entry]) => [`f:${key}`, nameFields(entry)]),
  );
}
