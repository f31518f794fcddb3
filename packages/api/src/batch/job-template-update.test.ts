import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectOf, texts, kindOf } from '../testing/kind-table.ts';
import { validateUpdate } from '../validate.ts';
import type { Job } from '../generated/batch-v1.ts';
import { isSemanticallyEqual } from '../validation/equality.ts';
import { isWaiting, templateForUpdate } from './job-template-update.ts';
import { JOB, jobWith, TEMPLATE } from '../testing/job-table.ts';

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

const term = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'Exists' }] }] };
const [near, other] = [term, { nodeSelectorTerms: [] }].map((one) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: one },
}));
const apart = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };
const pods = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'z' }] } };
const job = (template: object, status: object = {}, suspend?: boolean): Job =>
  ({ metadata: {}, spec: { template, ...(suspend === undefined ? {} : { suspend }) }, status }) as Job;
const templateOf = (spec: object, metadata: object = {}): object => ({ metadata, spec: { containers: [], ...spec } });

describe('whether a job waits', () => {
  const SUSPENDED = [{ type: 'Suspended', status: 'True' }];
  const startTime = '2026-01-01T00:00:00Z';
  const rows: readonly [name: string, suspend: boolean | undefined, status: object, waits: boolean][] = [
    ['suspended and never started', true, {}, true],
    ['not suspended', false, {}, false],
    ['nothing is said', undefined, {}, false],
    ['started, then suspended', true, { startTime, conditions: SUSPENDED }, true],
    ['started, and not yet suspended', true, { startTime }, false],
    ['suspended no more', true, { startTime, conditions: [{ type: 'Suspended', status: 'False' }] }, false],
    ['with a pod left', true, { startTime, conditions: SUSPENDED, active: 1 }, false],
    ['with a pod and no start', true, { active: 1 }, false],
    ['none left, in words', true, { active: 0 }, true],
  ];
  for (const [name, suspend, status, waits] of rows)
    it(name, () => assert.equal(isWaiting(job(templateOf({}), status, suspend)), waits));
});

describe('the template that a changed job must have', () => {
  const must = (before: object, after: object, suspend = true): unknown =>
    templateForUpdate(job(after, {}, suspend), job(before, {}, suspend));
  const taken: readonly [name: string, before: object, after: object][] = [
    ['a node selector', templateOf({}), templateOf({ nodeSelector: { a: 'b' } })],
    ['none any more', templateOf({ nodeSelector: { a: 'b' } }), templateOf({})],
    ['tolerations', templateOf({}), templateOf({ tolerations: [{ operator: 'Exists' }] })],
    ['gates', templateOf({ schedulingGates: [{ name: 'g' }] }), templateOf({})],
    [
      'labels and annotations',
      templateOf({}, { labels: { a: 'b' } }),
      templateOf({}, { annotations: { constructor: 'x' } }),
    ],
    ['node affinity', templateOf({}), templateOf({ affinity: near })],
    ['another node affinity', templateOf({ affinity: near }), templateOf({ affinity: other })],
    ['no node affinity', templateOf({ affinity: near }), templateOf({ affinity: {} })],
    ['no affinity', templateOf({ affinity: near }), templateOf({})],
    [
      'node affinity beside that of pods',
      templateOf({ affinity: pods }),
      templateOf({ affinity: { ...pods, ...near } }),
    ],
    [
      'what containers take',
      templateOf({ containers: [{ name: 'c' }] }),
      templateOf({ containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }] }),
    ],
  ];
  for (const [name, before, after] of taken)
    it(`may change: ${name}`, () =>
      assert.ok(isSemanticallyEqual('core.v1.PodTemplateSpec', must(before, after), after)));
  const kept: readonly [name: string, before: object, after: object][] = [
    ['affinity to pods', templateOf({}), templateOf({ affinity: pods })],
    ['affinity to pods, taken away', templateOf({ affinity: { ...pods, ...near } }), templateOf({})],
    [
      'an image',
      templateOf({ containers: [{ name: 'c', image: 'a' }] }),
      templateOf({ containers: [{ name: 'c', image: 'b' }] }),
    ],
    [
      'the order of containers',
      templateOf({ containers: [{ name: 'a' }, { name: 'b' }] }),
      templateOf({ containers: [{ name: 'b' }, { name: 'a' }] }),
    ],
    ['a container more', templateOf({}), templateOf({ containers: [{ name: 'c' }] })],
    ['finalizers', templateOf({}), templateOf({}, { finalizers: ['a/b'] })],
    ['a host name', templateOf({}), templateOf({ hostname: 'h' })],
  ];
  for (const [name, before, after] of kept)
    it(`must stay: ${name}`, () =>
      assert.ok(!isSemanticallyEqual('core.v1.PodTemplateSpec', must(before, after), after)));
  it('is the old one while the job runs', () => {
    const before = templateOf({ affinity: apart });
    assert.equal(must(before, templateOf({}), false), before);
  });
});
