import { isCaseError } from '../../src/case/case-error.ts';
import { parseDocuments } from '../../src/case/documents.ts';
import { answerCase, observeCase, type Source } from '../../src/case/observation.ts';
import { consider, decide, parse } from '../../src/decide.ts';
import type { Refused, Settled } from '../../src/decision.ts';
import { deriveGraph } from '../../src/page/derive-graph.ts';
import type { Graph } from '../../src/page/graph.ts';

/** The files of a case, as the command line tool names them. */
export const FILES = ['xr.yaml', 'required.yaml', 'composition.yaml', 'observed.yaml', 'outputs.yaml'] as const;

export type CaseFile = (typeof FILES)[number];
export type Texts = Readonly<Record<CaseFile, string>>;

export type Outcome =
  | { readonly kind: 'settled'; readonly decision: Settled; readonly graph: Graph }
  | { readonly kind: 'refused'; readonly decision: Refused }
  /** Not a decision: a text is no YAML, or not what it should be. */
  | { readonly kind: 'unreadable'; readonly file: CaseFile | undefined; readonly message: string };

/** What the function says to these texts, once Crossplane has answered. */
export function decideTexts(texts: Texts): Outcome {
  try {
    return decideSources(Object.fromEntries(FILES.map(file => [file, read(file, texts)])) as Record<CaseFile, Source>);
  } catch (error) {
    if (!isCaseError(error)) throw error;
    const { message } = error;
    return { kind: 'unreadable', file: FILES.find(file => message.startsWith(`${file}: `)), message };
  }
}

function read(file: CaseFile, texts: Texts): Source {
  return { where: file, documents: parseDocuments(texts[file], file) };
}

function decideSources(sources: Readonly<Record<CaseFile, Source>>): Outcome {
  const first = observeCase({
    xr: sources['xr.yaml'],
    composition: sources['composition.yaml'],
    observed: sources['observed.yaml'],
    outputs: sources['outputs.yaml'],
  });
  const observation = answerCase(first, sources['required.yaml'].documents);
  const decision = decide(observation);
  switch (decision.kind) {
    case 'refused':
      return { kind: 'refused', decision };
    case 'waiting':
      throw new Error('everything required was answered, and it waits');
    case 'settled':
      return { kind: 'settled', decision, graph: deriveGraph(consider(observation, parse(observation)), decision) };
  }
}
