import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Draft } from '../draft.ts';
import type { Job } from '../generated/batch-v1.ts';
import { generateJobSelector } from './job-selector.ts';

function made(spec: object, labels?: object): Draft<Job> {
  const job = structuredClone({ metadata: { name: 'x', uid: 'u', labels }, spec }) as unknown as Draft<Job>;
  generateJobSelector(job);
  return job;
}

const generated = (spec: object): unknown => made(spec).spec;

const LABELS = {
  'job-name': 'x',
  'batch.kubernetes.io/job-name': 'x',
  'controller-uid': 'u',
  'batch.kubernetes.io/controller-uid': 'u',
};

// Provenance: upstream pkg/registry/batch/job/strategy.go, generateSelector.
describe('the selector of a new job', () => {
  it('is its uid', () => {
    assert.deepEqual(generated({ template: {} }), {
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
      template: { metadata: { labels: LABELS } },
    });
  });

  it('is found by labels of the job too, where it has none of its own', () => {
    assert.deepEqual(made({ template: {} }).metadata.labels, LABELS);
    assert.deepEqual(made({ template: {} }, { a: 'b' }).metadata.labels, { a: 'b' });
  });

  it('leaves labels that are there for validation to judge', () => {
    const template = { metadata: { labels: { 'job-name': 'other', a: 'b' } } };
    const { template: made } = generated({ template }) as { template: unknown };
    assert.deepEqual(made, { metadata: { labels: { ...LABELS, 'job-name': 'other', a: 'b' } } });
  });

  it('is left alone when made by hand', () => {
    const spec = { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template: {} };
    assert.deepEqual(generated(spec), spec);
  });
});
