/** Text that the Input adds: the one text in the module that is not printed from nodes. */
import { printExtraTexts } from '../extra-module/print-texts.ts';
import type { Intent } from '../intent/intent.ts';
import { EXTRA_MARKER } from '../intent/names.ts';

/**
 * What follows our own blocks; empty where nothing is added.
 * @throws FieldError where a text cannot be read whole or has a block that it may not have
 */
export function printExtraModules({ dns, extra }: Intent): string {
  const required = { dns: dns !== undefined, extra: extra.providers.map(({ name }) => name) };
  const texts = printExtraTexts(extra.modules, required, extra.data);
  if (texts.length === 0) return '';
  return `\n${EXTRA_MARKER}\n${texts.map(({ name, text }) => `\n# ${name}\n\n${text}\n`).join('')}`;
}
