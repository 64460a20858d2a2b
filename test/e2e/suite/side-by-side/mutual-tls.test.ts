/** Who is answered: Crossplane's core, by the certificates that Crossplane itself has made, and nobody else. */
import { credentials, type ChannelCredentials, status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, it } from 'vitest';
import { FUNCTION_NAME } from '../../../../src/api/function-step.ts';
import { createCaller, encodeRequest, failureOf, makeRequest } from '../../../contract/caller.ts';
import { decodeData } from '../app.ts';
import { functionPods, metric, SYSTEM } from '../calls.ts';
import { get } from '../cluster.ts';
import { eventually } from '../eventually.ts';
import { secret } from '../kinds.ts';
import { forwardPort } from '../port-forward.ts';

const REFUSED = 'function_tofu_workspace_connections_refused_total';
const SETTLED = 'function_tofu_workspace_calls_total{outcome="settled"}';
const FUNCTION_HOST = `${FUNCTION_NAME}.${SYSTEM}`;

let pod: string;

beforeAll(async () => {
  pod = await eventually('a pod of the function', async () => (await functionPods())[0]?.metadata.name);
});

async function readSecret(name: string): Promise<ReadonlyMap<string, string>> {
  return decodeData(await get(secret(SYSTEM, name)));
}

/** Whom we call is not in question here, and Node takes the certificates that Crossplane makes for self-signed. */
const ANY_SERVER = { rejectUnauthorized: false };

async function channelWith(pairFrom?: string): Promise<ChannelCredentials> {
  if (pairFrom === undefined) return credentials.createSsl(null, null, null, ANY_SERVER);
  const pair = await readSecret(pairFrom);
  const [key, chain] = ['tls.key', 'tls.crt'].map(name => Buffer.from(pair.get(name) ?? ''));
  return credentials.createSsl(null, key, chain, ANY_SERVER);
}

/** Through a forwarding of its own: kubectl ends one in which the pod has cut a connection off. */
async function call(channel: ChannelCredentials): Promise<unknown> {
  const port = await forwardPort(pod, 9443);
  const caller = createCaller(port.address, channel, FUNCTION_HOST);
  try {
    return await caller.call(encodeRequest(makeRequest()));
  } finally {
    caller.close();
    port.close();
  }
}

describe('with the certificates that Crossplane made', () => {
  it('core is answered, and was never refused', async () => {
    await eventually('a call that core got an answer to', async () => {
      const counts = await Promise.all((await functionPods()).map(({ metadata }) => metric(metadata.name, SETTLED)));
      return counts.some(count => count > 0) ? true : undefined;
    });
    for (const { metadata } of await functionPods()) expect(await metric(metadata.name, REFUSED)).toBe(0);
  });

  it("whoever holds core's own pair is answered", async () => {
    expect(await call(await channelWith('crossplane-tls-client'))).toMatchObject({ meta: { tag: 'tag-1' } });
  });

  it.each([
    ['without a certificate', undefined],
    ["with core's server certificate", 'crossplane-tls-server'],
    ["with the function's own certificate", `${FUNCTION_NAME}-tls-server`],
  ])('a client %s is not', async (_, pairFrom) => {
    const before = await metric(pod, REFUSED);
    const failure = await failureOf(call(await channelWith(pairFrom)));
    expect(failure.code).toBe(status.UNAVAILABLE);
    await eventually('it is counted', async () => ((await metric(pod, REFUSED)) > before ? true : undefined));
  });

  it('nor is one that speaks no TLS', async () => {
    expect((await failureOf(call(credentials.createInsecure()))).code).toBe(status.UNAVAILABLE);
  });
});
