import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectOf, texts, kindOf } from '../kind-table.test.ts';
import { validateUpdate } from '../validate.ts';
import { JOB, jobWith, TEMPLATE } from './job-table.test.ts';

const pinned = { ...TEMPLATE, spec: { ...TEMPLATE.spec, nodeSelector: { disk: 'ssd' } } };
const otherImage = { ...TEMPLATE, spec: { ...TEMPLATE.spec, containers: [{ name: 'c', image: 'other' }] } };

function errorsOf(before: object, after: object): string[] {
  return texts(validateUpdate(kindOf(JOB), objectOf(JOB, after), objectOf(JOB, before)));
}

// Provenance: upstream pkg/apis/batch/validation/validation.go, validatePodTemplateUpdate.
describe('the template of a job', () => {
  it('says where pods go until the job starts', () => {
    assert.deepEqual(errorsOf(jobWith({ suspend: true }), jobWith({ suspend: true, template: pinned })), []);
  });

  it('stays once it runs', () => {
    const [error = '', ...others] = errorsOf(jobWith({}), jobWith({ template: pinned }));
    assert.match(error, /^spec\.template: Invalid value: .*: field is immutable$/);
    assert.deepEqual(others, []);
  });

  it('stays once it has run', () => {
    const started = { status: { startTime: '2026-01-01T00:00:00Z' } };
    const before = { ...jobWith({ suspend: true }), ...started };
    assert.equal(errorsOf(before, { ...jobWith({ suspend: true, template: pinned }), ...started }).length, 1);
  });

  it('keeps its containers even while the job waits', () => {
    assert.equal(errorsOf(jobWith({ suspend: true }), jobWith({ suspend: true, template: otherImage })).length, 1);
  });
});
