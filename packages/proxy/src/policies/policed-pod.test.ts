import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { readPod } from './policed-pod.ts';
import { EVERY_POD, selectAcross, selectInNamespace, selects } from './selection.ts';
import type { Selection } from './selection.ts';

function pod(spec: object, status: object = { podIPs: [{ ip: '10.0.0.1' }] }): Pod {
  return { metadata: { namespace: 'x', name: 'p', labels: { app: 'a' } }, spec, status } as unknown as Pod;
}

describe('what of a pod bears on policies', () => {
  const rows: readonly (readonly [name: string, given: Pod, addresses: readonly string[] | undefined])[] = [
    ['its address', pod({}), ['10.0.0.1']],
    [
      'of both families',
      pod({}, { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], podIP: '10.0.0.1' }),
      ['10.0.0.1', 'fd00::1'],
    ],
    ['the old field alone', pod({}, { podIP: '10.0.0.1' }), ['10.0.0.1']],
    [
      'one that is written in two ways',
      pod({}, { podIP: 'FD00:0::1', podIPs: [{ ip: 'fd00::1' }, { ip: 'x' }] }),
      ['fd00::1'],
    ],
    ['none yet', pod({}, {}), undefined],
    ['an empty one is none', pod({}, { podIP: '', podIPs: [{ ip: '' }] }), undefined],
    ['on the network of its node', pod({ hostNetwork: true }), undefined],
    ['ended', pod({}, { phase: 'Succeeded', podIPs: [{ ip: '10.0.0.1' }] }), undefined],
    ['failed', pod({}, { phase: 'Failed', podIP: '10.0.0.1' }), undefined],
    [
      'going, and still there',
      { ...pod({}), metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } },
      ['10.0.0.1'],
    ],
  ];
  for (const [name, given, addresses] of rows) {
    test(name, () => assert.deepEqual(readPod(given, 'n1')?.addresses, addresses));
  }

  test('where it is, and what it is called', () => {
    const { key, namespace, labels, isLocal } = readPod(pod({ nodeName: 'n1' }), 'n1') ?? {};
    assert.deepEqual([key, namespace, labels, isLocal], ['x/p', 'x', { app: 'a' }, true]);
    assert.equal(readPod(pod({ nodeName: 'n2' }), 'n1')?.isLocal, false);
    assert.equal(readPod(pod({}), 'n1')?.isLocal, false);
    assert.deepEqual(readPod({ ...pod({}), metadata: {} }, 'n1')?.labels, {});
  });

  test('ports that have names, of containers and sidecars', () => {
    const container = (...ports: object[]): object => ({ ports });
    const made = readPod(
      pod({
        containers: [
          container(
            { name: 'web', containerPort: 80 },
            { containerPort: 81 },
            { name: 'x', containerPort: 1, protocol: 'X' },
          ),
          {},
        ],
        initContainers: [
          { ...container({ name: 'dns', containerPort: 53, protocol: 'UDP' }), restartPolicy: 'Always' },
          container({ name: 'first', containerPort: 9 }),
        ],
      }),
      'n1',
    );
    assert.deepEqual(made?.ports, [
      { name: 'web', protocol: 'tcp', port: 80 },
      { name: 'dns', protocol: 'udp', port: 53 },
    ]);
  });
});

describe('whether a pod is meant', () => {
  const A = { matchLabels: { app: 'a' } };
  const TEAM = { matchLabels: { team: 't' } };
  type Labels = { readonly [name: string]: string } | undefined;
  const rows: readonly (readonly [name: string, selection: Selection, namespaceLabels: Labels, meant: boolean])[] = [
    ['every pod', EVERY_POD, undefined, true],
    ['in its namespace', selectInNamespace('x', {}), undefined, true],
    ['in another', selectInNamespace('y', {}), undefined, false],
    ['by its labels', selectInNamespace('x', A), undefined, true],
    ['by other labels', selectInNamespace('x', { matchLabels: { app: 'b' } }), undefined, false],
    ['in namespaces with labels', selectAcross(TEAM, {}), { team: 't' }, true],
    ['in others', selectAcross(TEAM, {}), { team: 'u' }, false],
    ['in namespaces that nobody knows yet', selectAcross(TEAM, {}), undefined, false],
    ['in all namespaces, of which nobody knows this', selectAcross({}, {}), undefined, false],
    ['by both', selectAcross(TEAM, { matchLabels: { app: 'b' } }), { team: 't' }, false],
    [
      'by a label that objects inherit',
      selectInNamespace('x', { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }),
      undefined,
      false,
    ],
  ];
  for (const [name, selection, namespaceLabels, meant] of rows) {
    test(name, () =>
      assert.equal(selects(selection, { namespace: 'x', labels: { app: 'a' } }, namespaceLabels), meant),
    );
  }

  test('the same words are the same selection, others are not', () => {
    const ids = [
      EVERY_POD,
      selectInNamespace('x', A),
      selectInNamespace('y', A),
      selectAcross(A, {}),
      selectAcross({}, A),
    ].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const swapped = selectInNamespace('x', { matchLabels: { b: '2', a: '1' } });
    assert.equal(swapped.id, selectInNamespace('x', { matchLabels: { a: '1', b: '2' } }).id);
  });
});
