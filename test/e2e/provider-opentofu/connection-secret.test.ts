import { describe, expect, it } from 'vitest';
import type { Secret, Workspace } from './api.ts';
import { composeConnectionSecret, findControlFault } from './connection-secret.ts';

const TYPE = 'connection.crossplane.io/v1alpha1';

const WORKSPACE: Workspace = {
  apiVersion: 'opentofu.m.upbound.io/v1beta1',
  kind: 'Workspace',
  metadata: { name: 'demo', namespace: 'demo-a', uid: 'u-1' },
  spec: { forProvider: { source: 'Inline', module: '' } },
};

describe('the connection Secret', () => {
  it('is controlled by its Workspace', () => {
    expect(composeConnectionSecret(WORKSPACE, 'outputs', new Map([['a', 'b']]))).toEqual({
      metadata: {
        name: 'outputs',
        namespace: 'demo-a',
        ownerReferences: [
          {
            apiVersion: WORKSPACE.apiVersion,
            kind: 'Workspace',
            name: 'demo',
            uid: 'u-1',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      type: TYPE,
      data: { a: 'Yg==' },
    });
  });

  const secret = (type: string, uid?: string): Secret => {
    const owner = { apiVersion: 'v1', kind: 'X', name: 'x', controller: true };
    return {
      metadata: { name: 's', namespace: 'n', ...(uid === undefined ? {} : { ownerReferences: [{ ...owner, uid }] }) },
      type,
    };
  };

  it.each([
    { name: 'its own', found: secret(TYPE, 'u-1'), fault: undefined },
    { name: 'one that nobody controls', found: secret(TYPE), fault: undefined },
    { name: 'its own of another type', found: secret('Opaque', 'u-1'), fault: undefined },
    { name: "somebody else's", found: secret(TYPE, 'u-2'), fault: 'existing secret is not controlled by UID "u-1"' },
    {
      name: 'an ordinary one',
      found: secret('Opaque'),
      fault: 'refusing to modify uncontrolled secret of type "Opaque"',
    },
  ])('over $name', ({ found, fault }) => {
    expect(findControlFault(found, 'u-1')).toBe(fault);
  });
});
