import { findBlocks, scanStructure, type ScannedBlock } from '../hcl/scan.ts';
import { EXTRA_MARKER, RESOURCE } from '../intent/names.ts';

/** A literal `prevent_destroy` as it stands in a block; `absent` where there is no such block. */
export type Literal = 'true' | 'false' | 'absent' | 'unreadable';

/** What a module of ours does when it is destroyed. */
export interface Protection {
  /** Of the one block that stands for all buckets. */
  readonly buckets: Literal;
  /** Of the guard, which is left out where there is no bucket. */
  readonly guard: Literal;
  /** It has `removed` blocks: buckets that left the protecting block and are not forgotten yet. */
  readonly forgets: boolean;
}

/** Reads our own part of a module of ours. */
export function readProtection(module: string): Protection {
  const [own = ''] = module.split(`\n${EXTRA_MARKER}\n`, 1);
  const scan = scanStructure(own);
  const read = (type: string, name: string): Literal => {
    const block = findBlocks(scan, 'resource', type, name)[0];
    return block === undefined ? (scan.complete ? 'absent' : 'unreadable') : readLiteral(block);
  };
  return {
    buckets: read('b2_bucket', RESOURCE.bucket),
    guard: read('terraform_data', RESOURCE.guard),
    forgets: findBlocks(scan, 'removed').length > 0,
  };
}

function readLiteral(block: ScannedBlock): Literal {
  const text = findBlocks(block, 'lifecycle')[0]?.expressions.get('prevent_destroy')?.trim();
  return text === 'true' || text === 'false' ? text : 'unreadable';
}
