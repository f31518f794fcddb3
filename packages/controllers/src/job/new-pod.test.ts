import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Job, JobSpec } from '@binnacle/api/batch/v1';
import type { Container, EnvVar } from '@binnacle/api/core/v1';
import { podFor } from './new-pod.ts';

const container = (...env: readonly EnvVar[]): Container => ({
  name: 'c',
  image: 'i',
  ...(env.length === 0 ? {} : { env }),
});
const job = (spec: Partial<JobSpec> = {}): Job => ({
  metadata: { name: 'work', namespace: 'ns', uid: 'u' },
  spec: { template: { metadata: { labels: { app: 'w' } }, spec: { containers: [container()] } }, ...spec },
});
const as = (index: number | undefined, counted = 0, ignored = 0) => ({
  ...{ name: 'work-x', index, failures: { counted, ignored } },
});
const VARIABLE: EnvVar = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
};

test('a pod of a job is as its template says, and waits to be counted', () => {
  const { metadata, spec } = podFor(job(), as(undefined, 4));
  assert.deepEqual([metadata.name, metadata.generateName, metadata.namespace], ['work-x', 'work-', 'ns']);
  assert.deepEqual([metadata.labels, metadata.annotations], [{ app: 'w' }, undefined]);
  assert.deepEqual(metadata.finalizers, ['batch.kubernetes.io/job-tracking']);
  assert.deepEqual(spec, { containers: [container()] });
});

test('finalizers of the template stay', () => {
  const template = { metadata: { finalizers: ['a/b'] }, spec: { containers: [] } };
  assert.deepEqual(podFor(job({ template }), as(undefined)).metadata.finalizers, [
    'a/b',
    'batch.kubernetes.io/job-tracking',
  ]);
});

test('a pod of an index knows it by label, annotation, host name and variable', () => {
  const { metadata, spec } = podFor(job(), as(0));
  const mark = { 'batch.kubernetes.io/job-completion-index': '0' };
  assert.deepEqual([metadata.labels, metadata.annotations], [{ app: 'w', ...mark }, mark]);
  assert.deepEqual([metadata.generateName, spec.hostname], ['work-0-', 'work-0']);
  assert.deepEqual(spec.containers, [container(VARIABLE)]);
  assert.equal(spec.initContainers, undefined);
});

test('the variable comes last, for init containers too, and never over one of the template', () => {
  const [other, own] = [
    { name: 'A', value: 'a' },
    { name: 'JOB_COMPLETION_INDEX', value: 'mine' },
  ];
  const template = {
    metadata: {},
    spec: { hostname: 'theirs', containers: [container(own, other), container(other)], initContainers: [container()] },
  };
  const { spec } = podFor(job({ template }), as(7));
  assert.deepEqual(spec.containers, [container(own, other), container(other, VARIABLE)]);
  assert.deepEqual(spec.initContainers, [container(VARIABLE)]);
  assert.equal(spec.hostname, 'work-7');
});

test('failures are told where each index has a limit of its own', () => {
  const failures = 'batch.kubernetes.io/job-index-failure-count';
  assert.equal(podFor(job({ backoffLimitPerIndex: 0 }), as(1, 3)).metadata.annotations?.[failures], '3');
  assert.equal(podFor(job(), as(1, 3)).metadata.annotations?.[failures], undefined);
  const passedOver = 'batch.kubernetes.io/job-index-ignored-failure-count';
  const marks = (ignored: number) => podFor(job({ backoffLimitPerIndex: 1 }), as(1, 3, ignored)).metadata.annotations;
  assert.deepEqual([marks(2)?.[passedOver], marks(0)?.[passedOver]], ['2', undefined]);
});
