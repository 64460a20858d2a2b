import { describe, expect, it } from 'vitest';
import { HELP, UsageError, parseArguments } from './arguments.ts';

const NEEDED = ['--kubeconfig', 'k', '--tofu', 't', '--mirror', 'm', '--remote', 'r', '--work', 'w'];

describe('arguments', () => {
  it('have the defaults of the provider', () => {
    expect(parseArguments(NEEDED)).toEqual({
      kubeconfig: 'k',
      tofu: 't',
      mirror: 'm',
      remote: 'r',
      work: 'w',
      pollMs: 600_000,
      pollJitterMs: 0,
      timeoutMs: 1_200_000,
      maxReconcileRate: 1,
      backoffBaseMs: 1000,
      backoffMaxMs: 60_000,
      collectMs: 3_600_000,
      logLevel: 'info',
    });
  });

  it('take fractions of seconds', () => {
    expect(parseArguments([...NEEDED, '--poll', '0.5'])).toMatchObject({ pollMs: 500 });
  });

  it.each([
    { name: 'nothing at all', args: [], fault: '--kubeconfig' },
    { name: 'an unknown option', args: [...NEEDED, '--pol', '1'], fault: '--pol' },
    { name: 'a word too many', args: [...NEEDED, 'x'], fault: 'x' },
    { name: 'an empty value', args: [...NEEDED, '--work', ''], fault: '--work' },
    { name: 'a negative time', args: [...NEEDED, '--poll=-1'], fault: '--poll' },
    { name: 'a time with a unit', args: [...NEEDED, '--poll', '10m'], fault: '--poll' },
    { name: 'no time between polls', args: [...NEEDED, '--poll', '0'], fault: '--poll' },
    { name: 'more jitter than poll', args: [...NEEDED, '--poll', '1', '--poll-jitter', '2'], fault: '--poll-jitter' },
    { name: 'no Workspace at a time', args: [...NEEDED, '--max-reconcile-rate', '0'], fault: '--max-reconcile-rate' },
    { name: 'an unknown level', args: [...NEEDED, '--log-level', 'loud'], fault: '--log-level' },
  ])('refuse $name', ({ args, fault }) => {
    expect(() => parseArguments(args)).toThrow(UsageError);
    expect(() => parseArguments(args)).toThrow(fault);
  });

  it('are all in the help, which needs none of them', () => {
    expect(parseArguments(['--help'])).toBe('help');
    const settings = parseArguments(NEEDED);
    const named = [...HELP.matchAll(/^ {2}--([a-z-]+)/gm)].map(match => match[1]);
    // And "help" itself.
    expect(named).toHaveLength(Object.keys(settings).length + 1);
  });
});
