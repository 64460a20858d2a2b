/**
 * Every secret of the site: its keys, and where each value comes from.
 * AWS Secrets Manager holds one JSON object per secret, under <aws.prefix>/<name>.
 */

/** Keys that are made together, or that somebody else brings. */
export type Part =
  | { readonly kind: 'password'; readonly key: string }
  | { readonly kind: 'wireguard-pair'; readonly privateKey: string; readonly publicKey: string }
  | { readonly kind: 'wireguard-preshared'; readonly key: string }
  | { readonly kind: 'ssh-pair'; readonly privateKey: string; readonly publicKey: string }
  | { readonly kind: 'talos-bundle'; readonly machineSecrets: string; readonly talosconfig: string }
  /** Only the operator knows it: `task secret:put`. */
  | { readonly kind: 'given'; readonly key: string; readonly what: string }
  /** A later phase makes it. */
  | { readonly kind: 'produced'; readonly key: string; readonly by: string };

export type GeneratedPart = Exclude<Part, { kind: 'given' | 'produced' }>;

export const CATALOGUE = {
  router: [
    { kind: 'password', key: 'root_password' },
    { kind: 'wireguard-pair', privateKey: 'wireguard_private_key', publicKey: 'wireguard_public_key' },
    { kind: 'wireguard-pair', privateKey: 'operator_private_key', publicKey: 'operator_public_key' },
    { kind: 'wireguard-preshared', key: 'preshared_key' },
  ],
  ssh: [{ kind: 'ssh-pair', privateKey: 'private_key', publicKey: 'public_key' }],
  switch: [{ kind: 'given', key: 'admin_password', what: 'what you typed into the switch' }],
  proxmox: [
    { kind: 'password', key: 'root_password' },
    { kind: 'produced', key: 'api_token', by: 'p2_config' },
  ],
  tofu: [
    { kind: 'password', key: 'state_passphrase' },
    { kind: 'given', key: 'state_access_key_id', what: 'access key of the state bucket' },
    { kind: 'given', key: 'state_secret_access_key', what: 'secret key of the state bucket' },
  ],
  talos: [{ kind: 'talos-bundle', machineSecrets: 'machine_secrets', talosconfig: 'talosconfig' }],
  kubernetes: [{ kind: 'produced', key: 'kubeconfig', by: 'p4_kubeconfig' }],
  eso: [
    { kind: 'given', key: 'access_key_id', what: 'access key of the IAM user that may read this prefix' },
    { kind: 'given', key: 'secret_access_key', what: 'its secret key' },
  ],
  longhorn: [{ kind: 'password', key: 'volume_passphrase' }],
  guests: [{ kind: 'password', key: 'kali_password' }],
} as const satisfies Readonly<Record<string, readonly Part[]>>;

export type SecretName = keyof typeof CATALOGUE;

export const SECRET_NAMES = Object.keys(CATALOGUE) as readonly SecretName[];

export function partsOf(name: SecretName): readonly Part[] {
  return CATALOGUE[name];
}

export function isSecretName(text: string): text is SecretName {
  return Object.hasOwn(CATALOGUE, text);
}

export function keysOf(part: Part): readonly string[] {
  switch (part.kind) {
    case 'wireguard-pair':
    case 'ssh-pair':
      return [part.privateKey, part.publicKey];
    case 'talos-bundle':
      return [part.machineSecrets, part.talosconfig];
    case 'password':
    case 'wireguard-preshared':
    case 'given':
    case 'produced':
      return [part.key];
  }
}

export function isGenerated(part: Part): part is GeneratedPart {
  return part.kind !== 'given' && part.kind !== 'produced';
}

/** What to do about a key that is missing. */
export function remedyFor(name: SecretName, key: string): string {
  const part = partsOf(name).find(each => keysOf(each).includes(key));
  if (part === undefined) throw new Error(`secret ${name} has no key ${key}`);
  if (part.kind === 'given') return `task secret:put -- ${name} ${key}  (${part.what})`;
  return part.kind === 'produced' ? `task ${part.by}` : 'task phase0';
}
