import { deepEqual } from 'node:assert/strict';
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
