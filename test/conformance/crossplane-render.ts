/** Runs the real `crossplane composition render` with the real core as its engine. Also used by test/golden/rewrite.ts. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { FUNCTION_NAME } from '../../src/api/function-step.ts';
import { findTool } from './tools.ts';

const DEFAULT_COMPOSITION = fileURLToPath(new URL('../../apis/tofuworkspace/composition.yaml', import.meta.url));

export interface Rendered {
  /** As printed, but for the order of core's own events about what is not ready, which is random: those are sorted. */
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

export interface RenderOptions {
  /** Where our function listens on this machine. */
  readonly port: number;
  /** Other functions of the pipeline, by name. */
  readonly otherPorts?: Readonly<Record<string, number>>;
  /** A Composition file instead of the case's own or the shipped one. */
  readonly composition?: string;
}

/**
 * Renders one folder of examples/: xr.yaml with required.yaml, observed.yaml and outputs.yaml (connection Secrets that
 * core reads) where they are, through composition.yaml of the folder, else the shipped one.
 */
export async function renderWithCrossplane(caseDir: string, options: RenderOptions): Promise<Rendered> {
  const inCase = (name: string): string | undefined => {
    const path = join(caseDir, name);
    return existsSync(path) ? path : undefined;
  };
  const scratch = mkdtempSync(join(tmpdir(), 'function-tofu-workspace-render-'));
  try {
    const composition = options.composition ?? inCase('composition.yaml') ?? DEFAULT_COMPOSITION;
    const functions = join(scratch, 'functions.yaml');
    writeFileSync(functions, printFunctions(composition, { ...options.otherPorts, [FUNCTION_NAME]: options.port }));
    // Secrets among the required resources answer core's own reads of connection details.
    const required = [inCase('required.yaml'), inCase('outputs.yaml')].filter(path => path !== undefined);
    const observed = inCase('observed.yaml');
    return await run(findTool('crossplane-cli'), [
      ...['composition', 'render', join(caseDir, 'xr.yaml'), composition, functions],
      `--crossplane-binary=${findTool('crossplane')}`,
      ...required.map(path => `--required-resources=${path}`),
      ...(observed === undefined ? [] : [`--observed-resources=${observed}`]),
      '--include-function-results',
    ]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** functions.yaml for every function that the pipeline names: all run on this machine already. */
function printFunctions(compositionPath: string, ports: Readonly<Record<string, number>>): string {
  const composition = parse(readFileSync(compositionPath, 'utf8')) as {
    spec: { pipeline: { functionRef: { name: string } }[] };
  };
  const names = new Set(composition.spec.pipeline.map(({ functionRef }) => functionRef.name));
  return [...names]
    .map(name => {
      const port = ports[name];
      if (port === undefined) throw new Error(`${compositionPath} names ${name}, which does not run here`);
      return stringify({
        apiVersion: 'pkg.crossplane.io/v1',
        kind: 'Function',
        metadata: {
          name,
          annotations: {
            'render.crossplane.io/runtime': 'Development',
            'render.crossplane.io/runtime-development-target': `127.0.0.1:${port}`,
          },
        },
        spec: { package: `example.org/${name}:development` },
      });
    })
    .join('---\n');
}

async function run(command: string, args: readonly string[]): Promise<Rendered> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { stdout: sortUnready(stdout), stderr, status };
}

/**
 * Core sends one event per object that is not ready while it walks a map. Render prints events as they came, so these
 * alone of its documents come in another order each time; each takes the place of another of them.
 */
function sortUnready(stdout: string): string {
  const documents = stdout.split(/^---\n/m);
  const unready = documents.filter(isUnreadyEvent).sort();
  return documents.map(document => (isUnreadyEvent(document) ? unready.shift() : document)).join('---\n');
}

function isUnreadyEvent(document: string): boolean {
  return /^kind: Result\nmessage: Composed resource "[^"]+"\s+is\s+not\s+yet\s+ready$/m.test(document);
}
