import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '../errors.ts';
import { doorsOfChains, doorsOfMaps, doorsOfSets, readNeighbourDoors } from './neighbour-doors.ts';

const short = (doors: ReturnType<typeof doorsOfMaps>): string[] =>
  doors.map(({ owner, protocol, address = '*', port }) => `${owner} ${address} ${protocol}/${port}`);

const MAPS = `table ip bnb {
	map service-nodeports {
		type inet_proto . inet_service : verdict
		elements = { tcp . 30080 : goto external-0123-ns/web/http/tcp/IPv4,
			     udp . 30053 : goto external-4567-ns/dns/dns/udp/IPv4 }
	}
}
table ip bnb {
	map service-ips {
		type ipv4_addr . inet_proto . inet_service : verdict
		elements = { 10.96.0.1 . tcp . 443 : goto spread-1,
			     192.0.2.1 . tcp . 80 : goto external-0123-ns/web/http/tcp/IPv4 }
	}
}`;

test('maps of a table tell of node ports, and of ports of addresses', () => {
  const told = ['bnb * tcp/30080', 'bnb * udp/30053', 'bnb 10.96.0.1 tcp/443', 'bnb 192.0.2.1 tcp/80'];
  assert.deepEqual(short(doorsOfMaps(MAPS, 'bnb')), told);
  assert.deepEqual(doorsOfMaps('', 'bnb'), []);
});

const CHAINS: readonly (readonly [line: string, told: string | undefined])[] = [
  ['-A BN1-NODEPORTS -p tcp -m tcp --dport 30080 -m comment --comment "ns/web/http" -j BN1-EXT-X', 'BN1 * tcp/30080'],
  ['-A BN1-NOPORTS -p udp -m udp --dport 30053 -j BN1-REFUSE', 'BN1 * udp/30053'],
  ['-A BN1-SERVICES -d 192.0.2.1/32 -p tcp -m tcp --dport 80 -j BN1-EXT-X', 'BN1 192.0.2.1 tcp/80'],
  ['-A BINNACLEP-UNSERVED -d fd09::1/128 -p tcp -m tcp --dport 80 -j X', 'BINNACLEP fd09::1 tcp/80'],
  ['-A BN1-SERVICES -m addrtype --dst-type LOCAL -j BN1-NODEPORTS', undefined],
  ['-A BN1-SVC-ABC -d 10.96.0.1/32 -p tcp -m tcp --dport 443 -j BN1-OUTSIDE', undefined],
  ['-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-EXT-X', undefined],
  [':BN1-NODEPORTS - [0:0]', undefined],
];
for (const [line, told] of CHAINS) {
  test(`a line of iptables-save: ${line}`, () => {
    assert.deepEqual(short(doorsOfChains(`*nat\n${line}\nCOMMIT`)), told === undefined ? [] : [told]);
  });
}

test('sets tell of what IPVS serves', () => {
  const text = [
    'create BN1-DOORS4 hash:ip,port family inet',
    'add BN1-DOORS4 192.0.2.1,tcp:30080',
    'add BN1-DOORS6 fd09::1,udp:53',
    'add BN1-CLUSTER4 10.96.0.1,tcp:443',
    'add OTHER-DOORS4 192.0.2.1,tcp:1',
  ].join('\n');
  assert.deepEqual(short(doorsOfSets(text, 'IPv4')), ['BN1 192.0.2.1 tcp/30080']);
  assert.deepEqual(short(doorsOfSets(text, 'IPv6')), ['BN1 fd09::1 udp/53']);
});

test('all kinds of rules together; our own, and addresses that are not the machine’s, are left out', async () => {
  const run = async ([tool, , what, kind, table, map]: readonly string[]): Promise<string> => {
    if (tool === 'nft' && what === 'tables') return kind === 'ip' ? 'table ip nat\ntable ip bna\ntable ip bnb\n' : '';
    if (tool === 'nft') return table === 'bnb' && map === 'service-ips' ? MAPS : '';
    if (tool === 'iptables-save') return CHAINS.map(([line]) => line).join('\n');
    throw new NetworkError(`cannot run ${tool}`);
  };
  const doors = await readNeighbourDoors(run, 'BNA', ['192.0.2.1']);
  assert.deepEqual([...doors].map(([door, { rules, isFirst }]) => `${door} ${rules} ${isFirst}`).toSorted(), [
    'IPv4/tcp/30080 chains BN1-… true',
    'IPv4/tcp/80 chains BN1-… true',
    'IPv4/udp/30053 chains BN1-… true',
  ]);
  const theirs = await readNeighbourDoors(run, 'BN1', ['192.0.2.1']);
  assert.deepEqual(theirs.get('IPv4/tcp/80'), { rules: 'table bnb', isFirst: false });
});
