import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Draft } from '../../draft.ts';
import type { StatefulSet } from '../../generated/apps-v1.ts';
import { defaultStatefulSet } from './defaults.ts';

it('claim templates say what they are', () => {
  const set = {
    metadata: {},
    spec: { template: {}, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] },
  };
  defaultStatefulSet(set as unknown as Draft<StatefulSet>);
  const [claim] = set.spec.volumeClaimTemplates as { apiVersion?: string; kind?: string }[];
  assert.deepEqual([claim?.apiVersion, claim?.kind], ['v1', 'PersistentVolumeClaim']);
});
