import { FUNCTION_NAME } from '../../../src/api/function-step.ts';
import type { Reference } from './cluster.ts';

type Named = (namespace: string, name?: string) => Reference;

const OPENTOFU = 'opentofu.m.upbound.io/v1beta1';

const named =
  (apiVersion: string, kind: string, usual = 'workspace'): Named =>
  (namespace, name = usual) => ({ apiVersion, kind, namespace, name });

export const tofuWorkspace = named('platform.kueber.eu/v1alpha1', 'TofuWorkspace');
export const workspace = named(OPENTOFU, 'Workspace');
export const providerConfig = named(OPENTOFU, 'ProviderConfig');
export const usage = named('protection.crossplane.io/v1beta1', 'Usage', 'workspace-providerconfig');
export const schedule = named('k8up.io/v1', 'Schedule', 'backup');
export const route = named('gateway.networking.k8s.io/v1', 'HTTPRoute', 'web');
export const secret = named('v1', 'Secret', 'workspace-outputs');
export const pod = named('v1', 'Pod');
export const deployment = named('apps/v1', 'Deployment');

export const namespaceReference = (name: string): Reference => ({ apiVersion: 'v1', kind: 'Namespace', name });
export const clusterRole = (name: string): Reference => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  name,
});
export const composition = (name = 'tofuworkspaces'): Reference => ({
  apiVersion: 'apiextensions.crossplane.io/v1',
  kind: 'Composition',
  name,
});
export const functionPackage = (name = FUNCTION_NAME): Reference => ({
  apiVersion: 'pkg.crossplane.io/v1',
  kind: 'Function',
  name,
});
