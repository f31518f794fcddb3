import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { Schemas } from '../editor/schema.ts';
import type { Schema } from '../editor/schema.ts';
import { skeletonOf } from './skeleton.ts';

const kind = (group: string, resource: string, name: string, namespaced = true) => ({
  ...{ group, version: 'v1', resource, kind: name, namespaced },
  ...{ shortNames: [], categories: [], verbs: [], subresources: [] },
});
const text: Schema = { type: 'string' };
const labels: Schema = { type: 'object', additionalProperties: text };
const POD_SPEC: Schema = {
  type: 'object',
  required: ['containers'],
  properties: {
    restartPolicy: text,
    containers: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: text, image: text, tty: { type: 'boolean' } } },
    },
  },
};
const TEMPLATE: Schema = {
  type: 'object',
  properties: { metadata: { type: 'object', properties: { labels, name: text } }, spec: POD_SPEC },
};
const of = (properties: { readonly [key: string]: Schema }, required: readonly string[] = []) => ({
  schemas: new Schemas({}),
  root: { type: 'object', properties: { kind: text, status: labels, spec: { type: 'object', required, properties } } },
});

test('a Deployment: what is required, and what people come for', () => {
  const schema = of(
    {
      replicas: { type: 'integer' },
      paused: { type: 'boolean' },
      selector: {
        type: 'object',
        properties: { matchLabels: labels, matchExpressions: { type: 'array', items: text } },
      },
      template: TEMPLATE,
    },
    ['selector', 'template'],
  );
  deepEqual(skeletonOf(kind('apps', 'deployments', 'Deployment'), schema, 'shop'), {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'example', namespace: 'shop' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'example' } },
      template: {
        metadata: { labels: { app: 'example' } },
        spec: { containers: [{ name: 'example', image: 'nginx' }] },
      },
    },
  });
});

test('a Job ends; a kind without a schema has a name', () => {
  const job = skeletonOf(kind('batch', 'jobs', 'Job'), of({ template: TEMPLATE }, ['template']), '') as {
    readonly spec: { readonly template: { readonly spec: { readonly restartPolicy: string } } };
  };
  deepEqual(job.spec.template.spec.restartPolicy, 'Never');
  deepEqual(skeletonOf(kind('x.dev', 'wheels', 'Wheel', false), undefined, 'shop'), {
    ...{ apiVersion: 'x.dev/v1', kind: 'Wheel', metadata: { name: 'example' } },
  });
});

const valuesOf = (properties: { readonly [key: string]: Schema }): unknown => {
  const schema = of(properties, Object.keys(properties));
  return (skeletonOf(kind('x.dev', 'wheels', 'Wheel'), schema, '') as { readonly spec: unknown }).spec;
};

test('what somebody else calls by a known name has the type that his schema says', () => {
  const repository = { type: 'object', required: ['repository'], properties: { repository: text } };
  deepEqual(
    valuesOf({
      ...{ image: repository, port: text, schedule: { type: 'integer', minimum: 5 }, accessModes: text },
      restartPolicy: { type: 'string', enum: ['Sometimes', 'Often'] },
      name: { type: 'boolean' },
    }),
    {
      ...{ image: { repository: 'example' }, port: 'example', schedule: 5, accessModes: 'example', name: false },
      restartPolicy: 'Sometimes',
    },
  );
});

test('a port that may be a number or a name is a number; maps of what is no text are empty', () => {
  deepEqual(
    valuesOf({
      port: { format: 'int-or-string' },
      weights: { type: 'object', additionalProperties: { type: 'integer' } },
      parts: { type: 'object', additionalProperties: { type: 'object', properties: { a: text } } },
      data: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
    }),
    { port: 80, weights: {}, parts: {}, data: { key: 'dmFsdWU=' } },
  );
});

test('a schema that goes round in itself has an end', () => {
  const loop: Schema = { $ref: '#/components/schemas/Loop' };
  const schemas = new Schemas({
    components: { schemas: { Loop: { type: 'object', required: ['next'], properties: { next: loop } } } },
  });
  const wheel = kind('x.dev', 'wheels', 'Wheel');
  const made = skeletonOf(wheel, { schemas, root: { properties: { spec: loop } } }, '');
  ok(JSON.stringify(made).length < 1000);
});
