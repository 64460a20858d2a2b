import { describe, expect, it } from 'vitest';
import { parseHclFile } from './hcl-file.ts';

const parse = (text: string) => parseHclFile({ file: 'main.tf', text });

describe('parseHclFile', () => {
  it('reads nested literals with their lines, and keeps other expressions as text', () => {
    const [variable, resource] = parse(`# a comment
variable "nodes" {
  default = {
    a = { role = "worker", cores = 4, on = true } /* one line */
    b = {
      list = ["x", 2,
        false]
    }
  }
  validation {
    condition     = alltrue([for name in keys(var.nodes) : can(regex("^[a-z]{2}}", name))])
    error_message = "no \${braces} matter"
  }
}
resource "x" "y" {
  for_each = local.buckets
  text     = <<-EOT
    } not the end {
  EOT
  last = { for k, v in var.nodes : k => v }
}
`);
    expect(variable).toMatchObject({ type: 'variable', labels: ['nodes'], line: 2 });
    const map = variable?.attributes.get('default');
    expect(map?.kind === 'object' ? [...map.entries].map(([key, { line }]) => [key, line]) : []).toEqual([
      ['a', 4],
      ['b', 5],
    ]);
    expect(variable?.blocks[0]?.attributes.get('error_message')).toMatchObject({ kind: 'expression', line: 12 });
    expect(resource?.attributes.get('for_each')).toEqual({ kind: 'expression', line: 16, text: 'local.buckets' });
    expect(resource?.attributes.get('last')).toMatchObject({ kind: 'expression', line: 20 });
  });

  it.each([
    ['a block that does not end', 'a {\n  b = 1\n'],
    ['a string that does not end', 'a = "b'],
    ['a brace too many', 'a = 1\n}'],
    ['a label that is no name', 'a ${b} {\n}\n'],
  ])('throws with the place on %s', (_, text) => {
    expect(() => parse(text)).toThrow(/^main\.tf:\d+: expected /);
  });
});
