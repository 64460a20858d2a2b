/** The port table of the switch, which a human types into its web interface, and the digest that the record names. */
import { createHash } from 'node:crypto';
import type { Port, Site } from './site.ts';

export interface SwitchPort {
  readonly port: number;
  readonly kind: 'access' | 'trunk';
  /** What untagged frames belong to. A trunk has none: VLAN 1 stays unused, so nothing untagged gets anywhere. */
  readonly pvid: number;
  readonly untagged: readonly number[];
  readonly tagged: readonly number[];
  readonly to: string;
}

export function deriveSwitchPorts(site: Site): readonly SwitchPort[] {
  return Object.entries(site.switch.ports)
    .map(([label, value]) => deriveSwitchPort(site, Number(label), value))
    .sort((a, b) => a.port - b.port);
}

function deriveSwitchPort(site: Site, port: number, value: Port): SwitchPort {
  const idOf = (vlan: string): number => {
    const found = site.vlans[vlan];
    if (found === undefined) throw new Error(`there is no VLAN ${vlan}`);
    return found.id;
  };
  if ('trunk' in value) {
    return { port, kind: 'trunk', pvid: 1, untagged: [], tagged: value.trunk.map(idOf), to: value.to };
  }
  const id = idOf(value.access);
  return { port, kind: 'access', pvid: id, untagged: [id], tagged: [], to: value.to };
}

/** A confirmation counts for exactly the table that was confirmed. */
export function digestSwitchPorts(ports: readonly SwitchPort[]): string {
  return createHash('sha256').update(JSON.stringify(ports)).digest('hex').slice(0, 16);
}

export function printSwitchChecklist(site: Site): string {
  const ports = deriveSwitchPorts(site);
  const list = (ids: readonly number[]): string => (ids.length === 0 ? '-' : ids.join(', '));
  const rows = ports.map(
    ({ port, kind, pvid, untagged, tagged, to }) =>
      `| ${port} | ${kind} | ${pvid} | ${list(untagged)} | ${list(tagged)} | ${to} |`,
  );
  const vlans = Object.entries(site.vlans).map(([vlan, { id, subnet }]) => `| ${id} | ${vlan} | ${subnet} |`);
  const management = site.vlans['management'];
  return [
    `# ${site.switch.name} (${site.switch.model}): day-zero setup`,
    '',
    'Out of band, once: the switch has no API (ADR-004). Cable a laptop to the last port, nothing else.',
    '',
    '1. Update the firmware, then reset to factory settings.',
    '2. Set an administrator password of its own; it goes into AWS Secrets Manager (`task secret:put -- switch admin_password`).',
    `3. Switch off DHCP; address ${site.switch.address}, gateway ${management?.gateway ?? ''}.`,
    '4. Choose the advanced 802.1Q VLAN mode and make the VLANs:',
    '',
    '| VLAN | name | subnet |',
    '| --- | --- | --- |',
    ...vlans,
    '',
    '5. Set the ports. Type the whole table before you apply the PVIDs, and remove VLAN 1 from every port:',
    '',
    '| port | kind | PVID | untagged | tagged | cable goes to |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `6. If the firmware has a management VLAN, set it to ${management?.id ?? ''}; switch off auto VoIP and auto camera; save.`,
    '7. Cable as the table says. Compare every line of the table with the screen once more.',
    '',
    `Table digest: ${digestSwitchPorts(ports)}`,
    '',
  ].join('\n');
}
