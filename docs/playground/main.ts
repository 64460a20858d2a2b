// Before all that makes schemas.
import './no-eval.ts';
import { boxId } from '../../src/page/picture.ts';
import { decideTexts, FILES, type CaseFile, type Outcome, type Texts } from './decide-texts.ts';
import { EXAMPLES, FIRST_EXAMPLE } from './examples.ts';
import { mount } from './mount.ts';
import { sayOutcome, showOutcome } from './result.ts';

/** Milliseconds without a key before it is decided anew. */
const PAUSE = 150;

const picker = find('example', HTMLSelectElement);
const verdict = find('verdict', HTMLElement);
const report = find('report', HTMLElement);
const editors = new Map(FILES.map(file => [file, find(file, HTMLTextAreaElement)]));

let outcome: Outcome | undefined;
/** Key of the node whose details are shown: it stays chosen when a change moves it. */
let chosen: string | undefined;
let pending: number | undefined;

function find<E extends HTMLElement>(id: string, type: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

function readTexts(): Texts {
  return Object.fromEntries([...editors].map(([file, { value }]) => [file, value])) as Record<CaseFile, string>;
}

function update(): void {
  outcome = undefined;
  try {
    outcome = decideTexts(readTexts());
    verdict.textContent = sayOutcome(outcome);
    report.replaceChildren(...showOutcome(outcome).map(markup => mount(markup)));
  } catch (error) {
    // A fault of ours: what stood there before would pass for an answer.
    verdict.textContent = 'The function failed on this.';
    report.replaceChildren(error instanceof Error ? error.message : String(error));
  }
  for (const [file, editor] of editors)
    editor.setAttribute('aria-invalid', String(outcome?.kind === 'unreadable' && outcome.file === file));
  showChosen();
}

function showChosen(): void {
  const nodes = outcome?.kind === 'settled' ? outcome.graph.nodes : [];
  const id = nodes.find(({ key }) => key === chosen)?.id;
  for (const details of report.querySelectorAll('.details')) details.classList.toggle('chosen', details.id === id);
  for (const edge of report.querySelectorAll('.edge'))
    edge.classList.toggle('lit', id !== undefined && edge.classList.contains(id));
}

function load(name: string): void {
  const texts = EXAMPLES.get(name);
  if (texts === undefined) return;
  for (const [file, editor] of editors) {
    editor.value = texts[file];
    const details = editor.closest('details');
    if (details !== null) details.open = texts[file] !== '' && file !== 'composition.yaml';
  }
  chosen = undefined;
  update();
}

for (const name of EXAMPLES.keys()) picker.append(new Option(name, name, false, name === FIRST_EXAMPLE));
picker.addEventListener('change', () => {
  load(picker.value);
});
for (const editor of editors.values())
  editor.addEventListener('input', () => {
    clearTimeout(pending);
    pending = setTimeout(update, PAUSE);
  });
report.addEventListener('click', event => {
  const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
  const target = link?.getAttribute('href')?.slice(1);
  if (target === undefined || outcome?.kind !== 'settled') return;
  const { nodes } = outcome.graph;
  chosen = nodes.find(({ id }) => id === target)?.key;
  if (chosen === undefined && !nodes.some(({ id }) => boxId(id) === target)) return;
  showChosen();
});
load(FIRST_EXAMPLE);
