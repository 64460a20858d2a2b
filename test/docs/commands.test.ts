/**
 * Every command of every document: run, or held by a step of CI or another test, or marked with what it needs. Marked or
 * not, it parses, shellcheck has nothing to say, and the names that it uses of this repository are there.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument, type Document, type Fence } from '../../docs/site/document.ts';
import { documents } from './documents.ts';
import { CI_STEPS, handlingOf, isHandled, SHELLS } from './handling.ts';
import { findUnknownNames, findUnknownWords } from './known-names.ts';
import { DocumentRun, toolsAreBuilt } from './run-commands.ts';
import { readCommands } from './shell-words.ts';

interface Block {
  readonly name: string;
  readonly fence: Fence;
  readonly document: Document;
}

const blocksOf = (document: Document): readonly Block[] =>
  document.fences
    .filter(({ language }) => SHELLS.has(language))
    .map(fence => ({ name: `${document.path}:${fence.line}`, fence, document }));

const blocks = documents.flatMap(blocksOf);
const inCI = process.env.CI !== undefined;

const planted = (text: string): Block => {
  const [block] = blocksOf(readDocument('docs/planted.md', text));
  if (block === undefined) throw new Error('no commands in it');
  return block;
};

const sh = (commands: string, marks = ''): Block => planted(`\`\`\`sh ${marks}\n${commands}\n\`\`\`\n`);

/** What bash says about the syntax; empty where it is content. */
function parseShell(text: string): string {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 ? '' : stderr;
}

// 2154, 2164: a block is a part of what a reader types, who has set a variable before, and sees where `cd` failed.
// 1091: what a block sources need not be here. 2016: what stands in single quotes is meant as it is, for sed, jq or awk.
const SHELLCHECK = ['--shell=bash', '--format=gcc', '--exclude=SC1091,SC2016,SC2154,SC2164'];

/** All at once: a process for each would take longer than everything else here. */
function shellcheck(texts: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'docs-shellcheck-'));
  try {
    const files = texts.map((text, index) => {
      writeFileSync(join(folder, `${index}.sh`), text);
      return `${index}.sh`;
    });
    const { stdout, stderr, error } = spawnSync('shellcheck', [...SHELLCHECK, ...files], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (error !== undefined) throw error;
    return stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('blocks of all documents', () => {
  it('say what language they are in, so that no command hides in one without', () => {
    const silent = documents.flatMap(({ path, fences }) =>
      fences.filter(({ language }) => language === '').map(({ line }) => `${path}:${line}`),
    );
    expect(silent).toEqual([]);
    expect(blocks.length).toBeGreaterThan(40);
  });

  it.each(blocks.filter(({ document }) => isHandled(document)))('$name: its marks are true', ({ fence, document }) => {
    expect(() => handlingOf(fence, document)).not.toThrow();
  });

  it.each(blocks)('$name: the shell can read it', ({ fence }) => {
    expect(parseShell(fence.content)).toBe('');
  });

  it.skipIf(!inCI && spawnSync('shellcheck', ['--version']).status !== 0)('shellcheck has nothing to say', () => {
    const said = shellcheck(blocks.map(({ fence }) => fence.content));
    expect(said.replace(/^(\d+)\.sh/gm, (_, index: string) => blocks[Number(index)]?.name ?? '')).toBe('');
  });

  it.each(blocks)('$name: the names in it are there', ({ fence, document }) => {
    expect(findUnknownNames(fence.content, document.path)).toEqual([]);
  });
});

describe('commands within sentences', () => {
  it('use names that are there', () => {
    const unknown = documents.flatMap(({ path, codeSpans }) =>
      codeSpans.flatMap(({ line, text }) =>
        // `make it so` is no command: only what is known to be one when it stands alone.
        readCommands(text).flatMap(command => findUnknownWords(command).map(fault => `${path}:${line}: ${fault}`)),
      ),
    );
    expect(unknown).toEqual([]);
  });
});

/** A block whose marks are faulty has failed above, and is not run. */
function readRun(block: Block) {
  try {
    const handling = handlingOf(block.fence, block.document);
    return handling.kind === 'run' ? [{ ...block, ...handling }] : [];
  } catch {
    return [];
  }
}

const running = documents.filter(isHandled).flatMap(document => {
  const toRun = blocksOf(document).flatMap(readRun);
  const tools = toRun
    .filter(block => block.tools)
    .flatMap(({ fence }) => [...fence.content.matchAll(/tools\/path\.sh ([a-z0-9.-]+)/g)].map(([, name = '']) => name));
  return toRun.length === 0 ? [] : [{ path: document.path, toRun, built: tools.length === 0 || toolsAreBuilt(tools) }];
});

describe.each(running)('commands of $path', ({ toRun, built }) => {
  let run: DocumentRun;
  beforeAll(() => {
    run = new DocumentRun();
  });
  afterAll(() => {
    run.stop();
  });

  for (const { name, script, tools, background } of toRun)
    it.skipIf((tools || background) && !built && !inCI)(
      `${name}${tools ? ' (needs the tools: tools/build.sh)' : ''}`,
      async () => {
        await (background ? run.start(script) : run.run(script));
      },
    );
});

describe('what a check finds', () => {
  const marksOf = ({ fence, document }: Block) => handlingOf(fence, document);

  it('a block without a mark is run', () => {
    expect(marksOf(sh('make render'))).toMatchObject({ kind: 'run', script: 'make render\n' });
  });
  it('a step of CI is left to it, what stands beside it is not', () => {
    expect(CI_STEPS).toContain('make conformance');
    expect(CI_STEPS).toContain('infra/k8s/check.sh');
    expect(marksOf(sh('make conformance   # minutes'))).toEqual({ kind: 'ci' });
    expect(marksOf(sh('make test\nmake render'))).toMatchObject({ kind: 'run', script: 'make render\n' });
    expect(marksOf(sh('make conformance EXAMPLES=none'))).toMatchObject({ kind: 'run' });
  });
  it.each([
    ['an unknown mark', sh('true', 'skip'), 'unknown mark skip'],
    ['an unknown need', sh('kubectl get pods', 'needs=luck'), 'unknown need luck'],
    ['a need of nothing', sh('make render', 'needs=cluster'), 'nothing in it needs cluster'],
    ['a need of less than it says', sh('kubectl get pods', 'needs=cluster,hardware'), 'nothing in it needs hardware'],
    ['a cluster without a mark', sh('kubectl delete namespace x'), 'kubectl needs cluster: mark it'],
    ['an account within another command', sh('echo $(aws s3 ls)'), 'aws needs accounts: mark it'],
    ['a test that is not there', sh('true', 'test=test/none.test.ts'), 'is not there'],
    ['a test that knows nothing of it', sh('true', 'test=test/cli/cli.test.ts'), 'does not name docs/planted.md'],
    ['a test and a need', sh('kubectl get pods', 'needs=cluster test=test/cli/cli.test.ts'), 'stands alone'],
  ])('%s', (_, block, fault) => {
    expect(() => marksOf(block)).toThrow(fault);
  });

  it.each([
    ['a target', 'make rendre', 'there is no make target rendre'],
    ['a target behind another command', 'cd x && make rendre', 'there is no make target rendre'],
    ['a variable', 'make render CASSE=x', 'there is no variable of make CASSE'],
    ['a command', 'tofuworkspace rendr x', 'tofuworkspace has no command rendr'],
    ['a flag', 'node dist/cli.js render examples/ready --modul', 'there is no flag of tofuworkspace --modul'],
    ['a flag after a line break', 'node dist/cli.js render \\\n  --modul', 'there is no flag of tofuworkspace --modul'],
    ['a script of npm', 'npm run --silent rendre', 'there is no npm script rendre'],
    ['a task', 'task phase9', 'there is no task phase9'],
    ['a file', 'kubectl apply -f install/rbak.yaml', 'there is no install/rbak.yaml'],
    [
      'a file from where `cd` leads',
      'cd infra/ansible\nansible-playbook playbooks/none.yml',
      'there is no playbooks/none.yml',
    ],
    ['a folder', 'ls examples/redy', 'there is no examples/redy'],
  ])('%s that is not there', (_, text, fault) => {
    expect(findUnknownNames(text, 'docs/planted.md')).toEqual([fault]);
  });

  it('text that is no shell', () => {
    expect(parseShell('if true; then\n')).toContain('syntax error');
    expect(shellcheck(['true\n', 'for x in $(ls *.yaml); do echo $x; done\n'])).toMatch(/^1\.sh:1:.*SC2045/m);
  });

  it('a command that fails', async () => {
    const run = new DocumentRun();
    try {
      await expect(run.run('node dist/cli.js render examples/unreadable-schedule | head -n 1')).rejects.toThrow(
        'exit code 1',
      );
      await expect(run.run('node dist/cli.js render examples/ready --module')).resolves.toContain('b2_bucket');
    } finally {
      run.stop();
    }
  });
});
