/**
 * Phase 5's roles on a Debian host: real systemd, apt, sshd and users. Stand-ins, since no registry of theirs is at hand:
 * the packages of Kali's desktop and of Podman, and the generator that makes a unit of a quadlet.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSite } from '../../../infra/bootstrap/site/site.ts';
import { DebianHost, hostsCanRun } from './debian-host.ts';

vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 1_200_000 });

const site = readSite();

/** As cloud-init leaves it: a user with our key who may become root; and an archive that can be reached. */
function prepare(host: DebianHost, user: string, ...packages: readonly string[]): void {
  host.on(
    `useradd --create-home --shell /bin/bash ${user} && cp -rL /root/.ssh /home/${user}/ && ` +
      `chown -R ${user}: /home/${user}/.ssh && passwd --delete root > /dev/null`,
  );
  for (const name of packages) {
    host.on(
      `mkdir -p /root/${name}/DEBIAN && printf 'Package: ${name}\\nVersion: 1.0\\nArchitecture: all\\n` +
        `Maintainer: tests <tests@localhost>\\nDescription: stand-in\\n' > /root/${name}/DEBIAN/control && ` +
        `dpkg-deb --build /root/${name} /srv/stand-ins-${name}.deb > /dev/null`,
    );
  }
  host.on(
    'rm -f /etc/apt/sources.list.d/pve-enterprise.sources /etc/apt/sources.list.d/ceph.sources && apt-get -qq update && ' +
      `dpkg --install ${packages.map(name => `/srv/stand-ins-${name}.deb`).join(' ')} > /dev/null`,
  );
}

const service = (command: string): string => `[Service]\nExecStart=${command}\n[Install]\nWantedBy=multi-user.target\n`;

describe.skipIf(!hostsCanRun())('Kali', () => {
  let host: DebianHost;
  const name = 'north-kali';
  const user = site.guests[name]?.user ?? '';
  const args = ['-e', '{"kali_metapackages": ["kali-linux-headless", "xrdp", "xfce4"]}'];

  beforeAll(() => {
    host = new DebianHost(name, '127.0.0.41');
    prepare(host, user, 'kali-linux-headless', 'xfce4', 'xrdp');
    host.write('etc/systemd/system/xrdp.service', service('/bin/sleep infinity'));
    host.on('systemctl daemon-reload');
  });
  afterAll(() => {
    host.stop();
  });

  it('in check mode works and changes nothing; then it comes about, and a second run changes nothing', () => {
    const before = host.files();
    const dry = host.play('guests.yml', { args: [...args, '--check'] });
    expect(dry.code, dry.text).toBe(0);
    expect(dry.changed).toBeGreaterThan(0);
    expect(host.files()).toBe(before);
    const first = host.play('guests.yml', { args });
    expect(first.code, first.text).toBe(0);
    expect(first.text).not.toContain('a-password-of-tests');
    // The password is for the desktop alone, and root no user of SSH.
    expect(() => host.on('true')).toThrow('Permission denied');
    const asRoot = (command: string): string => host.on(`su -c '${command}'`, user);
    expect(asRoot('/usr/sbin/sshd -T')).toMatch(/^passwordauthentication no$/m);
    expect(asRoot(`/usr/bin/getent shadow ${user}`)).toMatch(new RegExp(`^${user}:\\$6\\$`));
    expect(asRoot('/usr/bin/systemctl is-active xrdp')).toBe('active\n');
    const second = host.play('guests.yml', { args });
    expect(second.code, second.text).toBe(0);
    expect(second.changed, second.text).toBe(0);
  });
});

describe.skipIf(!hostsCanRun())('Home Assistant', () => {
  let host: DebianHost;

  beforeAll(() => {
    host = new DebianHost('north-hass', '127.0.0.42');
    prepare(host, site.guests['north-hass']?.user ?? '', 'podman');
    // Stand-in for Podman's: a unit for each quadlet, which runs nothing of an image.
    host.write(
      'etc/systemd/system-generators/stand-in-quadlet',
      '#!/bin/sh\nfor file in /etc/containers/systemd/*.container; do\n' +
        '  [ -e "$file" ] || continue\n  name=${file##*/}\n' +
        '  { sed "/^\\[Container\\]/,/^$/d" "$file"; echo "[Service]"; echo "ExecStart=/bin/sleep infinity"; } > "$1/${name%.container}.service"\ndone\n',
      0o755,
    );
  });
  afterAll(() => {
    host.stop();
  });

  it('in check mode works and changes nothing; then it runs, and a second run changes nothing', () => {
    const before = host.files();
    const dry = host.play('guests.yml', { args: ['--check'] });
    expect(dry.code, dry.text).toBe(0);
    expect(dry.changed).toBeGreaterThan(0);
    expect(host.files()).toBe(before);
    const first = host.play('guests.yml');
    expect(first.code, first.text).toBe(0);
    expect(host.on('systemctl is-active homeassistant.service')).toBe('active\n');
    expect(host.on('cat /etc/containers/systemd/homeassistant.container')).toMatch(
      /^Image=ghcr\.io\/home-assistant\/home-assistant:\d/m,
    );
    const started = host.on('systemctl show --property ActiveEnterTimestampMonotonic homeassistant.service');
    const second = host.play('guests.yml');
    expect(second.code, second.text).toBe(0);
    expect(second.changed, second.text).toBe(0);
    expect(host.on('systemctl show --property ActiveEnterTimestampMonotonic homeassistant.service')).toBe(started);
    expect(host.on('stat -c %a /var/lib/homeassistant')).toBe('700\n');
  });
});
