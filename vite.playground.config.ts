import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { STYLE } from './src/page/style.ts';

const ROOT = join(import.meta.dirname, 'docs/playground');
const STYLES = `${STYLE}${readFileSync(join(ROOT, 'playground.css'), 'utf8')}`;

/** What the decision may not reach: a browser has nothing to put there. */
const NO_BUILTINS: Plugin = {
  name: 'no-builtins',
  enforce: 'pre',
  resolveId(source, importer) {
    if (isBuiltin(source))
      throw new Error(`${importer ?? 'the playground'} needs ${source}, which browsers don't have`);
  },
};

/**
 * One file that opens from a disk, where a script can't be loaded beside a page: script and style stand in it, and a
 * policy that allows those two texts and nothing else, no request among it.
 */
const ONE_FILE: Plugin = {
  name: 'one-file',
  enforce: 'post',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const style: HtmlTagDescriptor = { tag: 'style', children: STYLES, injectTo: 'head' };
      // While it is served for development.
      if (bundle === undefined) return [style];
      const [chunk, ...more] = Object.values(bundle);
      if (chunk?.type !== 'chunk' || more.length > 0) throw new Error('expected one script and nothing else');
      const script = quoteScript(chunk.code);
      Reflect.deleteProperty(bundle, chunk.fileName);
      const policy =
        `default-src 'none'; script-src 'sha256-${sha256(script)}'; style-src 'sha256-${sha256(STYLES)}'; ` +
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";
      return {
        html: html.replace(/<script [^>]*src=[^>]*><\/script>\s*/, ''),
        tags: [
          {
            tag: 'meta',
            attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
            injectTo: 'head-prepend',
          },
          style,
          { tag: 'script', attrs: { type: 'module' }, children: script, injectTo: 'body' },
        ],
      };
    },
  },
};

/** What would end the element it stands in, or hide its end, can only be text within a string there. */
function quoteScript(code: string): string {
  return code.replaceAll(/<(?=\/script|!--|script)/gi, '\\x3C');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** The playground as one page: `make playground` builds it into build/playground. */
export default defineConfig({
  root: ROOT,
  // Names no path of a site: it is the same wherever it lies.
  base: './',
  resolve: { alias: { 'node:zlib': join(ROOT, 'gunzip.ts') } },
  plugins: [NO_BUILTINS, ONE_FILE],
  build: {
    outDir: join(import.meta.dirname, 'build/playground'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    reportCompressedSize: false,
  },
});
