/** The objects that the stand-in reads and writes, as the vendored CRDs have them; only the fields that it uses. */
import type { Condition } from './conditions.ts';

export const GROUP = 'opentofu.m.upbound.io';
export const VERSION = 'v1beta1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Kind → plural, and whether it has a namespace. */
export const KINDS = {
  Workspace: { plural: 'workspaces', namespaced: true },
  ProviderConfig: { plural: 'providerconfigs', namespaced: true },
  ClusterProviderConfig: { plural: 'clusterproviderconfigs', namespaced: false },
  ProviderConfigUsage: { plural: 'providerconfigusages', namespaced: true },
} as const;

export type Kind = keyof typeof KINDS;

export const WORKSPACE_FINALIZER = 'finalizer.managedresource.crossplane.io';
export const PROVIDER_CONFIG_FINALIZER = 'in-use.crossplane.io';

export const ANNOTATION = {
  externalName: 'crossplane.io/external-name',
  paused: 'crossplane.io/paused',
  createPending: 'crossplane.io/external-create-pending',
  createSucceeded: 'crossplane.io/external-create-succeeded',
  createFailed: 'crossplane.io/external-create-failed',
} as const;

export const USAGE_LABEL = {
  name: 'crossplane.io/provider-config',
  kind: 'crossplane.io/provider-config-kind',
} as const;

export interface ObjectName {
  readonly name: string;
  /** Empty for objects without one. */
  readonly namespace: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

export interface KeyReference {
  readonly name: string;
  readonly key: string;
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly configMapKeyRef?: KeyReference;
  readonly secretKeyRef?: KeyReference;
}

export interface VarFile {
  readonly source: 'ConfigMapKey' | 'SecretKey';
  readonly format?: 'HCL' | 'JSON';
  readonly configMapKeyRef?: KeyReference;
  readonly secretKeyRef?: KeyReference;
}

export interface WorkspaceParameters {
  readonly source: 'Inline' | 'Remote';
  readonly module: string;
  readonly inlineFormat?: 'HCL' | 'JSON';
  readonly entrypoint?: string;
  readonly env?: readonly EnvironmentVariable[];
  readonly vars?: readonly { readonly key: string; readonly value: string }[];
  readonly varmap?: unknown;
  readonly varFiles?: readonly VarFile[];
  readonly initArgs?: readonly string[];
  readonly planArgs?: readonly string[];
  readonly applyArgs?: readonly string[];
  readonly destroyArgs?: readonly string[];
}

export interface ProviderConfigReference {
  readonly kind: string;
  readonly name: string;
}

export interface Workspace extends ApiObject {
  readonly spec: {
    readonly managementPolicies?: readonly string[];
    readonly providerConfigRef?: ProviderConfigReference;
    readonly writeConnectionSecretToRef?: { readonly name: string };
    readonly forProvider: WorkspaceParameters;
  };
  readonly status?: WorkspaceStatus;
}

export interface WorkspaceStatus {
  readonly conditions?: readonly Condition[];
  readonly atProvider?: WorkspaceObservation;
}

export interface WorkspaceObservation {
  readonly checksum?: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

export interface Credentials {
  readonly filename: string;
  readonly source: string;
  readonly secretRef?: KeyReference & { readonly namespace: string };
  readonly env?: { readonly name: string };
  readonly fs?: { readonly path: string };
}

/** A ProviderConfig, or a ClusterProviderConfig. */
export interface ProviderConfig extends ApiObject {
  readonly spec: {
    readonly credentials?: readonly Credentials[];
    readonly configuration?: string;
    readonly backendFile?: string;
  };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly users?: number };
}

export interface ProviderConfigUsage extends ApiObject {
  readonly providerConfigRef: ProviderConfigReference;
  readonly resourceRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
}

/** Values in base64. */
export interface Secret {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly type: string;
  readonly data?: Readonly<Record<string, string>>;
}

export function nameOf({ metadata }: ApiObject): ObjectName {
  return { name: metadata.name, namespace: metadata.namespace ?? '' };
}

export function isDeleted({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function externalNameOf({ metadata }: ApiObject): string {
  return metadata.annotations?.[ANNOTATION.externalName] ?? '';
}

/** The reference by which an object controls another one. */
export function controllerReference({ apiVersion, kind, metadata }: ApiObject): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}
