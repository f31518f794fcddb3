import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { explanationAt, suggestionsAt } from './completion.ts';
import { Schemas } from './schema.ts';

const root = {
  type: 'object',
  properties: {
    kind: { type: 'string' },
    spec: {
      type: 'object',
      description: 'what is wanted',
      required: ['containers'],
      properties: {
        paused: { type: 'boolean' },
        containers: {
          type: 'array',
          items: { type: 'object', properties: { image: { type: 'string', description: 'what runs' } } },
        },
      },
    },
  },
};
const kind = { schemas: new Schemas({}), root };
const at = (marked: string) => {
  const offset = marked.indexOf('|');
  return [kind, marked.replace('|', ''), offset] as const;
};

test('keys that are missing, written with what has to follow', () => {
  deepEqual(
    suggestionsAt(...at('kind: A\nsp|'))?.options.map(({ text }) => text),
    ['spec:\n  '],
  );
  const found = suggestionsAt(...at('spec:\n  |'));
  deepEqual(
    found?.options.map(({ text }) => text),
    ['containers:\n    - ', 'paused: '],
  );
  equal(suggestionsAt(...at('spec:\n  con|'))?.from, 8);
});

test('values, where there are only some', () => {
  deepEqual(
    suggestionsAt(...at('spec:\n  paused: |'))?.options.map(({ label }) => label),
    ['true', 'false'],
  );
  equal(suggestionsAt(...at('kind: |')), undefined);
  equal(suggestionsAt(...at('nowhere:\n  |')), undefined);
});

test('what a key is, wherever in it one points', () => {
  const text = 'spec:\n  containers:\n    - ima|ge: nginx:1';
  deepEqual(explanationAt(...at(text)), { name: 'image', type: 'string', description: 'what runs' });
  equal(explanationAt(...at('spec:\n  containers:\n    - image: ngi|nx')), undefined);
  equal(explanationAt(...at('sp|ec:'))?.description, 'what is wanted');
});

test('items of a list of choices are such', () => {
  const types = { type: 'array', items: { type: 'string', enum: ['Ingress', 'Egress'] } };
  const policy = { schemas: new Schemas({}), root: { type: 'object', properties: { types } } };
  const text = 'types:\n  - In';
  const found = suggestionsAt(policy, text, text.length);
  deepEqual([found?.from, found?.options.map(({ text: written }) => written)], [11, ['Ingress', 'Egress']]);
});

test('a key of another document is not taken here', () => {
  deepEqual(
    suggestionsAt(...at('|\n---\nkind: A\nspec: {}'))?.options.map(({ label }) => label),
    ['kind', 'spec'],
  );
});

test('nothing is said of a map without a schema, in a text of several lines, or behind a key that is none', () => {
  const config = {
    schemas: new Schemas({}),
    root: { type: 'object', properties: { data: { type: 'object', additionalProperties: { type: 'string' } } } },
  };
  for (const text of ['data:\n  run.sh: |\n    if', 'data:\n  a', 'data:\n  __proto__:\n    a']) {
    equal(suggestionsAt(config, text, text.length), undefined, text);
  }
  equal(explanationAt(config, 'data:\n  a: b', 9)?.type, 'string');
});
