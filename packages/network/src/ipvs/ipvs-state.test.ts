import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVirtuals, virtualLines } from './ipvs-state.ts';
import type { VirtualServer } from './ipvs-state.ts';

const KEY = '-t 10.96.0.1:80';
const server = (persistence: number, ...servers: readonly string[]): VirtualServer => ({ persistence, servers });
const at = (one?: VirtualServer): ReadonlyMap<string, VirtualServer> => new Map(one === undefined ? [] : [[KEY, one]]);

const ROWS: readonly (readonly [
  name: string,
  had: VirtualServer | undefined,
  has: VirtualServer | undefined,
  added: readonly string[],
  removed: readonly string[],
])[] = [
  [
    'one that is new',
    undefined,
    server(0, 'a', 'b'),
    [`-A ${KEY} -s rr`, `-a ${KEY} -r a -m -w 1`, `-a ${KEY} -r b -m -w 1`],
    [],
  ],
  ['one that goes', server(0, 'a'), undefined, [], [`-D ${KEY}`]],
  ['the same', server(60, 'a'), server(60, 'a'), [], []],
  ['another server', server(0, 'a'), server(0, 'b'), [`-a ${KEY} -r b -m -w 1`], [`-d ${KEY} -r a`]],
  ['clients are kept from now on', server(0, 'a'), server(60, 'a'), [`-E ${KEY} -s rr -p 60`], []],
  ['and no more', server(60, 'a'), server(0, 'a'), [`-E ${KEY} -s rr`], []],
];

for (const [name, had, has, added, removed] of ROWS)
  test(name, () => assert.deepEqual(virtualLines(at(had), at(has)), { added, removed }));

test('what the machine tells of itself', () => {
  const told = [
    '-A -t 10.96.0.1:80 -s rr -p 60',
    '-a -t 10.96.0.1:80 -r 10.244.0.2:8080 -m -w 1',
    '-A -u [fd03::7]:53 -s rr',
    '-a -u [fd03::7]:53 -r [fd02::2]:53 -m -w 1',
    '-A -f 7 -s rr',
    '',
  ];
  assert.deepEqual(
    [...readVirtuals(told.join('\n'))],
    [
      ['-t 10.96.0.1:80', server(60, '10.244.0.2:8080')],
      ['-u [fd03::7]:53', server(0, '[fd02::2]:53')],
      ['-f 7', server(0)],
    ],
  );
});
