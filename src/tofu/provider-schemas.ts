/** What may be written and read, by block type: the providers' schemas and OpenTofu's own terraform_data. */
import type * as B2 from '../gen/tofu/b2.ts';
import type * as Netbird from '../gen/tofu/netbird.ts';

export interface Providers {
  readonly b2: B2.Provider;
  readonly netbird: Netbird.Provider;
}

interface BuiltIn {
  readonly terraform_data: {
    readonly arguments: { readonly input?: unknown; readonly triggers_replace?: unknown };
    readonly attributes: { readonly id: string; readonly output: unknown };
  };
}

export type Resources = B2.Resources & Netbird.Resources & BuiltIn;
export type ResourceType = keyof Resources;

export type DataSources = Netbird.DataSources;
export type DataSourceType = keyof DataSources;
