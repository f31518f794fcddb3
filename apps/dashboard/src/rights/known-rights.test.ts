import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { KnownRights } from './known-rights.ts';
import type { Rule, Wish } from './rules.ts';

const READ: Rule = { verbs: ['list'], apiGroups: [''], resources: ['pods'] };
const wish = (verb: string, name?: string): Wish => ({
  ...{ verb, group: '', resource: 'pods' },
  ...(name === undefined ? {} : { name }),
});
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function world(review: { readonly rules: readonly Rule[]; readonly isIncomplete: boolean } | Error) {
  const asked: string[] = [];
  return {
    asked,
    rules: () => (review instanceof Error ? Promise.reject(review) : Promise.resolve(review)),
    access: (namespace: string, { verb, name = '' }: Wish) => {
      asked.push(`${namespace} ${verb} ${name}`);
      return verb === 'lost' ? Promise.reject(new RangeError('lost')) : Promise.resolve(verb === 'patch');
    },
  };
}

test('rules that are all there are decide', async () => {
  const w = world({ rules: [READ], isIncomplete: false });
  const rights = new KnownRights('a', w);
  await settle();
  deepEqual([rights.may(wish('list')), rights.may(wish('delete')), w.asked], [true, false, []]);
});

test('where rules are not all, each wish is asked for, once, and offered when it is allowed', async () => {
  const w = world({ rules: [READ], isIncomplete: true });
  const rights = new KnownRights('a', w);
  await settle();
  let told = 0;
  const stop = rights.subscribe(() => told++);
  const verbs = ['list', 'patch', 'delete', 'lost'];
  const ask = (): readonly boolean[] => verbs.map((verb) => rights.may(wish(verb, 'web')));
  deepEqual(ask(), [true, false, false, false]);
  await settle();
  deepEqual(ask(), [true, true, false, true]);
  await settle();
  deepEqual(w.asked, ['a patch web', 'a delete web', 'a lost web']);
  equal(told, 2);
  stop();
});

test('until rules are there, and where there are none to be had, everything is offered', async () => {
  const w = world(new RangeError('not served'));
  const rights = new KnownRights('a', w);
  equal(rights.may(wish('delete')), true);
  await settle();
  deepEqual([rights.may(wish('delete')), w.asked], [true, []]);
});
