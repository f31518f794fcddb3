import { checkCreate } from '../testing/kind-table.ts';
import { INDEXED, JOB, jobWith } from '../testing/job-table.ts';

const MANY = { ...INDEXED, completions: 100_001, backoffLimitPerIndex: 1 };

// Provenance: upstream pkg/apis/batch/validation/validation.go, validateJobSpec.
checkCreate('counts of jobs', [
  ['by index', 'validateJobSpec', JOB, jobWith({ ...INDEXED, backoffLimitPerIndex: 1, maxFailedIndexes: 2 })],
  [
    'negative',
    'validateJobSpec',
    JOB,
    jobWith({ parallelism: -1, ttlSecondsAfterFinished: -1 }),
    'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
    'spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'a limit per index without indexes',
    'validateJobSpec',
    JOB,
    jobWith({ backoffLimitPerIndex: 1 }),
    'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
  ],
  [
    'failed indexes without a limit per index',
    'validateJobSpec',
    JOB,
    jobWith({ ...INDEXED, maxFailedIndexes: 4 }),
    'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
    'spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions',
  ],
  [
    'indexes without a number of completions',
    'validateJobSpec',
    JOB,
    jobWith({ completionMode: 'Indexed', parallelism: 100_001 }),
    'spec.completions: Required value: when completion mode is Indexed',
    'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
  ],
  [
    'very many indexes',
    'validateJobSpec',
    JOB,
    jobWith({ ...MANY, parallelism: 10_001 }),
    'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
    'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
  ],
  [
    'an unknown mode',
    'validateJobSpec',
    JOB,
    jobWith({ completionMode: 'Foo' }),
    'spec.completionMode: Unsupported value: "Foo": supported values: "NonIndexed", "Indexed"',
  ],
  [
    'managed by nobody in particular',
    'IsDomainPrefixedPath',
    JOB,
    jobWith({ managedBy: 'me' }),
    'spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")',
  ],
]);
