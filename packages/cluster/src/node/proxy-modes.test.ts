import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import { portsOfDoors, removeOtherModes } from './proxy-modes.ts';
import type { ProxyMode } from './proxy-modes.ts';

test('a port is taken whichever family has it', () => {
  const holder = { rules: 'table bn0123456789', isFirst: true };
  const doors = new Map(['IPv4/tcp/80', 'IPv6/tcp/80', 'IPv6/udp/53'].map((door) => [door, holder] as const));
  assert.deepEqual([...portsOfDoors(doors)], ['tcp/80', 'udp/53']);
});

/** A machine with chains of iptables or IPVS, and the sets of IPVS where it was that; what it was told to write. */
async function removed(mode: ProxyMode | undefined, sets: readonly string[]): Promise<string> {
  const told: string[] = [];
  const run = async (command: readonly string[], input = ''): Promise<string> => {
    const [tool = ''] = command;
    if (tool.endsWith('-save')) return ':BN0-SERVICES - [0:0]\n-A OUTPUT -j BN0-SERVICES\n';
    if (command.includes('-terse') && !sets.includes(command.at(-1) ?? ''))
      throw new NetworkError('ipset: The set with the given name does not exist');
    if (tool.endsWith('-restore') || command.includes('destroy')) told.push(`${command.join(' ')}\n${input}`);
    return '';
  };
  await removeOtherModes(mode, { name: 'bn0', run, log: silentLogger });
  return told.join('');
}

const SETS = ['DOORS', 'CLUSTER', 'MASQUERADED', 'ADDRESSES'].flatMap((set) => [`BN0-${set}4`, `BN0-${set}6`]);

test('chains that iptables and IPVS both name so are not taken from the mode that is there', async () => {
  assert.doesNotMatch(await removed('iptables', []), /BN0/);
  assert.doesNotMatch(await removed('ipvs', SETS), /BN0/);
});

test('chains and sets of IPVS go before rules of iptables come, and with everything', async () => {
  for (const mode of ['iptables', 'nftables', undefined] as const) {
    const told = await removed(mode, SETS);
    assert.match(told, /-X BN0-SERVICES/);
    for (const set of SETS) assert.match(told, new RegExp(`ipset destroy ${set}`));
  }
  assert.match(await removed('nftables', []), /-X BN0-SERVICES/);
});
