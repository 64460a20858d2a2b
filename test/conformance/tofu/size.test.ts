/** More than any namespace should have: 500 buckets and 2,000 records in one module. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { route, schedule, ZONE } from '../../fixtures/objects.ts';
import { describeTofu } from './app.ts';

const BUCKETS = 500;
const ROUTES = 125;
const HOSTS = 16;

describeTofu('500 buckets and 2,000 records', (start, tofu) => {
  it('are validated and planned', async () => {
    const app = start({ encryption: 'fast' });
    app.schedules = Array.from({ length: BUCKETS }, (_, i) => schedule(`backup-${i}`, `demo-files-${i}`));
    app.routes = Array.from({ length: ROUTES }, (_, i) =>
      route(
        `web-${i}`,
        Array.from({ length: HOSTS }, (_host, j) => `app-${i}-${j}.${ZONE}`),
      ),
    );
    const order = app.order(app.settle());
    await app.directory.connect(order);
    const started = performance.now();
    expect(await app.directory.run(order, 'validate', '-no-color')).toMatchObject({ status: 0 });
    const validated = performance.now();
    const { text } = await app.directory.plan(order);
    const planned = performance.now();
    expect(text).toContain(`Plan: ${2 * BUCKETS + ROUTES * HOSTS + 1} to add, 0 to change, 0 to destroy.`);
    writeFileSync(1, `${tofu}: validate ${since(started, validated)}, plan ${since(validated, planned)}\n`);
  });
});

function since(from: number, to: number): string {
  return `${((to - from) / 1000).toFixed(1)}s`;
}
