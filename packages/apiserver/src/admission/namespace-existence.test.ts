import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NAMESPACES } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { ApiCall } from '@binnacle/machinery';
import { admissionTable, runAdmission } from '../testing/admission.ts';
import { MemoryCache } from '../testing/memory-cache.ts';
import { createNamespaceAutoProvision, createNamespaceExists } from './namespace-existence.ts';

const cache = new MemoryCache();
cache.put(NAMESPACES, { metadata: { name: 'here' } });

describe('namespaces are there', () => {
  const object = { metadata: { name: 'x' } };
  admissionTable(createNamespaceExists(cache), [
    ['it is', { operation: 'CREATE', resource: 'pods', namespace: 'here', object }, undefined],
    ['it is not', { operation: 'CREATE', resource: 'pods', namespace: 'gone', object }, 'namespaces "gone" not found'],
    ['none is needed', { operation: 'CREATE', resource: 'nodes', object }, undefined],
  ]);
});

test('a namespace that is missing is made, and who was faster is no fault', async () => {
  const made: unknown[] = [];
  const loopback = {
    call(what: ApiCall): Promise<never> {
      made.push(what.body);
      return Promise.reject(status.alreadyExists(NAMESPACES, 'gone'));
    },
  };
  const plugin = createNamespaceAutoProvision(cache, loopback);
  for (const namespace of ['here', 'gone']) {
    const refusal = await runAdmission(plugin, {
      operation: 'CREATE',
      resource: 'pods',
      namespace,
      object: { metadata: {} },
    });
    assert.equal(refusal, undefined);
  }
  assert.deepEqual(made, [{ metadata: { name: 'gone' } }]);
});
