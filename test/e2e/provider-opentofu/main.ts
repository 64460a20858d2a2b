/** Owns the process: arguments, log, signals. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import pino from 'pino';
import { cliConfigurationOf } from '../../tofu/mirror.ts';
import { HELP, UsageError, parseArguments, type Settings } from './arguments.ts';
import { runController } from './controller.ts';
import { endLeftovers } from './leftovers.ts';
import { claimWorkFolder } from './work-folder.ts';

async function main(argv: readonly string[]): Promise<void> {
  const settings = parseArguments(argv);
  if (settings === 'help') {
    process.stdout.write(HELP);
    return;
  }
  await run({
    ...settings,
    tofu: resolve(settings.tofu),
    mirror: resolve(settings.mirror),
    remote: resolve(settings.remote),
    work: resolve(settings.work),
  });
}

async function run(settings: Settings): Promise<void> {
  accessSync(settings.tofu, constants.X_OK);
  accessSync(cliConfigurationOf(settings.mirror), constants.R_OK);
  mkdirSync(settings.remote, { recursive: true });
  const config = new KubeConfig();
  config.loadFromFile(settings.kubeconfig);
  const release = claimWorkFolder(settings.work);
  const log = pino({ level: settings.logLevel, base: { standIn: 'provider-opentofu' } });
  const left = endLeftovers(settings.work);
  if (left.length > 0) log.warn({ left }, 'ended what a killed provider had left running');

  const shutdown = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      log.info({ signal }, 'shutting down');
      shutdown.abort();
    });
  await runController({ config, settings, log, signal: shutdown.signal });
  // As with the pod: what tofu itself left behind, such as a provisioner's command, goes as well.
  endLeftovers(settings.work);
  release();
  log.info('stopped');
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`provider-opentofu stand-in: ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof UsageError) process.stderr.write('Try --help.\n');
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
