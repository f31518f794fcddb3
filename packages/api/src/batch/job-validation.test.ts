import { checkCreate, checkUpdate } from '../testing/kind-table.ts';
import { INDEXED, JOB, jobWith, RIGHT, TEMPLATE } from '../testing/job-table.ts';

const GENERATED = {
  'job-name': 'x',
  'batch.kubernetes.io/job-name': 'x',
  'controller-uid': 'u',
  'batch.kubernetes.io/controller-uid': 'u',
};
const SELECTOR = { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } };
const labelled = (labels: object): object => ({
  metadata: { uid: 'u' },
  spec: { selector: SELECTOR, template: { ...TEMPLATE, metadata: { labels } } },
});
const policy = (restartPolicy: string | undefined): object =>
  jobWith({ template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy } } });

// Provenance: upstream pkg/apis/batch/validation/validation.go.
checkCreate('jobs', [
  ['selector made by hand', 'ValidateJob', JOB, { spec: RIGHT }],
  ['selector generated', 'validateGeneratedSelector', JOB, labelled(GENERATED)],
  [
    'labels of another job',
    'validateGeneratedSelector',
    JOB,
    labelled({ ...GENERATED, 'job-name': 'y' }),
    `spec.template.metadata.labels[job-name]: Invalid value: ${JSON.stringify({ ...GENERATED, 'job-name': 'y' })}: must be 'x'`,
  ],
  [
    'a selector of its own, unasked',
    'validateGeneratedSelector',
    JOB,
    {
      metadata: { uid: 'u' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { ...TEMPLATE, metadata: { labels: { ...GENERATED, a: 'b' } } },
      },
    },
    'spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` not auto-generated',
  ],
  [
    'a selector of other pods',
    'ValidateJobSpec',
    JOB,
    jobWith({ selector: { matchLabels: { c: 'd' } } }),
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  ],
  [
    'always restarting',
    'validateJobSpec',
    JOB,
    policy('Always'),
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  [
    'nothing said about restarts',
    'validateJobSpec',
    JOB,
    policy(undefined),
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  [
    'indexes that make no pod names',
    'ValidateJob',
    JOB,
    { metadata: { name: 'x'.repeat(62) }, ...jobWith(INDEXED) },
    `metadata.name: Invalid value: "${'x'.repeat(62)}": will not able to create pod with invalid DNS label: ${'x'.repeat(62)}-2`,
  ],
  [
    'replacing pods before they end, with a failure policy',
    'validatePodReplacementPolicy',
    JOB,
    jobWith({
      podReplacementPolicy: 'TerminatingOrFailed',
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
    }),
    'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
  ],
]);

const suspended = (fields: object): object => jobWith({ suspend: true, ...fields });
const pinned = { ...TEMPLATE, spec: { ...TEMPLATE.spec, nodeSelector: { disk: 'ssd' } } };
const affine = { ...TEMPLATE, spec: { ...TEMPLATE.spec, affinity: { nodeAffinity: {} } } };

checkUpdate('jobs', [
  ['parallelism', 'ValidateJobSpecUpdate', JOB, jobWith({}), jobWith({ completions: 1, parallelism: 4 })],
  [
    'completions',
    'validateCompletions',
    JOB,
    jobWith({ completions: 1 }),
    jobWith({ completions: 2 }),
    'spec.completions: Invalid value: 2: field is immutable',
  ],
  [
    'completions with parallelism, by index',
    'validateCompletions',
    JOB,
    jobWith(INDEXED),
    jobWith({ ...INDEXED, completions: 5, parallelism: 5 }),
  ],
  [
    'completions alone, by index',
    'validateCompletions',
    JOB,
    jobWith(INDEXED),
    jobWith({ ...INDEXED, completions: 5 }),
    'spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism',
  ],
  [
    'completion mode',
    'ValidateJobSpecUpdate',
    JOB,
    jobWith({ completions: 3 }),
    jobWith({ ...INDEXED }),
    'spec.completionMode: Invalid value: "Indexed": field is immutable',
  ],
  ['where a waiting job runs', 'validatePodTemplateUpdate', JOB, suspended({}), suspended({ template: pinned })],
  ['node affinity of a waiting job', 'validatePodTemplateUpdate', JOB, suspended({ template: affine }), suspended({})],
]);
