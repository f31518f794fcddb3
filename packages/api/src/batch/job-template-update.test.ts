import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectOf, texts, kindOf } from '../kind-table.test.ts';
import { validateUpdate } from '../validate.ts';
import { JOB, jobWith, TEMPLATE } from './job-table.test.ts';

const pinned = { ...TEMPLATE, spec: { ...TEMPLATE.spec, nodeSelector: { disk: 'ssd' } } };
const SPEC = /^spec\.template\.spec: Invalid value: .*: field is immutable$/;
const WHOLE = /^spec\.template: Invalid value: .*: field is immutable$/;
const resources = { requests: { cpu: '200m', memory: '256Mi' } };
const withSpec = (spec: object): object => ({ ...TEMPLATE, spec: { ...TEMPLATE.spec, ...spec } });
const bigger = withSpec({ containers: [{ name: 'c', image: 'i', resources }] });
const biggerInit = withSpec({ initContainers: [{ name: 'n', image: 'i', resources }] });
const otherName = withSpec({ containers: [{ name: 'd', image: 'i', resources }] });
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

  const STARTED = '2026-01-01T00:00:00Z';
  const SUSPENDED = { startTime: STARTED, conditions: [{ type: 'Suspended', status: 'True' }] };
  const rows: [name: string, status: object, template: object, errors: RegExp[]][] = [
    ['suspended before it started: places', {}, pinned, []],
    ['suspended before it started: resources', {}, bigger, []],
    ['suspended before it started: a new init container', {}, biggerInit, [SPEC]],
    ['suspended before it started: another image', {}, otherImage, [SPEC]],
    ['suspended before it started: another name', {}, otherName, [SPEC]],
    ['started, not yet known as suspended: places', { startTime: STARTED }, pinned, [WHOLE]],
    ['started, not yet known as suspended: resources', { startTime: STARTED }, bigger, [WHOLE]],
    ['suspended after it ran: places', SUSPENDED, pinned, []],
    ['suspended after it ran: resources', SUSPENDED, bigger, []],
    ['suspended with a pod left', { ...SUSPENDED, active: 1 }, bigger, [WHOLE]],
  ];
  for (const [name, status, template, errors] of rows) {
    it(name, () => {
      const found = errorsOf(
        { ...jobWith({ suspend: true }), status },
        { ...jobWith({ suspend: true, template }), status },
      );
      assert.equal(found.length, errors.length, found.join());
      for (const [at, error] of errors.entries()) assert.match(found[at] ?? '', error);
    });
  }

  it('keeps its resources while it runs', () => {
    assert.equal(errorsOf(jobWith({}), jobWith({ template: bigger })).length, 1);
  });
});
