import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planLostRules } from './pod-rules.ts';

const of = { bridge: 'bn1', subnets: ['10.9.0.0/24'], sandboxes: new Set(['a1']) };
const masquerade = (chain: string, bridge: string, id: string): string[] => [
  `-N ${chain}`,
  `-A POSTROUTING -s 10.9.0.7/32 -m comment --comment "name: \\"${bridge}\\" id: \\"${id}\\"" -j ${chain}`,
  `-A ${chain} -d 10.9.0.0/24 -m comment --comment "name: \\"${bridge}\\" id: \\"${id}\\"" -j ACCEPT`,
];
const forward = (chain: string, bridge: string, id: string): string[] => [
  `-N ${chain}`,
  `-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"${bridge}\\" id: \\"${id}\\"" -m multiport --destination-ports 31000 -j ${chain}`,
  `-A ${chain} -p tcp -m tcp --dport 31000 -j DNAT --to-destination 10.9.0.7:80`,
];
const without = (start: string, rules: readonly string[]): string[] => rules.filter((rule) => !rule.startsWith(start));

const rows: readonly [string, readonly string[], readonly string[]][] = [
  ['of pods that are there', [...masquerade('CNI-a', 'bn1', 'a1'), ...forward('CNI-DN-a', 'bn1', 'a1')], []],
  ['of other networks', [...masquerade('CNI-a', 'bn10', 'b1'), ...forward('CNI-DN-a', 'cbr0', 'b1')], []],
  [
    'of a pod that is gone',
    [...masquerade('CNI-a', 'bn1', 'a1'), ...masquerade('CNI-b', 'bn1', 'b1')],
    [
      '-D POSTROUTING -s 10.9.0.7/32 -m comment --comment "name: \\"bn1\\" id: \\"b1\\"" -j CNI-b',
      '-F CNI-b',
      '-X CNI-b',
    ],
  ],
  ['without its jump', without('-A POSTROUTING', masquerade('CNI-b', 'bn1', 'b1')), ['-F CNI-b', '-X CNI-b']],
  [
    'its jump alone',
    [masquerade('CNI-b', 'bn1', 'b1')[1] ?? ''],
    ['-D POSTROUTING -s 10.9.0.7/32 -m comment --comment "name: \\"bn1\\" id: \\"b1\\"" -j CNI-b'],
  ],
  [
    'its host port',
    forward('CNI-DN-b', 'bn1', 'b1'),
    [
      '-D CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"bn1\\" id: \\"b1\\"" -m multiport --destination-ports 31000 -j CNI-DN-b',
      '-F CNI-DN-b',
      '-X CNI-DN-b',
    ],
  ],
  [
    'its host port without its jump',
    without('-A CNI-HOSTPORT', forward('CNI-DN-b', 'bn1', 'b1')),
    ['-F CNI-DN-b', '-X CNI-DN-b'],
  ],
  [
    "another network's host port without its jump",
    ['-N CNI-DN-b', '-A CNI-DN-b -p tcp -j DNAT --to-destination 10.8.0.7:80'],
    [],
  ],
  ['no rules at all', ['-P POSTROUTING ACCEPT', ''], []],
];

for (const [name, rules, wanted] of rows) {
  test(`rules: ${name}`, () => assert.deepEqual(planLostRules(rules, of), wanted));
}
