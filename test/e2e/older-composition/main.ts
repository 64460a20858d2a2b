/**
 * A stand-in for function-go-templating with one template: what the Composition composed that ours takes over. The same
 * composition resource keys, the same addresses in the module, the same backend, no encryption.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import {
  FunctionRunnerServiceService,
  Ready,
  RunFunctionResponse,
  type RunFunctionRequest,
} from '@crossplane-org/function-sdk-typescript';
import { olderObjects } from '../../fixtures/older-composition.ts';

const LABELS = { 'crossplane-workspace': 'true' };

/** By secret and key. The stand-in's provider has no credentials of its own, as that of the older Composition had. */
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'tofu-workspace-s3-credentials',
  AWS_SECRET_ACCESS_KEY: 'tofu-workspace-s3-credentials',
  B2_APPLICATION_KEY_ID: 'tofu-workspace-b2-credentials',
  B2_APPLICATION_KEY: 'tofu-workspace-b2-credentials',
};

/** Without it OpenTofu looks for the provider at another address. */
const PROVIDERS = `terraform {
  required_providers {
    b2 = {
      source  = "Backblaze/b2"
      version = "0.13.0"
    }
  }
}
`;

interface Composite {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly stateBucket: string };
}
interface Schedule {
  readonly spec: { readonly backend: { readonly s3: { readonly bucket: string } } };
}

function answer({ meta, observed, desired, requiredResources }: RunFunctionRequest): RunFunctionResponse {
  const { metadata, spec } = observed?.composite?.resource as Composite;
  const { namespace } = metadata;
  const schedules = requiredResources['schedules']?.items.map(({ resource }) => resource as Schedule);
  const buckets = schedules?.map(schedule => schedule.spec.backend.s3.bucket).sort();
  const objects: Readonly<Record<string, object>> = buckets === undefined ? {} : compose(namespace, buckets, spec);
  const entries = Object.entries(objects).map(([key, resource]) => [
    key,
    { resource: { ...resource }, ready: Ready.READY_TRUE },
  ]);
  return RunFunctionResponse.fromPartial({
    meta: { tag: meta?.tag ?? '', ttl: { seconds: 60, nanos: 0 } },
    desired: { ...desired, resources: Object.fromEntries(entries) as Record<string, object> },
    requirements: {
      resources: {
        schedules: { apiVersion: 'k8up.io/v1', kind: 'Schedule', namespace, matchLabels: { labels: LABELS } },
      },
    },
  });
}

function compose(
  namespace: string,
  buckets: readonly string[],
  { stateBucket }: Composite['spec'],
): Readonly<Record<string, object>> {
  const objects = olderObjects(namespace, buckets, stateBucket);
  const spec = objects.workspace['spec'] as { readonly forProvider: { readonly module: string } };
  const env = Object.entries(ENVIRONMENT).map(([name, secret]) => ({
    name,
    secretKeyRef: { name: secret, key: name },
  }));
  const forProvider = { ...spec.forProvider, env, module: `${PROVIDERS}${spec.forProvider.module}` };
  return { ...objects, workspace: { ...objects.workspace, spec: { ...spec, forProvider } } };
}

const server = new Server();
server.addService(FunctionRunnerServiceService, {
  runFunction(
    call: ServerUnaryCall<RunFunctionRequest, RunFunctionResponse>,
    callback: sendUnaryData<RunFunctionResponse>,
  ) {
    callback(null, answer(call.request));
  },
});
const read = (name: string): Buffer => readFileSync(join(process.env['TLS_SERVER_CERTS_DIR'] ?? '/tls/server', name));
const pair = { private_key: read('tls.key'), cert_chain: read('tls.crt') };
server.bindAsync('0.0.0.0:9443', ServerCredentials.createSsl(read('ca.crt'), [pair], false), error => {
  if (error !== null) throw error;
});
process.on('SIGTERM', () => {
  server.forceShutdown();
});
