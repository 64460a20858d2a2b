import composition from '../../apis/tofuworkspace/composition.yaml?raw';
import { FILES, type Texts } from './decide-texts.ts';

const texts: Readonly<Record<string, string>> = import.meta.glob('../../examples/*/*.yaml', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The folders of examples/, each with the shipped Composition where it has none of its own. */
export const EXAMPLES: ReadonlyMap<string, Texts> = new Map(
  Object.keys(texts)
    .flatMap(path => /\/examples\/([^/]+)\/xr\.yaml$/.exec(path)?.[1] ?? [])
    .sort()
    .map(name => [name, readExample(name)]),
);

export const FIRST_EXAMPLE = 'backup-and-route';

function readExample(name: string): Texts {
  const entries = FILES.map(file => {
    const text = texts[`../../examples/${name}/${file}`];
    return [file, text ?? (file === 'composition.yaml' ? composition : '')] as const;
  });
  return Object.fromEntries(entries) as Record<(typeof FILES)[number], string>;
}
