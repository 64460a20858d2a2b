/** Blocks that move, adopt and forget resources without touching what they stand for. */
import type { BlockNode, Reference, ReferenceStep } from '../hcl/ast.ts';
import { attr, block, bool, referenceFromSteps, string } from '../hcl/build.ts';
import type { AddressStep } from '../intent/intent.ts';

/** `import { to, id }`: the target must be in its block's for_each, or every plan fails (hazard 9). */
export function importBlock(to: Reference, id: string): BlockNode {
  return block('import', [], [attr('to', to), attr('id', string(id))]);
}

/** `moved { from, to }`: without effect where `from` is not in state. */
export function movedBlock(from: Reference, to: Reference): BlockNode {
  return block('moved', [], [attr('from', from), attr('to', to)]);
}

/**
 * `removed` that forgets instead of destroying. It may name no instance key, and `tofu destroy`
 * ignores it (hazard 3).
 */
export function forgetBlock(from: Reference): BlockNode {
  return block('removed', [], [attr('from', from), block('lifecycle', [], [attr('destroy', bool(false))])]);
}

/**
 * The address of a resource in an older module.
 * @throws RangeError where the address does not begin with a name
 */
export function addressReference(address: readonly AddressStep[]): Reference {
  const [root, ...steps] = address;
  if (root?.kind !== 'name') throw new RangeError('expected an address that begins with a name');
  return referenceFromSteps(root.name, steps.map(referenceStep));
}

function referenceStep(step: AddressStep): ReferenceStep {
  switch (step.kind) {
    case 'name':
      return { kind: 'attribute', name: step.name };
    case 'index':
      return { kind: 'index', key: step.index };
  }
}
