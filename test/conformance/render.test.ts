/** Every example through the real Crossplane: what core would apply is what the goldens say, each time. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { renderWithCrossplane, type Rendered, type RenderOptions } from './crossplane-render.ts';
import { readExamples } from './examples.ts';
import { startEarlierStep, startFunction, type FunctionProcess } from './function-process.ts';
import { skipWithout } from './tools.ts';

const REPEATS = 20;
/** Few, but such as have several items in a list, observed objects and outputs: what random order would show in. */
const REPEATED = ['backup-and-route', 'two-schedules-one-bucket', 'foreign-namespace-decoy', 'retained-bucket'];
const EARLIER_STEP = 'function-earlier-step';
const COMPOSITION = fileURLToPath(new URL('../../apis/tofuworkspace/composition.yaml', import.meta.url));

interface Document {
  readonly kind: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly status?: Readonly<Record<string, unknown>>;
  /** Of a Result. */
  readonly message?: string;
  readonly [field: string]: unknown;
}

const examples = readExamples();

describe.skipIf(skipWithout('crossplane', 'crossplane-cli'))('crossplane composition render', () => {
  let ours: FunctionProcess;
  beforeAll(async () => {
    ours = await startFunction();
  });
  afterAll(async () => {
    await ours.stop();
  });

  const render = (folder: string, more: Partial<RenderOptions> = {}): Promise<Rendered> =>
    renderWithCrossplane(folder, { port: ours.port, ...more });
  const renderOk = async (folder: string, more?: Partial<RenderOptions>): Promise<string> => {
    const { stdout, stderr, status } = await render(folder, more);
    expect(status, `${stderr}\n${ours.log()}`).toBe(0);
    return stdout;
  };

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(0);
    expect(examples.filter(({ kind }) => kind === 'renders').length).toBeGreaterThan(0);
  });

  describe.each(examples)('$name', example => {
    switch (example.kind) {
      case 'renders':
        it('equals expected/rendered.yaml', async () => {
          const stdout = await renderOk(example.folder);
          // As documents first: a difference in meaning reads better than one in text.
          expect(readDocuments(stdout)).toStrictEqual(readDocuments(example.rendered));
          expect(stdout).toBe(example.rendered);
        });
        it('composes everything in the namespace of the XR', () => {
          const [composite, ...objects] = readDocuments(example.rendered).filter(isApplied);
          expect(composite?.metadata?.namespace).toBeTruthy();
          for (const { metadata } of objects) expect(metadata?.namespace).toBe(composite?.metadata?.namespace);
        });
        break;
      case 'fails':
        it('fails with the message in expected/fatal.txt', async () => {
          const { stderr, stdout, status } = await render(example.folder);
          expect(status).not.toBe(0);
          expect(stderr).toContain(example.fatal);
          expect(stdout).toBe('');
        });
        break;
      case 'skipped':
        it.skip(`cannot be rendered: ${example.reason}`, () => undefined);
        break;
      case 'incomplete':
        it('has expected/rendered.yaml or expected/fatal.txt (make golden)', () => {
          expect.fail(`examples/${example.name} promises nothing`);
        });
    }
  });

  const repeated = examples.filter(({ name, kind }) => kind === 'renders' && REPEATED.includes(name));
  it.skipIf(examples.length === 0)('knows the examples that it repeats', () => {
    expect(repeated.map(({ name }) => name)).toStrictEqual([...REPEATED].sort());
  });
  it.each(repeated)(`prints the same bytes in ${REPEATS} runs of $name`, async ({ folder }) => {
    const seen = new Set<string>();
    for (let run = 0; run < REPEATS; run++) seen.add(await renderOk(folder));
    expect([...seen]).toHaveLength(1);
  });

  describe('after an earlier step', () => {
    let earlier: FunctionProcess;
    let scratch: string;
    beforeAll(async () => {
      earlier = await startEarlierStep();
      scratch = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-earlier-'));
    });
    afterAll(async () => {
      await earlier.stop();
      rmSync(scratch, { recursive: true, force: true });
    });

    it.each(repeated)('keeps what that step desires, in $name', async ({ folder, name }) => {
      const composition = join(scratch, `${name}.yaml`);
      writeFileSync(composition, prependStep());
      const documents = readDocuments(
        await renderOk(folder, { composition, otherPorts: { [EARLIER_STEP]: earlier.port } }),
      );
      const alone = readDocuments(await renderOk(folder));

      const [composite] = documents;
      const earlierObjects = documents.filter(({ metadata }) => metadata?.name === 'earlier-step');
      expect(earlierObjects).toStrictEqual([
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          // Core's own marks on everything composed are not what this is about.
          metadata: expect.objectContaining({
            name: 'earlier-step',
            namespace: composite?.metadata?.namespace,
            annotations: { 'crossplane.io/composition-resource-name': 'earlier-config' },
          }) as unknown,
          data: { list: 'one,two', text: 'kept as it is: ${not} %{ours}' },
        },
      ]);
      expect(composite?.status?.earlierStep).toBe('was here');
      expect(documents.map(({ message }) => message)).toContain('Pipeline step "earlier": earlier step was here');

      // And ours is what it is without that step.
      expect(withoutEarlier(documents)).toStrictEqual(withoutEarlier(alone));
    });
  });
});

function readDocuments(text: string): Document[] {
  return parseAllDocuments(text).map(document => document.toJS() as Document);
}

/** The XR and what it composes, not the events that render prints after them. */
function isApplied(document: Document): boolean {
  return document.kind !== 'Result';
}

/** The shipped Composition with a step before ours. */
function prependStep(): string {
  const composition = parse(readFileSync(COMPOSITION, 'utf8')) as { spec: { pipeline: unknown[] } };
  composition.spec.pipeline.unshift({ step: 'earlier', functionRef: { name: EARLIER_STEP } });
  return stringify(composition);
}

/** Our objects and our status. Left out: the other step's, the XR's list of all objects, the events of core. */
function withoutEarlier(documents: readonly Document[]): object {
  const status = { ...documents[0]?.status };
  delete status.earlierStep;
  const objects = documents.slice(1).filter(isApplied);
  return { status, objects: objects.filter(({ metadata }) => metadata?.name !== 'earlier-step') };
}
