/** The folders of examples/ and what each one promises. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

/** What `crossplane composition render` cannot show, and why. Each is held by its golden under test/golden/ alone. */
const NOT_RENDERABLE: Readonly<Record<string, string>> = {
  waiting: 'core answers every requirement before it takes our answer, so a rendered case never waits',
};

export type Example = { readonly name: string; readonly folder: string } & (
  | { readonly kind: 'renders'; readonly rendered: string }
  | { readonly kind: 'fails'; readonly fatal: string }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'incomplete' }
);

export function readExamples(): Example[] {
  if (!existsSync(EXAMPLES)) return [];
  return readdirSync(EXAMPLES, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => readExample(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readExample(name: string): Example {
  const folder = join(EXAMPLES, name);
  const read = (file: string): string | undefined => {
    const path = join(folder, 'expected', file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const reason = NOT_RENDERABLE[name];
  if (reason !== undefined) return { name, folder, kind: 'skipped', reason };
  const fatal = read('fatal.txt');
  if (fatal !== undefined) return { name, folder, kind: 'fails', fatal: fatal.trim() };
  const rendered = read('rendered.yaml');
  if (rendered !== undefined) return { name, folder, kind: 'renders', rendered };
  return { name, folder, kind: 'incomplete' };
}
