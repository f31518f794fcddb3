import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { VirtualClock } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import { OwnReports } from './own-reports.ts';

const set = (resourceVersion: string, replicas = 1): KubeObject & { readonly spec: object } => ({
  kind: 'ReplicaSet',
  metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion },
  spec: { replicas },
});

test('what was told comes back once, and is nothing else', () => {
  const cache = new Map([['ns/a', set('5')]]);
  const reports = new OwnReports(new VirtualClock(), cache);
  assert.equal(reports.isEcho(set('4'), set('5')), false, 'nothing was told');
  reports.told(set('7'), 1);
  assert.equal(reports.isEcho(set('5'), set('6', 2)), false, 'somebody changed it before');
  assert.equal(reports.isEcho(set('6', 2), set('7', 2)), true);
  assert.equal(reports.isEcho(set('7'), set('8')), false, 'somebody else’s status');
  reports.told(set('9'), 1);
  assert.equal(reports.isEcho(set('7'), set('9', 3)), false, 'together with what somebody changed');
  reports.told(set('11'), 1);
  reports.forget('ns/a');
  assert.equal(reports.isEcho(set('9'), set('11')), false);
});
