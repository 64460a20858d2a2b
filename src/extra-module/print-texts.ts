import { FieldError, quoteShort } from '../errors.ts';
import { checkExtraText, type ProviderNames } from './check-text.ts';
import { EMPTY, SAMPLE, type ExtraData } from './data.ts';
import { parseExtraTemplate } from './parse-template.ts';
import { renderExtraTemplate } from './render-template.ts';

export interface ExtraModuleText {
  readonly name: string;
  /** Without line ends around it; never empty. */
  readonly text: string;
}

/** Which providers there are: NetBird's comes with DNS. */
export interface RequiredProviders {
  readonly dns: boolean;
  readonly extra: readonly string[];
}

function providerNames({ dns, extra }: RequiredProviders): ProviderNames {
  return { own: new Set(['b2', 'terraform', ...(dns ? ['netbird'] : [])]), extra: new Set(extra) };
}

/**
 * Renders and checks the texts of all extra modules; those that come out empty are left out.
 * @throws FieldError
 */
export function printExtraTexts(
  modules: readonly { readonly name: string; readonly template: string }[],
  required: RequiredProviders,
  data: ExtraData,
): readonly ExtraModuleText[] {
  const providers = providerNames(required);
  const declared = new Map<string, string>();
  return modules.flatMap(({ name, template }) => {
    const path = `extraModules.${name}`;
    const text = renderExtraTemplate(parseExtraTemplate(template, path), data, path).replace(/^\n+/, '').trimEnd();
    for (const address of checkExtraText(text, providers, path)) {
      const other = declared.get(address);
      if (other !== undefined)
        throw new FieldError(path, 'every name once', { words: `${quoteShort(address)}, which ${other} has too` });
      declared.set(address, name);
    }
    return text === '' ? [] : [{ name, text }];
  });
}

/**
 * Tries a template with one of everything and with nothing, before any namespace uses it.
 * @throws FieldError
 */
export function tryExtraTemplate(template: string, required: RequiredProviders): void {
  const key = JSON.stringify([template, required]);
  if (TRIED.has(key)) return;
  tryOnce(template, required);
  if (TRIED.size < MAX_TRIED) TRIED.add(key);
}

/** What was found right before: an Input is parsed on every call, and there are few. */
const TRIED = new Set<string>();
const MAX_TRIED = 64;

function tryOnce(template: string, required: RequiredProviders): void {
  const path = 'template';
  const { reads } = parseExtraTemplate(template, path);
  const off = required.dns ? undefined : [...reads].find(name => name === 'routes' || name === 'records');
  if (off !== undefined)
    throw new FieldError(path, 'names that have a value (routes and records need dns)', { words: quoteShort(off) });
  for (const data of [SAMPLE, EMPTY]) printExtraTexts([{ name: path, template }], required, data);
}
