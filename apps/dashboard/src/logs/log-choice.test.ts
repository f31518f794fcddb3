import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { ALL, chosenLogs, prefixOf, textOf } from './log-choice.ts';

const WEB = { container: 'web', previous: false, timestamps: false };
const TWO = ['web', 'helper'];
const ROWS: readonly (readonly [what: string, choice: Partial<typeof WEB>, queries: readonly string[]])[] = [
  ['one container', {}, ['container=web&tailLines=2000&follow=true']],
  ['with times', { timestamps: true }, ['container=web&tailLines=2000&follow=true&timestamps=true']],
  ['the one before', { previous: true }, ['container=web&tailLines=2000&follow=false&previous=true']],
  [
    'all of them',
    { container: ALL },
    TWO.map((name) => `container=${name}&tailLines=2000&follow=true&timestamps=true`),
  ],
  [
    'all that ran before',
    { container: ALL, previous: true },
    TWO.map((name) => `container=${name}&tailLines=2000&follow=false&previous=true&timestamps=true`),
  ],
];
for (const [what, choice, queries] of ROWS) {
  test(what, () => deepEqual(chosenLogs(TWO, { ...WEB, ...choice }).queries, queries));
}

test('all of one is that one, without its name in front', () => {
  const { containers, queries } = chosenLogs(['web'], { ...WEB, container: ALL });
  deepEqual(queries, ['container=web&tailLines=2000&follow=true']);
  equal(prefixOf(0, containers), '');
});

test('of very many containers some are followed, less of each, and how many are not is said', () => {
  const many = Array.from({ length: 300 }, (_, at) => `c${at}`);
  const { containers, queries, left } = chosenLogs(many, { ...WEB, container: ALL });
  deepEqual([containers.length, left], [50, 250]);
  equal(queries[0], 'container=c0&tailLines=200&follow=true&timestamps=true');
});

test('a file of several containers says whose each line is', () => {
  const lines = [
    { source: 0, text: 'a' },
    { source: 1, text: '' },
  ];
  equal(textOf(lines, TWO), '[web] a\n[helper] \n');
  equal(textOf(lines.slice(0, 1), ['web']), 'a\n');
  equal(textOf([], TWO), '');
});
