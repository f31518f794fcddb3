import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { hasPodTemplate, podTemplateOf } from './pod-template.ts';

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [] } };

describe('the template of the pods of a workload', () => {
  type Row = readonly [resource: string, object: object, found: object | undefined];
  const rows: readonly Row[] = [
    ['podtemplates', { template }, template],
    ['replicationcontrollers', { spec: { template } }, template],
    ...['replicasets', 'deployments', 'statefulsets', 'daemonsets'].map((name): Row => [
      `${name}.apps`,
      { spec: { template } },
      template,
    ]),
    ['jobs.batch', { spec: { template } }, template],
    ['cronjobs.batch', { spec: { jobTemplate: { spec: { template } } } }, template],
    ['cronjobs.batch', { spec: { jobTemplate: {} } }, undefined],
    ['cronjobs.batch', { spec: { jobTemplate: null } }, undefined],
    ['replicationcontrollers', { spec: { replicas: 1 } }, undefined],
    ['deployments.apps', { spec: { template: { metadata: {} } } }, undefined],
    ['deployments.apps', {}, undefined],
    ['deployments.example.com', { spec: { template } }, undefined],
    ['deployments', { spec: { template } }, undefined],
    ['jobs.apps', { spec: { template } }, undefined],
    ['services', { spec: { template } }, undefined],
    ['constructor', { template }, undefined],
    ['toString', { template }, undefined],
  ];
  for (const [name, object, found] of rows) {
    test(`${name} ${JSON.stringify(object)}`, () => {
      const [resource = '', ...group] = name.split('.');
      const ref = { group: group.join('.'), resource };
      assert.equal(podTemplateOf(ref, { metadata: {}, ...object } as KubeObject), found);
    });
  }

  test('who may have one', () => {
    for (const [group, resource, may] of [
      ['apps', 'deployments', true],
      ['', 'podtemplates', true],
      ['', 'deployments', false],
      ['', 'constructor', false],
      ['apps', '__proto__', false],
    ] as const) {
      assert.equal(hasPodTemplate({ group, resource }), may, `${resource}.${group}`);
    }
  });
});
