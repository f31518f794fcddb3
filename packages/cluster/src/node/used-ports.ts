import { readFile } from 'node:fs/promises';

const TABLES = ['tcp', 'tcp6', 'udp', 'udp6'] as const;
/** States of sockets in the kernel's tables: TCP that listens, UDP without a peer. */
const LISTENING = { tcp: '0A', udp: '07' } as const;
const LOOPBACKS: readonly RegExp[] = [/^[0-9A-F]{6}7F$/, /^0{24}01000000$/, /^0{16}FFFF0000[0-9A-F]{6}7F$/];

/** What programs of this machine listen on beside loopback, as `tcp/6443`. */
export async function usedPorts(procNet = '/proc/net'): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for (const table of TABLES) {
    // A kernel without IPv6 has two tables less.
    const text = await readFile(`${procNet}/${table}`, 'utf8').catch(() => '');
    for (const port of portsOf(text, table.startsWith('tcp') ? 'tcp' : 'udp')) used.add(port);
  }
  return used;
}

/** The ports of one of the kernel's tables of sockets. */
export function portsOf(text: string, protocol: 'tcp' | 'udp'): string[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== LISTENING[protocol] || LOOPBACKS.some((loopback) => loopback.test(address))) return [];
    return [`${protocol}/${Number.parseInt(port, 16)}`];
  });
}
