import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Taint, Toleration } from '../../generated/core-v1.ts';
import { findUntoleratedTaint, toleratesTaint } from './toleration.ts';

const TAINT: Taint = { key: 'k', value: '5', effect: 'NoSchedule' };

// Rules: Toleration.ToleratesTaint of upstream's core/v1.
describe('tolerations', () => {
  const rows: [name: string, toleration: Toleration, tolerated: boolean][] = [
    ['exists', { key: 'k', operator: 'Exists' }, true],
    ['exists for all keys', { operator: 'Exists' }, true],
    ['other key', { key: 'x', operator: 'Exists' }, false],
    ['equal is the default', { key: 'k', value: '5' }, true],
    ['other value', { key: 'k', value: '6' }, false],
    ['same effect', { key: 'k', operator: 'Exists', effect: 'NoSchedule' }, true],
    ['other effect', { key: 'k', operator: 'Exists', effect: 'NoExecute' }, false],
    ['taint above', { key: 'k', operator: 'Gt', value: '4' }, true],
    ['taint not above', { key: 'k', operator: 'Gt', value: '5' }, false],
    ['taint below', { key: 'k', operator: 'Lt', value: '6' }, true],
    ['not a number', { key: 'k', operator: 'Lt', value: 'x' }, false],
  ];
  // Beyond what a double tells apart, and beyond 64 bits.
  const large: [name: string, taint: string, toleration: string, tolerated: boolean][] = [
    ['one above', '9007199254740993', '9007199254740992', true],
    ['the same', '9007199254740993', '9007199254740993', false],
    ['of no 64-bit integer', '9223372036854775808', '1', false],
    ['of a number with zeros before it', '007', '1', false],
    ['of less than nothing', '-0', '-1', false],
  ];
  for (const [name, value, bound, tolerated] of large) {
    it(`numbers: ${name}`, () =>
      assert.equal(toleratesTaint({ key: 'k', operator: 'Gt', value: bound }, { ...TAINT, value }), tolerated));
  }
  for (const [name, toleration, tolerated] of rows) {
    it(name, () => assert.equal(toleratesTaint(toleration, TAINT), tolerated));
  }

  it('finds the first taint that repels', () => {
    const soft: Taint = { key: 's', effect: 'PreferNoSchedule' };
    const hard: Taint = { key: 'h', effect: 'NoExecute' };
    assert.equal(findUntoleratedTaint([soft, TAINT, hard], [{ key: 'k', value: '5' }]), hard);
    assert.equal(findUntoleratedTaint([soft], []), undefined);
    assert.equal(findUntoleratedTaint([soft], [], new Set(['PreferNoSchedule'])), soft);
    assert.equal(findUntoleratedTaint(undefined, undefined), undefined);
  });
});
