/**
 * The manual step of phase 1: prints the checklist, records that a human did it, says whether the record still holds.
 *   netgear.ts checklist | confirm | check
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readSite } from './site.ts';
import { deriveSwitchPorts, digestSwitchPorts, printSwitchChecklist } from './switch-ports.ts';

const record = z.strictObject({ switch: z.string(), table: z.string(), by: z.string(), at: z.string() });

const folder = process.env['BOOTSTRAP_RECORDS'] ?? fileURLToPath(new URL('../records', import.meta.url));
const site = readSite();
const digest = digestSwitchPorts(deriveSwitchPorts(site));
const file = join(folder, `${site.switch.name}.json`);

function confirm(): number {
  // `task --yes` answers every prompt by itself; nobody has looked at the switch then.
  if (process.env['ASSUME_YES'] === 'true') {
    process.stderr.write('netgear: not recorded: a human must confirm this, so run it without --yes\n');
    return 1;
  }
  mkdirSync(dirname(file), { recursive: true });
  const entry = { switch: site.switch.name, table: digest, by: userInfo().username, at: new Date().toISOString() };
  writeFileSync(file, `${JSON.stringify(entry, null, 2)}\n`);
  process.stdout.write(`netgear: recorded in ${file}; commit it\n`);
  return 0;
}

function check(): number {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    process.stderr.write(`netgear: nobody confirmed the ports of ${site.switch.name} yet\n`);
    return 1;
  }
  const confirmed = record.parse(JSON.parse(text));
  if (confirmed.table !== digest) {
    process.stderr.write(`netgear: confirmed was table ${confirmed.table}, but site.yaml now gives ${digest}\n`);
    return 1;
  }
  process.stdout.write(`netgear: table ${digest}, confirmed by ${confirmed.by} at ${confirmed.at}\n`);
  return 0;
}

switch (process.argv[2]) {
  case 'checklist':
    process.stdout.write(printSwitchChecklist(site));
    break;
  case 'confirm':
    process.exitCode = confirm();
    break;
  case 'check':
    process.exitCode = check();
    break;
  default:
    process.stderr.write('usage: netgear.ts checklist | confirm | check\n');
    process.exitCode = 2;
}
