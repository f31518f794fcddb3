import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Draft } from '../draft.ts';
import type { Job } from '../generated/batch-v1.ts';
import { generateJobSelector } from './job-selector.ts';

function generated(spec: object): unknown {
  const job = structuredClone({ metadata: { name: 'x', uid: 'u' }, spec }) as unknown as Draft<Job>;
  generateJobSelector(job);
  return job.spec;
}

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
