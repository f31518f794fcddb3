import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeHeader } from './cause-header.ts';

test('a cause goes into the header as it is; what a header may not hold does not break the request', () => {
  const cause = { id: 'kubelet n-1/default/p@7', component: 'kubelet n-1', request: 'status', revision: '7' };
  assert.equal(causeHeader(cause), 'kubelet n-1/default/p@7;kubelet n-1;7');
  assert.equal(causeHeader({ id: 'a;b\r\nc', component: 'schön', request: '' }), 'a_b__c;sch_n;');
  assert.equal(causeHeader({ id: 'x'.repeat(1000), component: '', request: '' }).length, 602);
});
