/**
 * JSON schemas by which kubeconform judges the manifests of infra/k8s, as strict as the API server with
 * `fieldValidation: Strict`: a field that a schema does not name is a fault.
 *
 *   tsx scripts/manifest-schemas.ts FOLDER               all of them, from data/ and apis/
 *   tsx scripts/manifest-schemas.ts --core SWAGGER       Kubernetes' own kinds anew into data/kubernetes-schemas/
 *
 * SWAGGER is api/openapi-spec/swagger.json of the Go module k8s.io/kubernetes. Only the kinds that infra/k8s uses are
 * kept: add one to CORE_KINDS when kubeconform misses it.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isRecord, readPath } from '../src/kube.ts';

type Schema = Readonly<Record<string, unknown>>;

const ROOT = join(import.meta.dirname, '..');
const CORE = join(ROOT, 'data/kubernetes-schemas');
const XRD = join(ROOT, 'apis/tofuworkspace/definition.yaml');
const OBJECT_META = 'objectmeta.json';

const CORE_KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Namespace',
  'io.k8s.api.core.v1.PersistentVolumeClaim',
  'io.k8s.api.core.v1.Secret',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.rbac.v1.ClusterRole',
  'io.k8s.api.rbac.v1.Role',
  'io.k8s.api.rbac.v1.RoleBinding',
];

const [first, second] = process.argv.slice(2);
if (first === '--core' && second !== undefined) writeCore(second);
else if (first !== undefined && second === undefined) writeAll(first);
else throw new Error('usage: manifest-schemas.ts FOLDER | --core SWAGGER');

function writeCore(swagger: string): void {
  const definitions = readPath(JSON.parse(readFileSync(swagger, 'utf8')), 'definitions');
  rmSync(CORE, { recursive: true, force: true });
  mkdirSync(CORE);
  for (const name of CORE_KINDS) {
    const [gvk] = readPath(definitions, name, 'x-kubernetes-group-version-kind') as Record<string, string>[];
    if (gvk === undefined) throw new Error(`${swagger} does not know ${name}`);
    write(join(CORE, fileName(gvk.group ?? '', gvk.version ?? '', gvk.kind ?? '')), resolve(definitions, name));
  }
  write(join(CORE, OBJECT_META), resolve(definitions, 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'));
}

function writeAll(folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(CORE, folder, { recursive: true });
  const metadata = JSON.parse(readFileSync(join(CORE, OBJECT_META), 'utf8')) as Schema;
  const crds = readdirSync(join(ROOT, 'data/crds')).map(name => join(ROOT, 'data/crds', name));
  for (const path of [...crds, XRD]) {
    const definition: unknown = parse(readFileSync(path, 'utf8'));
    const group = String(readPath(definition, 'spec', 'group'));
    const kind = String(readPath(definition, 'spec', 'names', 'kind'));
    for (const version of readPath(definition, 'spec', 'versions') as Schema[]) {
      if (version.served !== true) continue;
      const schema = readPath(version, 'schema', 'openAPIV3Schema') as Schema;
      const properties = isRecord(schema.properties) ? schema.properties : {};
      const whole = { apiVersion: { type: 'string' }, kind: { type: 'string' }, ...properties, metadata };
      write(join(folder, fileName(group, String(version.name), kind)), strict({ ...schema, properties: whole }));
    }
  }
}

/** What infra/k8s/check.sh lets kubeconform ask for. */
function fileName(group: string, version: string, kind: string): string {
  return `${[group, kind.toLowerCase(), version].filter(part => part !== '').join('-')}.json`;
}

/** One definition with everything that it refers to in place; none of the kinds above refers to itself. */
function resolve(definitions: unknown, name: string): Schema {
  const replace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replace);
    if (!isRecord(node)) return node;
    if (typeof node.$ref === 'string') {
      const referred = node.$ref.replace('#/definitions/', '');
      if (referred.endsWith('.Quantity')) return { type: ['string', 'number'] };
      return replace(readPath(definitions, referred));
    }
    // The texts are most of it, and kubeconform does not show them.
    return Object.fromEntries(
      Object.entries(node).flatMap(([key, value]) =>
        key === 'description' && typeof value === 'string' ? [] : [[key, replace(value)]],
      ),
    );
  };
  return strict(replace(readPath(definitions, name)));
}

/** Closes every object that names its properties, unless it says that it keeps what it does not know. */
function strict(node: unknown): Schema {
  if (!isRecord(node)) return {};
  const { properties, items, additionalProperties, type, format } = node;
  if (node['x-kubernetes-int-or-string'] === true || format === 'int-or-string') return { type: ['string', 'integer'] };
  return {
    ...node,
    ...(node.nullable === true && typeof type === 'string' ? { type: [type, 'null'] } : {}),
    ...(isRecord(items) ? { items: strict(items) } : {}),
    ...(isRecord(additionalProperties) ? { additionalProperties: strict(additionalProperties) } : {}),
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, strict(value)])),
          ...(node['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties !== undefined
            ? {}
            : { additionalProperties: false }),
        }
      : {}),
  };
}

function write(path: string, schema: Schema): void {
  writeFileSync(path, `${JSON.stringify(schema)}\n`);
}
