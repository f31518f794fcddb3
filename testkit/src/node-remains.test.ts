import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mountPoints, rulesOf } from './node-remains.ts';

test('mounts of a cluster are those below its folder, and of runtimes', () => {
  const line = (point: string): string => `36 35 98:0 / ${point} rw,noatime master:1 - tmpfs tmpfs rw`;
  const points = [
    '/',
    '/data-of-others/x',
    '/data',
    '/data/kubelet/pods/a/volumes',
    '/run/netns/b',
    '/run/containerd/x',
    '/data/containerd',
  ];
  assert.deepEqual(mountPoints(`${points.map(line).join('\n')}\n`, '/data'), [
    '/data/containerd',
    '/data/kubelet/pods/a/volumes',
    '/run/containerd/x',
  ]);
});

// As `iptables -S` writes them.
const RULES = String.raw`-P POSTROUTING ACCEPT
-N CNI-HOSTPORT-DNAT
-N CNI-aaa
-N CNI-bbb
-A POSTROUTING -s 10.61.0.5/32 -m comment --comment "name: \"bn0\" id: \"a\"" -j CNI-aaa
-A POSTROUTING -s 10.62.0.5/32 -m comment --comment "name: \"bn1\" id: \"b\"" -j CNI-bbb
-A CNI-aaa -d 10.61.0.0/16 -m comment --comment "name: \"bn0\" id: \"a\"" -j ACCEPT
-A CNI-DN-aaa -p tcp -m tcp --dport 8080 -j DNAT --to-destination 10.61.0.5:80
-A CNI-DN-aaa -s 10.61.0.5/32 -p tcp -j CNI-HOSTPORT-SETMARK
-A CNI-DN-ccc -s 10.6.10.61/32 -p tcp -j CNI-HOSTPORT-SETMARK
-A KUBE-POSTROUTING -s 10.61.0.0/16 -j MASQUERADE
`;

for (const [what, subnets, count] of [
  ['a range of 16 bits', ['10.61.0.0/16'], 4],
  ['a range of 24 bits', ['10.61.0.0/24'], 4],
  ['the first family wherever it stands', ['fd61::/64', '10.61.0.0/16'], 4],
  ['the name alone, where no range is of these', ['fd61::/64'], 2],
] as const)
  test(`rules of a network: those with its name and its addresses, and of plugins alone (${what})`, () => {
    const found = rulesOf(RULES, { bridge: 'bn0', subnets });
    assert.equal(found.length, count);
    assert.ok(found.every((rule) => / CNI-/.test(rule) && !/bn1|DN-ccc|KUBE/.test(rule)));
  });
