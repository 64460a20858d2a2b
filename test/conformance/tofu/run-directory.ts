/**
 * The directory that provider-opentofu makes for one Workspace, and what it runs there, in its order
 * (internal/controller/namespaced/workspace/workspace.go there).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenTofu, TofuError, type Output, type Run } from '../../tofu/opentofu.ts';

/** What a Workspace and its ProviderConfig tell the provider. */
export interface Order {
  readonly module: string;
  readonly configuration: string;
  /** external-name */
  readonly workspace: string;
  /** Resolved from the Secrets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly applyArgs: readonly string[];
  readonly destroyArgs: readonly string[];
}

export class RunDirectory {
  readonly folder: string;
  readonly #binary: string;
  readonly #environment: Readonly<Record<string, string>>;
  #initialised: string | undefined;

  constructor(folder: string, tofu: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#binary = tofu;
    this.#environment = environment;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Connect: files, init, workspace. The provider runs both commands again whenever a file changed; here they run
   * again where a change could matter to them, which saves half of all time. @throws TofuError
   */
  async connect(order: Order): Promise<void> {
    writeFileSync(join(this.folder, 'main.tf'), order.module, { mode: 0o600 });
    writeFileSync(join(this.folder, 'crossplane-provider-config.tf'), order.configuration, { mode: 0o600 });
    const requirements = /^terraform \{\n.*?^\}/ms.exec(order.module)?.[0] ?? '';
    const wanted = JSON.stringify([requirements, order.configuration, order.workspace]);
    if (this.#initialised === wanted) return;
    const tofu = this.#tofu(order);
    await during('connect failed: cannot initialize tofu configuration', tofu.init());
    await during('connect failed: cannot select tofu workspace', tofu.workspace(order.workspace));
    this.#initialised = wanted;
  }

  /** Observe: true where the plan has changes. @throws TofuError */
  plan(order: Order): Promise<{ readonly differs: boolean; readonly text: string }> {
    return during('observe failed: cannot diff (i.e. plan) tofu configuration', this.#tofu(order).plan());
  }

  apply(order: Order): Promise<string> {
    return during('update failed: cannot apply tofu configuration', this.#tofu(order).apply(order.applyArgs));
  }

  destroy(order: Order): Promise<string> {
    return during('delete failed: cannot destroy tofu configuration', this.#tofu(order).destroy(order.destroyArgs));
  }

  resources(order: Order): Promise<string[]> {
    return during('observe failed: cannot list tofu resources', this.#tofu(order).resources());
  }

  outputs(order: Order): Promise<Output[]> {
    return during('observe failed: cannot list tofu outputs', this.#tofu(order).outputs());
  }

  /** One tofu command in this directory. */
  run(order: Pick<Order, 'environment'>, ...args: readonly string[]): Promise<Run> {
    return this.#tofu(order).run(...args);
  }

  #tofu({ environment }: Pick<Order, 'environment'>): OpenTofu {
    return new OpenTofu({
      binary: this.#binary,
      folder: this.folder,
      environment: { ...this.#environment, ...environment },
    });
  }
}

async function during<T>(doing: string, command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    throw error instanceof TofuError ? error.during(doing) : error;
  }
}
