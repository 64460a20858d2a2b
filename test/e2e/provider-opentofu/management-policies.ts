/** What a Workspace's spec.managementPolicies allow, as crossplane-runtime 2.0 reads them. */

const SUPPORTED: readonly (readonly string[])[] = [
  ['*'],
  ['Observe', 'Create', 'Update', 'LateInitialize', 'Delete'],
  ['Observe'],
  [],
  ['Observe', 'Create', 'Update', 'Delete'],
  ['Observe', 'Create', 'Update', 'LateInitialize'],
  ['Observe', 'Create', 'Update'],
  ['Observe', 'Create', 'Delete', 'LateInitialize'],
  ['Observe', 'Create', 'LateInitialize'],
  ['Observe', 'Create', 'Delete'],
  ['Observe', 'Create'],
  ['Observe', 'Delete'],
  ['Observe', 'Update'],
  ['Observe', 'LateInitialize'],
  ['Observe', 'Update', 'LateInitialize'],
];

export class ManagementPolicies {
  readonly #actions: ReadonlySet<string>;

  /** The API server fills in ["*"] where nothing is said. */
  constructor(actions: readonly string[] = ['*']) {
    this.#actions = new Set(actions);
  }

  get paused(): boolean {
    return this.#actions.size === 0;
  }

  get onlyObserve(): boolean {
    return this.#actions.size === 1 && this.#actions.has('Observe');
  }

  allows(action: 'Create' | 'Update' | 'Delete'): boolean {
    return this.#actions.has('*') || this.#actions.has(action);
  }

  /** Why the combination is refused; undefined where it is one of those that are supported. */
  get fault(): string | undefined {
    const { size } = this.#actions;
    const known = SUPPORTED.some(set => set.length === size && set.every(action => this.#actions.has(action)));
    if (known) return undefined;
    const list = [...this.#actions].join(' ');
    return `\`spec.managementPolicies\` is set to a value([${list}]) which is not supported. Check docs for supported policies`;
  }
}
