import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { admissionOf } from '../testing/admission.ts';
import type { AdmissionCase } from '../testing/admission.ts';
import { refuse } from './refusal.ts';

describe('who is refused', () => {
  const rows: readonly (readonly [name: string, given: Partial<AdmissionCase>, message: string])[] = [
    ['by its name', { name: 'p' }, 'pods "p" is forbidden: no'],
    ['by the name in its body', { object: { metadata: { name: 'p' } } }, 'pods "p" is forbidden: no'],
    ['the path goes first', { name: 'p', object: { metadata: { name: 'q' } } }, 'pods "p" is forbidden: no'],
    ['before it has a name', { object: { metadata: { generateName: 'web-' } } }, 'pods "web-" is forbidden: no'],
    ['without any', { object: { metadata: {} } }, 'pods "Unknown" is forbidden: no'],
    [
      'an empty name is none',
      { object: { metadata: { name: '', generateName: '' } } },
      'pods "Unknown" is forbidden: no',
    ],
    ['without an object', { operation: 'DELETE' }, 'pods "Unknown" is forbidden: no'],
    ['of a group', { resource: 'deployments.apps', name: 'd' }, 'deployments.apps "d" is forbidden: no'],
    [
      'what a connection is asked with, which has no metadata',
      { operation: 'CONNECT', resource: 'pods/exec', name: 'p', object: { command: ['sh'] } },
      'pods "p" is forbidden: no',
    ],
  ];
  for (const [name, given, message] of rows) {
    test(name, () => {
      const asked = { operation: 'CREATE', resource: 'pods', ...given } as const;
      const { object, ...rest } = asked;
      const attributes = { ...admissionOf(rest), name: given.name ?? '', object: object as never };
      const error = refuse(attributes, 'no');
      assert.deepEqual([error.message, error.status.code, error.status.reason], [message, 403, 'Forbidden']);
    });
  }

  test('a connection without a name is told by one that no object has', () => {
    const attributes = { ...admissionOf({ operation: 'CONNECT', resource: 'pods' }), object: { command: [] } as never };
    assert.equal(refuse(attributes, 'no').message, 'pods "Unknown/errorGettingName" is forbidden: no');
  });

  test('causes stand beside name and kind', () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'm', field: 'f' }];
    const { details } = refuse(admissionOf({ operation: 'DELETE', resource: 'pods', name: 'p' }), 'no', causes).status;
    assert.deepEqual([details?.name, details?.kind, details?.causes], ['p', 'pods', causes]);
  });
});
