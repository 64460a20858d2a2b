/**
 * AWS Secrets Manager: one JSON object per secret, and the staging labels that make phase 0 safe to interrupt.
 *
 * A version is first STAGED: it is in AWS and was read back, but no device has it. Then the device gets it. Then it is
 * promoted: AWSCURRENT, by which everybody reads, moves to it; PROVISIONED says that the device has it; STAGED goes.
 * AWS labels the first version of a secret AWSCURRENT by itself, so that label alone does not tell where we stand.
 */
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Site } from '../site/site.ts';
import type { SecretName } from './catalogue.ts';
import type { Values } from './generate.ts';

const STAGED = 'BOOTSTRAP_STAGED';
const PROVISIONED = 'BOOTSTRAP_PROVISIONED';
const CURRENT = 'AWSCURRENT';

/** Ids of versions. */
export interface Versions {
  readonly exists: boolean;
  readonly current: string | undefined;
  readonly staged: string | undefined;
  readonly provisioned: string | undefined;
}

const values = z.record(z.string(), z.string());

export class SecretStore {
  readonly #client: SecretsManagerClient;
  readonly #prefix: string;

  constructor(site: Site) {
    this.#client = new SecretsManagerClient({ region: site.aws.region });
    this.#prefix = site.aws.prefix;
  }

  #id(name: SecretName): string {
    return `${this.#prefix}/${name}`;
  }

  async versions(name: SecretName): Promise<Versions> {
    try {
      const found = await this.#client.send(new DescribeSecretCommand({ SecretId: this.#id(name) }));
      if (found.DeletedDate !== undefined) {
        throw new Error(`secret ${this.#id(name)} is scheduled for deletion: restore it or wait until it is gone`);
      }
      const entries = Object.entries(found.VersionIdsToStages ?? {});
      const by = (label: string): string | undefined => entries.find(([, labels]) => labels.includes(label))?.[0];
      return { exists: true, current: by(CURRENT), staged: by(STAGED), provisioned: by(PROVISIONED) };
    } catch (error) {
      // Only this answer means absent. Any other, such as a missing permission, must not lead to new passwords.
      if (!(error instanceof ResourceNotFoundException)) throw error;
      return { exists: false, current: undefined, staged: undefined, provisioned: undefined };
    }
  }

  async read(name: SecretName, version: string): Promise<Values> {
    const found = await this.#client.send(new GetSecretValueCommand({ SecretId: this.#id(name), VersionId: version }));
    const parsed = values.safeParse(JSON.parse(found.SecretString ?? 'null'));
    if (!parsed.success) throw new Error(`secret ${this.#id(name)} version ${version} is not a JSON object of strings`);
    return parsed.data;
  }

  /** Puts a version that nobody uses yet, and reads it back. */
  async stage(name: SecretName, wanted: Values): Promise<string> {
    return this.#put(name, wanted, [STAGED]);
  }

  /** For values that no device has to take over first. */
  async replace(name: SecretName, wanted: Values): Promise<string> {
    const { exists } = await this.versions(name);
    if (!exists) await this.create(name);
    return this.#put(name, wanted, [CURRENT, PROVISIONED]);
  }

  /** Without a value: with one, AWS would make it current at once. */
  async create(name: SecretName): Promise<void> {
    await this.#client.send(
      new CreateSecretCommand({ Name: this.#id(name), Description: 'Made by infra/bootstrap, phase 0' }),
    );
  }

  async #put(name: SecretName, wanted: Values, labels: string[]): Promise<string> {
    const { VersionId: version } = await this.#client.send(
      new PutSecretValueCommand({
        SecretId: this.#id(name),
        SecretString: JSON.stringify(wanted),
        VersionStages: labels,
        ClientRequestToken: randomUUID(),
      }),
    );
    if (version === undefined) throw new Error(`AWS named no version of ${this.#id(name)}`);
    await this.verify(name, version, wanted);
    return version;
  }

  async verify(name: SecretName, version: string, wanted: Values): Promise<void> {
    const found = await this.read(name, version);
    if (!isDeepStrictEqual({ ...found }, { ...wanted })) {
      throw new Error(`secret ${this.#id(name)} version ${version} reads back differently: nothing was changed`);
    }
  }

  /** The order matters: while STAGED is there, a run that follows finds its way to here again. */
  async promote(name: SecretName): Promise<boolean> {
    const { current, provisioned, staged } = await this.versions(name);
    if (staged === undefined) return false;
    await this.#move(name, CURRENT, current, staged);
    await this.#move(name, PROVISIONED, provisioned, staged);
    await this.#move(name, STAGED, staged, undefined);
    return true;
  }

  async #move(name: SecretName, label: string, from: string | undefined, to: string | undefined): Promise<void> {
    if (from === to) return;
    await this.#client.send(
      new UpdateSecretVersionStageCommand({
        SecretId: this.#id(name),
        VersionStage: label,
        RemoveFromVersionId: from,
        MoveToVersionId: to,
      }),
    );
  }
}
