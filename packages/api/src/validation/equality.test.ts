import { int64Of } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeDifference, isSemanticallyEqual } from './equality.ts';

describe('semantic equality', () => {
  const pod = 'core.v1.PodSpec';
  const rows: readonly (readonly [name: string, place: string, a: unknown, b: unknown, equal: boolean])[] = [
    ['an empty selector is for all', 'core.v1.PodAffinityTerm', { namespaceSelector: {} }, {}, false],
    ['one without a list is empty', 'core.v1.PodAffinityTerm.labelSelector', {}, { matchExpressions: [] }, true],
    ['no selector', 'core.v1.PodAffinityTerm', { namespaceSelector: null }, {}, true],
    ['an empty context of security', pod, { securityContext: {} }, {}, false],
    ['an empty affinity', pod, { affinity: {} }, {}, false],
    ['what containers ask for', pod, { containers: [{ resources: {} }] }, { containers: [{}] }, true],
    ['what a pod asks for', pod, { resources: {} }, {}, false],
    ['a volume of nothing', pod, { volumes: [{ emptyDir: {} }] }, { volumes: [{}] }, false],
    ['a member of zero', pod, { hostNetwork: false }, {}, true],
    ['a pointer to zero', pod, { activeDeadlineSeconds: 0 }, {}, false],
    ['digits', 'core.v1.PodSecurityContext', of('9007199254740993'), of('9007199254740995'), false],
    ['the same digits', 'core.v1.PodSecurityContext', of('9007199254740993'), of('9007199254740993'), true],
  ];
  for (const [name, place, a, b, equal] of rows) {
    it(name, () => {
      assert.equal(isSemanticallyEqual(place, a, b), equal);
      assert.equal(isSemanticallyEqual(place, b, a), equal);
    });
  }

  it('describes differences', () => {
    const text = describeDifference(pod, { hostname: 'a', affinity: {} }, { hostname: 'b' });
    assert.equal(text, '- hostname: "a"\n+ hostname: "b"\n- affinity: {}');
  });
});

function of(digits: string): object {
  return { runAsUser: int64Of(BigInt(digits)) };
}
