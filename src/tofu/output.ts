import type { BlockNode, Expression } from '../hcl/ast.ts';
import { attr, block, bool } from '../hcl/build.ts';

/** `output "<name>"`: it reaches the Workspace's status, where anyone with read access sees it. */
export function output(name: string, value: Expression): BlockNode {
  return block('output', [name], [attr('value', value)]);
}

/** A sensitive output: it reaches the connection Secret only (field report 28). */
export function sensitiveOutput(name: string, value: Expression): BlockNode {
  return block('output', [name], [attr('value', value), attr('sensitive', bool(true))]);
}
