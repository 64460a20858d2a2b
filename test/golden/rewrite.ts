/** Rewrites expected/ of every example: `make golden`. Read the diff afterwards. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderWithCrossplane } from '../conformance/crossplane-render.ts';
import { startFunction } from '../conformance/function-process.ts';
import { decideExample, EXAMPLES, listExamples, printExpected } from './examples.ts';

const server = await startFunction();
try {
  for (const name of listExamples()) await rewriteExample(name, server.port);
} finally {
  await server.stop();
}

async function rewriteExample(name: string, port: number): Promise<void> {
  const folder = join(EXAMPLES, name);
  const expected = join(folder, 'expected');
  const decision = decideExample(name);
  const files = new Map(printExpected(decision));
  if (decision.kind === 'settled') {
    const { status, stdout, stderr } = await renderWithCrossplane(folder, { port });
    if (status !== 0) throw new Error(`examples/${name}: crossplane composition render failed:\n${stderr}`);
    files.set('rendered.yaml', stdout);
  }
  rmSync(expected, { recursive: true, force: true });
  mkdirSync(expected);
  for (const [file, content] of files) writeFileSync(join(expected, file), content);
  process.stderr.write(`examples/${name}: ${[...files.keys()].join(', ')}\n`);
}
