import type { Settled } from '../decision.ts';
import type { Graph } from './graph.ts';
import { element, type MarkupElement } from './markup.ts';
import { boxId } from './picture.ts';
import { printMarkup } from './print-markup.ts';
import { composeReport } from './report.ts';
import { STYLE } from './style.ts';

export interface PageSubject {
  readonly namespace: string;
  readonly name: string;
}

/**
 * One page that needs nothing else: no script, no request. Its policy allows its own style alone, so that nothing that
 * a name might smuggle in could run or call out.
 *
 * @param sha256 base64 of the SHA-256 of a text
 */
export function printPage(
  { namespace, name }: PageSubject,
  graph: Graph,
  decision: Settled,
  sha256: (text: string) => string,
): string {
  const style = `${STYLE}${graph.nodes.map(({ id }) => highlight(id)).join('')}`;
  const policy = `default-src 'none'; style-src 'sha256-${sha256(style)}'; base-uri 'none'; form-action 'none'`;
  const title = `TofuWorkspace ${namespace}/${name}`;
  return `<!doctype html>\n${printMarkup(
    element(
      'html',
      { lang: 'en', dir: 'ltr' },
      composeHead(title, policy, style),
      element(
        'body',
        {},
        element(
          'main',
          {},
          element('h1', {}, 'TofuWorkspace ', element('bdi', {}, `${namespace}/${name}`)),
          ...composeReport(graph, decision),
        ),
      ),
    ),
  )}\n`;
}

function composeHead(title: string, policy: string, style: string): MarkupElement {
  return element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    // Before anything that it governs.
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { name: 'referrer', content: 'no-referrer' }),
    element('title', {}, title),
    element('style', {}, style),
  );
}

/** The lines of the box that is chosen, or under the pointer or the keyboard. */
function highlight(id: string): string {
  const box = boxId(id);
  return (
    `:root:has(#${id}:target) .edge.${id}, :root:has(#${box}:is(:hover, :focus, :target)) .edge.${id} { stroke: var(--accent); stroke-width: 2.5; opacity: 1 }\n` +
    `:root:has(#${id}:target) #${box} rect { stroke: var(--accent); stroke-width: 3 }\n`
  );
}
