import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { ControllerRevision } from '@binnacle/api/apps/v1';
import { dataOf, planHistory, sortRevisions, surplusRevisions, templateOf } from './controller-history.ts';

const template = (image: string) => ({ metadata: {}, spec: { containers: [{ name: 'c', image }] } });
const revision = (number: number, image: string, name = `r${number}`): ControllerRevision => ({
  metadata: { name },
  revision: number,
  data: { spec: { template: { ...template(image), $patch: 'replace' } } },
});
const told = (plan: ReturnType<typeof planHistory>): string =>
  plan.kind === 'create' ? `create ${plan.number}` : `${plan.kind} ${plan.revision.metadata.name}`;

for (const [name, image, revisions, expected] of [
  ['the first', 'a', [], 'create 1'],
  ['still the newest', 'b', [revision(1, 'a'), revision(2, 'b')], 'current r2'],
  ['a new one', 'c', [revision(1, 'a'), revision(2, 'b')], 'create 3'],
  ['back to an older one', 'a', [revision(1, 'a'), revision(2, 'b')], 'raise r1'],
  ['after one was deleted: the highest plus one', 'c', [revision(7, 'a')], 'create 8'],
  ['one that somebody made unreadable counts too', 'a', [{ ...revision(4, 'a'), data: { x: 1 } }], 'create 5'],
] as const) {
  test(name, () => assert.equal(told(planHistory({ template: template(image), revisions })), expected));
}

test('what is neither in use nor among the newest may go', () => {
  const revisions = [1, 2, 3, 4, 5].map((number) => revision(number, `i${number}`));
  const surplus = surplusRevisions(revisions, (one) => one.revision === 1 || one.revision === 5, 1);
  assert.deepEqual(
    surplus.map((one) => one.revision),
    [2, 3],
  );
  assert.equal(surplusRevisions(revisions, () => true, 0).length, 0);
});

test('a revision tells its template, without the patch directive', () => {
  assert.deepEqual(templateOf(revision(1, 'a')), template('a'));
});

test('the data of a revision is byte for byte what Go makes of the template', () => {
  const container = { name: 'c', image: 'a', resources: {}, env: [{ value: 'v', name: 'n' }] };
  const labels = JSON.parse('{"b":"1","__proto__":"2","a":"3"}') as { [name: string]: string };
  const kept = { metadata: { labels }, spec: { restartPolicy: 'Always', containers: [container] } } as const;
  assert.equal(
    JSON.stringify(dataOf(kept)),
    '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"__proto__":"2","a":"3","b":"1"}},' +
      '"spec":{"containers":[{"env":[{"name":"n","value":"v"}],"image":"a","name":"c","resources":{}}],' +
      '"restartPolicy":"Always"}}}}',
  );
});

const made = (revision: number, name: string, second?: number): ControllerRevision => ({
  metadata: { name, ...(second === undefined ? {} : { creationTimestamp: `2026-01-01T00:00:0${second}Z` }) },
  revision,
});
for (const [name, given, expected] of [
  ['by number, not by text', [made(10, 'a'), made(9, 'b'), made(1, 'c')], 'c b a'],
  ['equal numbers: the older first', [made(1, 'a', 2), made(1, 'b', 1)], 'b a'],
  ['equal numbers and age: by name', [made(1, 'b', 1), made(1, 'a', 1)], 'a b'],
  ['one of no known age is the oldest', [made(1, 'a', 1), made(1, 'b')], 'b a'],
  ['numbers past 32 bits', [made(2 ** 40, 'a'), made(2 ** 31, 'b')], 'b a'],
  ['none', [], ''],
] as const)
  test(`revisions in order: ${name}`, () => {
    const before = [...given];
    assert.equal(
      sortRevisions(given)
        .map(({ metadata }) => metadata.name)
        .join(' '),
      expected,
    );
    assert.deepEqual(given, before, 'the given list stays as it was');
  });
