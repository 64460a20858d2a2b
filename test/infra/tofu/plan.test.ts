/** What each environment plans on an empty site: the machines, networks, names and keys of the site plan. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { block, created, ENVIRONMENTS, INFRA_TOFU, Site, type Plan } from './site.ts';

// Many runs of OpenTofu one after the other, each with its own key derivation.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let site: Site;
const plans = new Map<string, Plan>();

function planOf(environment: string): Plan {
  const plan = plans.get(environment);
  if (plan === undefined) throw new Error(`${environment} was not planned`);
  return plan;
}

beforeAll(async () => {
  site = await Site.start();
  await site.init('netbird');
  plans.set('netbird', await site.plan('netbird'));
  await site.apply('netbird');
  for (const environment of ENVIRONMENTS.filter(name => name !== 'netbird')) {
    await site.init(environment);
    plans.set(environment, await site.plan(environment));
  }
});

afterAll(() => site.stop());

it('only creates, everywhere', () => {
  for (const environment of ENVIRONMENTS) {
    const actions = new Set(
      planOf(environment)
        .resource_changes.filter(({ mode }) => mode === 'managed')
        .map(({ change }) => change.actions.join()),
    );
    expect({ environment, actions: [...actions] }).toEqual({ environment, actions: ['create'] });
  }
});

describe('production', () => {
  const NODES = [
    ['talos-cp-01', 'proxmox-1', '192.168.100.101/24', false],
    ['talos-cp-02', 'proxmox-2', '192.168.100.102/24', false],
    ['talos-cp-04', 'proxmox-4', '192.168.100.104/24', false],
    ['talos-worker-01', 'proxmox-1', '192.168.100.111/24', true],
    ['talos-worker-02', 'proxmox-2', '192.168.100.112/24', true],
    ['talos-worker-03', 'proxmox-3', '192.168.100.113/24', true],
    ['talos-worker-04', 'proxmox-4', '192.168.100.114/24', true],
  ] as const;

  it('has the seven Talos VMs, and no other', () => {
    const vms = created(planOf('production'), 'proxmox_virtual_environment_vm');
    const found = Object.entries(vms).map(([key, vm]) => {
      expect(vm.name).toBe(key);
      const { ip_config } = block(vm, 'initialization');
      const { address, gateway } = block(block({ ip_config }, 'ip_config'), 'ipv4');
      expect(gateway).toBe('192.168.100.1');
      return [key, vm.node_name, address, (vm.hostpci as unknown[]).length === 1];
    });
    expect(found).toEqual(NODES);
  });

  it('boots them from the Talos image on their own disk', () => {
    for (const vm of Object.values(created(planOf('production'), 'proxmox_virtual_environment_vm'))) {
      expect(vm).toMatchObject({
        machine: 'q35',
        boot_order: ['scsi0'],
        on_boot: true,
        protection: true,
        started: null,
      });
      expect(block(vm, 'disk')).toMatchObject({ interface: 'scsi0', file_format: 'raw' });
      expect(block(vm, 'agent')).toMatchObject({ enabled: true });
      expect(block(vm, 'network_device')).toMatchObject({ bridge: 'vmbr0', vlan_id: 100 });
    }
  });

  it('hands the iGPU to workers by the one mapping, which every host has', () => {
    const mapping = Object.values(created(planOf('production'), 'proxmox_hardware_mapping_pci'));
    expect(mapping).toHaveLength(1);
    const hosts = (mapping[0]?.map as readonly { node: string }[]).map(({ node }) => node).sort();
    expect(hosts).toEqual(['proxmox-1', 'proxmox-2', 'proxmox-3', 'proxmox-4']);
    const vms = Object.values(created(planOf('production'), 'proxmox_virtual_environment_vm'));
    const devices = vms.flatMap(vm => vm.hostpci as readonly unknown[]);
    expect(devices).toHaveLength(4);
    for (const device of devices) expect(device).toMatchObject({ device: 'hostpci0', mapping: 'iGPU', pcie: true });
  });

  it('downloads the images of the factory once on each host', async () => {
    const images = Object.values(created(planOf('production'), 'proxmox_download_file'));
    expect(images.map(({ node_name, file_name }) => `${String(node_name)} ${String(file_name)}`)).toEqual([
      'proxmox-1 talos-v1.13.7-igpu-nocloud-amd64.img',
      'proxmox-1 talos-v1.13.7-plain-nocloud-amd64.img',
      'proxmox-2 talos-v1.13.7-igpu-nocloud-amd64.img',
      'proxmox-2 talos-v1.13.7-plain-nocloud-amd64.img',
      'proxmox-3 talos-v1.13.7-igpu-nocloud-amd64.img',
      'proxmox-4 talos-v1.13.7-igpu-nocloud-amd64.img',
      'proxmox-4 talos-v1.13.7-plain-nocloud-amd64.img',
    ]);
    for (const image of images)
      expect(image).toMatchObject({ content_type: 'iso', decompression_algorithm: 'gz', overwrite: false });
    // The schematic's id is known after the apply only, and with it the address.
    await site.apply('production');
    const { resource_changes } = await site.plan('production');
    for (const { change } of resource_changes.filter(({ type }) => type === 'proxmox_download_file')) {
      expect(change.actions).toEqual(['no-op']);
      expect(change.after.url).toMatch(
        /^https:\/\/factory\.talos\.dev\/image\/[^/]+\/v1\.13\.7\/nocloud-amd64\.raw\.gz$/,
      );
    }
  });

  it('a newer image does not replace a VM, and a VM can not be destroyed', async () => {
    const newer = await site.plan('production', '-var', 'talos_version=v1.14.0');
    const changed = newer.resource_changes.filter(
      ({ change }) => change.actions.join() !== 'no-op' && change.actions.join() !== 'read',
    );
    expect(new Set(changed.map(({ type }) => type))).toEqual(new Set(['proxmox_download_file']));
    const { status, output } = await site.run('production', 'plan', '-destroy', '-input=false');
    expect(status).toBe(1);
    expect(output).toMatch(/proxmox_virtual_environment_vm\.talos\["talos-cp-01"\] has\s+prevent_destroy\s+set/);
  });

  it('has a one-off setup key for each hypervisor', () => {
    const keys = created(planOf('production'), 'netbird_setup_key');
    expect(Object.keys(keys)).toEqual(['proxmox-1', 'proxmox-2', 'proxmox-3', 'proxmox-4']);
    for (const key of Object.values(keys))
      expect(key).toMatchObject({ type: 'one-off', expiry_seconds: 604800, ephemeral: false, revoked: false });
  });

  it('routes the server network through the hypervisors', () => {
    const [resource] = Object.values(created(planOf('production'), 'netbird_network_resource'));
    expect(resource).toMatchObject({ address: '192.168.100.0/24' });
    expect(Object.values(created(planOf('production'), 'netbird_network_router'))).toHaveLength(1);
  });

  it('names every machine as home does', () => {
    const netbird = Object.values(created(planOf('production'), 'netbird_dns_record'));
    const unifi = Object.values(created(planOf('home'), 'unifi_dns_record'));
    const names = Object.fromEntries(netbird.map(({ name, content }) => [name, content])) as unknown;
    expect(names).toMatchObject({
      'proxmox-1.int.kueber.eu': '192.168.100.11',
      'proxmox-4.int.kueber.eu': '192.168.100.14',
      'maresa.int.kueber.eu': '192.168.100.20',
      'homeassistant.int.kueber.eu': '192.168.100.21',
      'talos-cp-01.int.kueber.eu': '192.168.100.101',
    });
    expect(Object.fromEntries(unifi.map(({ name, value }) => [name, value]))).toEqual(names);
  });
});

describe('edge', () => {
  it('has control-plane-1, booted from the Talos ISO', () => {
    const servers = Object.values(created(planOf('edge'), 'hcloud_server'));
    expect(servers).toHaveLength(1);
    expect(servers[0]).toMatchObject({
      name: 'control-plane-1',
      location: 'fsn1',
      iso: '122630',
      delete_protection: true,
      rebuild_protection: true,
    });
    expect(block(servers[0] ?? {}, 'network')).toMatchObject({ ip: '10.0.1.2' });
  });

  it('has its network, subnet and both primary addresses', () => {
    expect(created(planOf('edge'), 'hcloud_network')).toMatchObject({ '': { ip_range: '10.0.0.0/16' } });
    expect(created(planOf('edge'), 'hcloud_network_subnet')).toMatchObject({
      '': { ip_range: '10.0.1.0/24', network_zone: 'eu-central', type: 'cloud' },
    });
    expect(created(planOf('edge'), 'hcloud_primary_ip')).toMatchObject({
      ipv4: { type: 'ipv4', location: 'fsn1', auto_delete: false, delete_protection: true },
      ipv6: { type: 'ipv6', location: 'fsn1', auto_delete: false, delete_protection: true },
    });
  });

  it('opens the Talos and Kubernetes APIs to admins alone', () => {
    const firewalls = planOf('edge').resource_changes.filter(({ type }) => type === 'hcloud_firewall');
    expect(firewalls.map(({ change }) => change.after.name).sort()).toEqual(['control-plane', 'gateway']);
    const rules = firewalls.flatMap(
      ({ change }) => change.after.rule as readonly { port: string | null; protocol: string; source_ips: string[] }[],
    );
    const sources = Object.fromEntries(
      rules.map(rule => [`${rule.protocol} ${rule.port ?? ''}`.trim(), rule.source_ips.sort()]),
    );
    const everywhere = ['0.0.0.0/0', '::/0'];
    expect(sources).toEqual({
      'tcp 50000': ['203.0.113.4/32'],
      'tcp 6443': ['203.0.113.4/32'],
      'tcp 80': everywhere,
      'tcp 443': everywhere,
      'udp 443': everywhere,
      icmp: everywhere,
    });
  });
});

describe('home', () => {
  it('has its four networks', () => {
    const networks = Object.values(created(planOf('home'), 'unifi_network'));
    const found = Object.fromEntries(networks.map(({ name, subnet, vlan }) => [name, [subnet, vlan]])) as unknown;
    expect(found).toEqual({
      lan: ['192.168.1.1/24', null],
      servers: ['192.168.100.1/24', 100],
      iot: ['192.168.20.1/24', 20],
      guests: ['192.168.30.1/24', 30],
    });
  });

  it('isolates guests and things, and nothing else', () => {
    const networks = Object.values(created(planOf('home'), 'unifi_network'));
    const isolated = networks.filter(network => network.network_isolation === true).map(({ name }) => name);
    expect(isolated.sort()).toEqual(['guests', 'iot']);
  });
});

describe('netbird', () => {
  it('has groups, people, service accounts, policies and the internal zone', () => {
    const plan = planOf('netbird');
    expect(Object.keys(created(plan, 'netbird_group'))).toEqual([
      'admins',
      'family',
      'hypervisors',
      'servers',
      'services',
    ]);
    const users = Object.values(created(plan, 'netbird_user'));
    expect(
      users
        .filter(user => user.is_service_user)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['crossplane-talos', 'opentofu']);
    expect(users.filter(user => !user.is_service_user).map(({ email }) => email)).toEqual(['johnny@kueber.eu']);
    expect(Object.keys(created(plan, 'netbird_policy'))).toEqual(['admins-to-servers', 'family-to-services']);
    expect(created(plan, 'netbird_dns_zone')).toMatchObject({ '': { domain: 'int.kueber.eu', enabled: true } });
  });
});

describe('demo', () => {
  it('hands every quadlet to cloud-init', () => {
    const [server] = Object.values(created(planOf('demo'), 'hcloud_server'));
    const userData = String(server?.user_data);
    expect(userData.startsWith('#cloud-config\n')).toBe(true);
    const config = parse(userData) as {
      write_files: readonly { path: string; encoding: string; content: string }[];
      users: readonly { ssh_authorized_keys: string[] }[];
    };
    const files = Object.fromEntries(
      config.write_files.map(({ path, content }) => [path, Buffer.from(content, 'base64').toString()]),
    );
    const quadlets = readdirSync(`${INFRA_TOFU}/environment/demo/quadlets`).filter(name => name !== 'Caddyfile');
    expect(Object.keys(files).sort()).toEqual(
      ['/etc/caddy/Caddyfile', ...quadlets.map(name => `/etc/containers/systemd/${name}`)].sort(),
    );
    expect(config.users[0]?.ssh_authorized_keys[0]).toMatch(/^ssh-ed25519 /);
    for (const [path, text] of Object.entries(files)) {
      if (!path.endsWith('.container')) continue;
      // A tag that moves would change the VM without a plan.
      expect(text).toMatch(/^Image=docker\.io\/[a-z/-]+:v?[0-9]+\.[0-9.]+$/m);
      expect(text).toMatch(/^WantedBy=multi-user\.target$/m);
      for (const [, file] of text.matchAll(/^(?:Network|Volume)=([a-z-]+\.(?:network|volume))/gm))
        expect(Object.keys(files)).toContain(`/etc/containers/systemd/${file ?? ''}`);
    }
  });
});

describe('buckets', () => {
  it.each(['tofu', 'johnny-projects'])('of %s are private, and nothing would empty them', environment => {
    const buckets = Object.values(created(planOf(environment), 'minio_s3_bucket'));
    expect(buckets).toHaveLength(2);
    for (const bucket of buckets) expect(bucket).toMatchObject({ acl: 'private', force_destroy: null });
  });

  it('of tofu are the two of the site, with versioning', () => {
    const plan = planOf('tofu');
    const names = ['tofu-state-558a4a64', 'crossplane-talos-workspaces-995867de'].sort();
    expect(
      Object.values(created(plan, 'minio_s3_bucket'))
        .map(({ bucket }) => bucket)
        .sort(),
    ).toEqual(names);
    const versioning = Object.values(created(plan, 'minio_s3_bucket_versioning'));
    expect(versioning).toHaveLength(2);
    for (const item of versioning) expect(block(item, 'versioning_configuration').status).toBe('Enabled');
  });
});
