import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PRIORITY_CLASSES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { admissionTable, runAdmission } from '../testing/admission.ts';
import type { AdmissionCase } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createPriority } from './priority.ts';

describe('Priority', () => {
  const cache = new MemoryCache();
  cache.put(PRIORITY_CLASSES, { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' } as never);
  const plugin = createPriority(cache);
  const pod = (spec: object): Pod => ({ metadata: { name: 'p' }, spec: { containers: [], ...spec } }) as Pod;

  test('a pod without a class has priority 0', async () => {
    const object = pod({});
    await runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object });
    assert.deepEqual(object.spec, { containers: [], priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  });
  test('the class gives value and policy', async () => {
    const object = pod({ priorityClassName: 'high' });
    await runAdmission(plugin, { operation: 'CREATE', resource: 'pods', object });
    assert.equal(object.spec.priority, 1000);
    assert.equal(object.spec.preemptionPolicy, 'Never');
  });
  admissionTable(plugin, [
    [
      'a class that does not exist',
      { operation: 'CREATE', resource: 'pods', object: pod({ priorityClassName: 'x' }) },
      'pods "p" is forbidden: no PriorityClass with name x was found',
    ],
    [
      'a number beside the class',
      { operation: 'CREATE', resource: 'pods', object: pod({ priority: 5 }) },
      'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
  ]);
  test('one default class at most', async () => {
    const second = { metadata: { name: 'b' }, value: 2, globalDefault: true };
    const given: AdmissionCase = { operation: 'CREATE', resource: 'priorityclasses.scheduling.k8s.io', object: second };
    assert.equal(await runAdmission(plugin, given), undefined);
    cache.put(PRIORITY_CLASSES, { metadata: { name: 'a' }, value: 1, globalDefault: true } as never);
    assert.equal(
      await runAdmission(plugin, given),
      'priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as default. Only one default can exist',
    );
  });
});
