import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmittedLists } from './admitted-lists.ts';

const ACCOUNT = ['spec.serviceAccountName', 'spec.volumes'];
const PRIORITY = ['spec.priority'];
const by = (plugin: string, changed: readonly string[]) => ({ plugin, changed });

test('requests that are admitted alike share one list, others have their own', () => {
  const lists = new AdmittedLists();
  const first = lists.shared([by('ServiceAccount', ACCOUNT), by('Priority', PRIORITY)]);
  assert.deepEqual(first, [by('ServiceAccount', ACCOUNT), by('Priority', PRIORITY)]);
  assert.equal(lists.shared([by('ServiceAccount', ACCOUNT), by('Priority', PRIORITY)]), first);
  assert.deepEqual(lists.shared([by('Priority', PRIORITY)]), [by('Priority', PRIORITY)]);
  assert.deepEqual(lists.shared([by('Priority', PRIORITY), by('ServiceAccount', ACCOUNT)]), [
    by('Priority', PRIORITY),
    by('ServiceAccount', ACCOUNT),
  ]);
  assert.notEqual(lists.shared([by('Webhook', ['spec.priority'])]), lists.shared([by('Priority', PRIORITY)]));
  assert.equal(lists.shared(undefined), undefined);
});
