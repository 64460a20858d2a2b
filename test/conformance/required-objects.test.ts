/** What the real core hands over for our requirements: exact versions, our namespace, our labels (field reports 1 and 46). */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { renderWithCrossplane } from './crossplane-render.ts';
import { startFunction, type FunctionProcess } from './function-process.ts';
import { skipWithout } from './tools.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/foreign-namespace-decoy', import.meta.url));

function decoy(apiVersion: string, kind: string, namespace: string, spec: object): string {
  const labels = { 'crossplane-workspace': 'true' };
  return stringify({ apiVersion, kind, metadata: { name: 'decoy', namespace, labels }, spec });
}

const HOSTNAMES = { hostnames: ['decoy.int.kueber.eu'] };
const BACKEND = { backend: { s3: { endpoint: 'https://s3.eu-central-003.backblazeb2.com', bucket: 'decoy-bucket' } } };

describe.skipIf(skipWithout('crossplane', 'crossplane-cli'))('required objects from the real core', () => {
  let ours: FunctionProcess;
  let scratch: string;
  beforeAll(async () => {
    ours = await startFunction();
    scratch = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-required-'));
  });
  afterAll(async () => {
    await ours.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  it.each([
    {
      name: 'an HTTPRoute as v1beta1',
      object: decoy('gateway.networking.k8s.io/v1beta1', 'HTTPRoute', 'paperless', HOSTNAMES),
    },
    { name: 'a GRPCRoute', object: decoy('gateway.networking.k8s.io/v1', 'GRPCRoute', 'paperless', HOSTNAMES) },
    { name: 'a Schedule of an older version', object: decoy('k8up.io/v1alpha1', 'Schedule', 'paperless', BACKEND) },
    {
      name: 'a Schedule of a namespace with a longer name',
      object: decoy('k8up.io/v1', 'Schedule', 'paperless-b', BACKEND),
    },
  ])('do not hold $name: not even a warning says that it was put aside', async ({ object }) => {
    cpSync(EXAMPLE, scratch, { recursive: true });
    writeFileSync(
      join(scratch, 'required.yaml'),
      `${readFileSync(join(EXAMPLE, 'required.yaml'), 'utf8')}---\n${object}`,
    );
    const { status, stdout, stderr } = await renderWithCrossplane(scratch, { port: ours.port });
    expect(status, `${stderr}\n${ours.log()}`).toBe(0);
    expect(stdout).toBe(readFileSync(join(EXAMPLE, 'expected/rendered.yaml'), 'utf8'));
  });
});
