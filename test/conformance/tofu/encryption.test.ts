/** Passphrases change, state becomes encrypted, and what cannot be read stays as it is. */
import { expect, it } from 'vitest';
import { schedule } from '../../fixtures/objects.ts';
import { describeTofu, PASSPHRASE, withoutEncryption, WRONG_PASSPHRASE, type App } from './app.ts';

const NEW_PASSPHRASE = 'the next passphrase of the test';

async function applied(app: App): Promise<App> {
  app.schedules = [schedule('nightly', 'demo-files')];
  expect((await app.reconcile()).error).toBeUndefined();
  return app;
}

function withPassphrases(app: App, passphrase: string, previous?: string): void {
  app.secrets = {
    ...app.secrets,
    'tofu-encryption/passphrase': passphrase,
    'tofu-encryption-old/passphrase': previous ?? '',
  };
  app.stateFields =
    previous === undefined
      ? {}
      : { encryption: { previousSecretRef: { name: 'tofu-encryption-old', key: 'passphrase' } } };
}

describeTofu('the passphrase', start => {
  it('is rotated: old state is read with the previous one and written with the new one', async () => {
    const app = await applied(start({ encryption: 'fast' }));
    const before = app.site.store.read(app.stateObject);
    withPassphrases(app, NEW_PASSPHRASE, PASSPHRASE);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'outputs only' });
    expect(app.site.store.read(app.stateObject)).not.toBe(before);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });

    withPassphrases(app, NEW_PASSPHRASE);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'outputs only' });
    app.world.takeCalls();

    // And once more, now that the first rotation has ended with an apply.
    withPassphrases(app, PASSPHRASE, NEW_PASSPHRASE);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'outputs only' });
    withPassphrases(app, PASSPHRASE);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'outputs only' });
    withPassphrases(app, NEW_PASSPHRASE);
    expect((await app.reconcile()).error).toBeDefined();
    expect(app.world.takeCalls()).toEqual([]);
  });

  it('that is wrong is an error that names the Secret, and changes nothing', async () => {
    const app = await applied(start({ encryption: 'fast' }));
    const before = app.site.store.read(app.stateObject);
    withPassphrases(app, WRONG_PASSPHRASE);
    for (const lost of [false, true]) {
      if (lost) app.loseDirectory();
      expect((await app.reconcile()).error).toBeDefined();
      expect(app.hint()).toMatchObject({ reason: 'WrongPassphrase' });
      expect(app.hint().message).toContain('Secret demo-a/tofu-encryption.');
    }
    expect(app.site.store.read(app.stateObject)).toBe(before);
    withPassphrases(app, PASSPHRASE);
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
  });

  it('that is too short is refused by OpenTofu', async () => {
    const app = start({ encryption: 'fast' });
    withPassphrases(app, 'fifteen letters');
    expect((await app.reconcile()).error?.stderr).toContain('passphrase is too short');
    expect(app.hint().reason).toBe('PassphraseTooShort');
  });
});

describeTofu('unencrypted state', start => {
  it('is adopted: read as it is, written encrypted, and then refused', async () => {
    const app = start({ encryption: 'fast' });
    app.schedules = [schedule('nightly', 'demo-files')];
    const order = app.order(app.settle());
    const plain = {
      ...order,
      configuration: withoutEncryption(order.configuration),
      environment: { ...order.environment, TF_ENCRYPTION: '' },
    };
    await app.directory.connect(plain);
    await app.directory.apply(plain);
    app.loseDirectory();
    expect(app.site.store.read(app.stateObject)).toContain('demo-files');

    expect((await app.reconcile()).error).toBeDefined();
    expect(app.hint().reason).toBe('StateNotEncrypted');
    app.stateFields = { encryption: { adoptUnencrypted: true } };
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'outputs only' });
    expect(app.site.store.read(app.stateObject)).not.toContain('demo-files');
    app.stateFields = {};
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'outputs only' });
    expect(await app.reconcile()).toMatchObject({ error: undefined, plan: 'no changes' });
  });
});
