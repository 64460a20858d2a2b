#!/usr/bin/env node
/** The server's process: gives the function its decision, and runs until told to stop. */
import { readFileSync } from 'node:fs';
import { decide, refuseUnexpected } from './decide.ts';
import { createFunction } from './function.ts';
import { run } from './server/run.ts';

const about = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

const code = await run({
  argv: process.argv.slice(2),
  env: process.env,
  version: about.version,
  createFunction: (log, observe) => createFunction({ decide, refuseUnexpected, log, observe }),
});
process.exit(code);
