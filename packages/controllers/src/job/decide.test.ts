import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import type { Job, JobCondition, JobSpec, JobStatus } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { account, TRACKING } from './accounting.ts';
import type { Account, JobSeen } from './accounting.ts';
import { deadlineMs, decideEnding, failuresByIndex, planPods, podCounts } from './decide.ts';
import { FailureBook } from './failure-book.ts';
import { INDEX_FAILURES, outcomeOf } from './index-failures.ts';
import { jobStatus } from './status.ts';

const START = '2026-01-01T00:00:00Z';
const NOW = Date.parse('2026-01-01T00:10:00Z');
const at = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

function job(spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job {
  const template = { metadata: {}, spec: { containers: [{ name: 'c', image: 'x' }], restartPolicy: 'Never' as const } };
  return {
    metadata: { name: 'j', namespace: 'default', uid: 'j' },
    spec: { parallelism: 2, completions: 3, backoffLimit: 6, template, ...spec },
    status: { startTime: START, ...status },
  };
}
/** A job that leaves a field open. */
function open(field: keyof JobSpec): Job {
  const { [field]: _left, ...spec } = job().spec;
  return { ...job(), spec: spec as JobSpec };
}
const INDEXED = { completionMode: 'Indexed' } as const;

type Phase = NonNullable<NonNullable<Pod['status']>['phase']>;
interface Shape {
  readonly index?: number;
  readonly failures?: number;
  readonly going?: boolean;
  readonly ready?: boolean;
  readonly endedSecondsAgo?: number;
  readonly restarts?: number;
  readonly untracked?: boolean;
  readonly node?: string;
}
function pod(uid: string, phase: Phase, shape: Shape = {}): Pod {
  const { index, failures, going, ready, endedSecondsAgo = 3600, restarts = 0, untracked, node = 'n' } = shape;
  const annotations = {
    ...(index === undefined ? {} : { 'batch.kubernetes.io/job-completion-index': `${index}` }),
    ...(failures === undefined ? {} : { [INDEX_FAILURES]: `${failures}` }),
  };
  const ended = phase === 'Failed' || phase === 'Succeeded';
  const terminated = { exitCode: phase === 'Failed' ? 1 : 0, finishedAt: at(endedSecondsAgo) };
  return {
    metadata: {
      name: uid,
      namespace: 'default',
      uid,
      annotations,
      creationTimestamp: START,
      ...(untracked === true ? {} : { finalizers: [TRACKING] }),
      ...(going === true ? { deletionTimestamp: at(endedSecondsAgo) } : {}),
    },
    spec: { containers: [{ name: 'c', image: 'x' }], nodeName: node },
    status: {
      phase,
      conditions: ready === true ? [{ type: 'Ready', status: 'True' }] : [],
      containerStatuses: [
        {
          name: 'c',
          image: 'x',
          imageID: '',
          ready: false,
          restartCount: restarts,
          state: ended ? { terminated } : {},
        },
      ],
    },
  };
}
const seen = (of: Job, pods: readonly Pod[] = [], released: readonly string[] = []): JobSeen => ({
  job: of,
  pods,
  isReleased: (one) => released.includes(one.metadata.uid ?? ''),
  failedAtMs: new FailureBook().note(of, pods),
  nowMs: NOW,
});
const BOOK: Account = {
  succeeded: 0,
  failed: 0,
  completed: [],
  failedIndexes: [],
  uncounted: { succeeded: [], failed: [] },
  held: 0,
  release: [],
  fatal: undefined,
  judged: [],
};
const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.uid ?? '');
const condition = (type: string, more: Partial<JobCondition> = {}): JobCondition => ({ type, status: 'True', ...more });

describe('how a pod of a job ended', () => {
  const policy = { podFailurePolicy: { rules: [] } };
  for (const [name, spec, one, wanted] of [
    ['it succeeded', {}, pod('a', 'Succeeded'), 'succeeded'],
    ['it failed', {}, pod('a', 'Failed'), 'failed'],
    ['it runs', {}, pod('a', 'Running'), undefined],
    ['it is taken away: it may never come to an end', {}, pod('a', 'Running', { going: true }), 'failed'],
    ['it succeeded while it was taken away', {}, pod('a', 'Succeeded', { going: true }), 'succeeded'],
    [
      'only failed pods are replaced',
      { podReplacementPolicy: 'Failed' },
      pod('a', 'Running', { going: true }),
      undefined,
    ],
    ['a failure policy wants to see the end', policy, pod('a', 'Running', { going: true }), undefined],
    [
      'replaced as soon as they go',
      { ...policy, podReplacementPolicy: 'TerminatingOrFailed' },
      pod('a', 'Running', { going: true }),
      'failed',
    ],
  ] as const)
    test(name, () => assert.equal(outcomeOf(job(spec), one), wanted));
});

describe('the book of a job', () => {
  const named = (succeeded: readonly string[], failed: readonly string[] = []): JobStatus => ({
    succeeded: 4,
    failed: 5,
    uncountedTerminatedPods: { succeeded, failed },
  });
  const book = (of: JobSeen): unknown => {
    const { succeeded, failed, uncounted, release } = account(of);
    return [succeeded, failed, uncounted.succeeded, uncounted.failed, names(release)];
  };
  for (const [name, of, wanted] of [
    ['nothing ended', seen(job(), [pod('a', 'Running')]), [0, 0, [], [], []]],
    [
      'what ended is named before it is counted',
      seen(job(), [pod('a', 'Succeeded'), pod('b', 'Failed')]),
      [0, 0, ['a'], ['b'], ['a', 'b']],
    ],
    [
      'named, and its finalizer still there',
      seen(job({}, named(['a'], ['b'])), [pod('a', 'Succeeded'), pod('b', 'Failed')]),
      [4, 5, ['a'], ['b'], ['a', 'b']],
    ],
    [
      'named, and its finalizer gone: counted',
      seen(job({}, named(['a'], ['b'])), [pod('a', 'Succeeded', { untracked: true })]),
      [5, 6, [], [], []],
    ],
    [
      'let go of, though the cache does not show it yet',
      seen(job({}, named(['a'])), [pod('a', 'Succeeded')], ['a']),
      [5, 5, [], [], []],
    ],
    [
      'not tracked, and on no record: never counted',
      seen(job(), [pod('a', 'Succeeded', { untracked: true })]),
      [0, 0, [], [], []],
    ],
  ] as const)
    test(name, () => assert.deepEqual(book(of), wanted));

  test('indexes: each once, those beyond are let go of uncounted', () => {
    const pods = [
      pod('a', 'Succeeded', { index: 0 }),
      pod('b', 'Succeeded', { index: 0 }),
      pod('c', 'Succeeded', { index: 3 }),
      pod('d', 'Succeeded'),
    ];
    const made = account(seen(job(INDEXED, { completedIndexes: '2' }), pods));
    assert.deepEqual(
      [made.completed, made.succeeded],
      [
        [
          { first: 0, last: 0 },
          { first: 2, last: 2 },
        ],
        2,
      ],
    );
    assert.deepEqual(
      [made.uncounted.succeeded, names(made.release)],
      [
        ['a', 'b'],
        ['a', 'b', 'c', 'd'],
      ],
    );
  });

  test('an index fails for good past its limit, but not one that was completed', () => {
    const spec = { ...INDEXED, backoffLimitPerIndex: 1 };
    const failed = (index: number, failures: number): Pod => pod(`f${index}`, 'Failed', { index, failures });
    const made = account(seen(job(spec, { completedIndexes: '2' }), [failed(0, 0), failed(1, 1), failed(2, 1)]));
    assert.deepEqual(made.failedIndexes, [{ first: 1, last: 1 }]);
    assert.deepEqual(account(seen(job(INDEXED), [failed(1, 9)])).failedIndexes, [], 'without a limit none does');
  });

  test('the failure policy: ignored, fatal, the end of an index', () => {
    const rule = (action: 'Ignore' | 'FailJob' | 'FailIndex') => ({
      podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In' as const, values: [1] } }] },
    });
    const of = (action: 'Ignore' | 'FailJob' | 'FailIndex'): Account =>
      account(seen(job({ ...INDEXED, backoffLimitPerIndex: 5, ...rule(action) }), [pod('a', 'Failed', { index: 1 })]));
    assert.deepEqual([of('Ignore').uncounted.failed, of('Ignore').held], [[], 0]);
    assert.match(
      of('FailJob').fatal ?? '',
      /^Container c for pod default\/a failed with exit code 1 matching FailJob rule at index 0$/,
    );
    assert.deepEqual([of('FailIndex').failedIndexes, of('FailIndex').fatal], [[{ first: 1, last: 1 }], undefined]);
  });

  test('a status names at most 500 pods; the others wait', () => {
    const pods = Array.from({ length: 502 }, (_, n) => pod(`p${n}`, 'Succeeded'));
    assert.equal(account(seen(job(), pods)).uncounted.succeeded.length, 500);
    const before = { uncountedTerminatedPods: { succeeded: ['p501'] } };
    assert.equal(account(seen(job({}, before), pods)).uncounted.succeeded.length, 500);
  });
});

describe('why a job ends', () => {
  const onFailure = (restarts: number, limit: number): JobSeen => {
    const { template } = job().spec;
    const spec = {
      backoffLimit: limit,
      template: { ...template, spec: { ...template.spec, restartPolicy: 'OnFailure' as const } },
    };
    return seen(job(spec), [pod('a', 'Running', { restarts })]);
  };
  const perIndex = { ...INDEXED, backoffLimitPerIndex: 1 };
  const rules = (...list: readonly object[]): Partial<JobSpec> => ({ ...INDEXED, successPolicy: { rules: list } });
  const rows: readonly [name: string, of: JobSeen, book: Partial<Account>, wanted: string | undefined][] = [
    ['it goes on', seen(job()), {}, undefined],
    ['all completions are there', seen(job()), { succeeded: 3 }, 'SuccessCriteriaMet CompletionsReached'],
    [
      'with those that are not counted yet',
      seen(job()),
      { succeeded: 2, uncounted: { succeeded: ['a'], failed: [] } },
      'SuccessCriteriaMet CompletionsReached',
    ],
    ['one is missing', seen(job()), { succeeded: 2 }, undefined],
    [
      'no work is left: one succeeded, none runs',
      seen(open('completions')),
      { succeeded: 1 },
      'SuccessCriteriaMet CompletionsReached',
    ],
    ['one succeeded, others run', seen(open('completions'), [pod('a', 'Running')]), { succeeded: 1 }, undefined],
    [
      'too many failures',
      seen(job({ backoffLimit: 2 })),
      { failed: 2, uncounted: { succeeded: [], failed: ['a'] } },
      'FailureTarget BackoffLimitExceeded',
    ],
    ['as many as are allowed', seen(job({ backoffLimit: 2 })), { failed: 2 }, undefined],
    ['six where nothing is said', seen(open('backoffLimit')), { failed: 7 }, 'FailureTarget BackoffLimitExceeded'],
    ['restarts in place count', onFailure(2, 2), {}, 'FailureTarget BackoffLimitExceeded'],
    ['fewer restarts', onFailure(1, 2), {}, undefined],
    ['no restart is allowed, none was', onFailure(0, 0), {}, undefined],
    ['no restart is allowed, one was', onFailure(1, 0), {}, 'FailureTarget BackoffLimitExceeded'],
    ['it was active for too long', seen(job({ activeDeadlineSeconds: 600 })), {}, 'FailureTarget DeadlineExceeded'],
    ['not for too long yet', seen(job({ activeDeadlineSeconds: 601 })), {}, undefined],
    [
      'a fatal failure comes first',
      seen(job({ activeDeadlineSeconds: 1 })),
      { fatal: 'why' },
      'FailureTarget PodFailurePolicy',
    ],
    [
      'what was decided once holds',
      seen(job({}, { conditions: [condition('FailureTarget', { reason: 'Old' })] })),
      { succeeded: 3 },
      'FailureTarget Old',
    ],
    [
      'all indexes ended, some failed',
      seen(job(perIndex)),
      { succeeded: 2, failedIndexes: [{ first: 1, last: 1 }] },
      'FailureTarget FailedIndexes',
    ],
    [
      'some failed, others go on',
      seen(job(perIndex)),
      { succeeded: 1, failedIndexes: [{ first: 1, last: 1 }] },
      undefined,
    ],
    [
      'too many indexes failed',
      seen(job({ ...perIndex, maxFailedIndexes: 1 })),
      { failedIndexes: [{ first: 0, last: 1 }] },
      'FailureTarget MaxFailedIndexesExceeded',
    ],
    [
      'enough succeeded for a rule',
      seen(job(rules({ succeededCount: 2 }))),
      { succeeded: 2 },
      'SuccessCriteriaMet SuccessPolicy',
    ],
    ['not enough for it', seen(job(rules({ succeededCount: 2 }))), { succeeded: 1 }, undefined],
    [
      'the indexes of a rule',
      seen(job(rules({ succeededIndexes: '0,2' }))),
      {
        completed: [
          { first: 0, last: 0 },
          { first: 2, last: 2 },
        ],
        succeeded: 2,
      },
      'SuccessCriteriaMet SuccessPolicy',
    ],
    [
      'other indexes',
      seen(job(rules({ succeededIndexes: '0,2' }))),
      { completed: [{ first: 0, last: 1 }], succeeded: 2 },
      undefined,
    ],
    [
      'so many of these indexes',
      seen(job(rules({ succeededIndexes: '0,2', succeededCount: 1 }))),
      { completed: [{ first: 2, last: 2 }], succeeded: 1 },
      'SuccessCriteriaMet SuccessPolicy',
    ],
    [
      'a rule is met by the last index to end, and another one failed',
      seen(job({ ...rules({ succeededIndexes: '2' }), backoffLimitPerIndex: 1 })),
      { completed: [{ first: 1, last: 2 }], succeeded: 2, failedIndexes: [{ first: 0, last: 0 }] },
      'FailureTarget FailedIndexes',
    ],
    [
      'a rule is met as one index too many failed',
      seen(job({ ...rules({ succeededIndexes: '2' }), backoffLimitPerIndex: 1, maxFailedIndexes: 0 })),
      { completed: [{ first: 2, last: 2 }], succeeded: 1, failedIndexes: [{ first: 0, last: 0 }] },
      'FailureTarget MaxFailedIndexesExceeded',
    ],
    [
      'a rule is met while an index that failed may',
      seen(job({ ...rules({ succeededIndexes: '2' }), backoffLimitPerIndex: 1, maxFailedIndexes: 1 })),
      { completed: [{ first: 2, last: 2 }], succeeded: 1, failedIndexes: [{ first: 0, last: 0 }] },
      'SuccessCriteriaMet SuccessPolicy',
    ],
  ];
  for (const [name, of, book, wanted] of rows)
    test(name, () => {
      const ending = decideEnding(of, { ...BOOK, ...book });
      assert.equal(ending === undefined ? undefined : `${ending.type} ${ending.reason}`, wanted);
    });

  test('the rule that was met is named by its place', () => {
    const of = seen(job(rules({ succeededIndexes: '0' }, { succeededCount: 1 })));
    const book = { ...BOOK, succeeded: 1, completed: [{ first: 1, last: 1 }] };
    assert.equal(decideEnding(of, book)?.message, 'Matched rules at index 1');
  });

  test('a deadline needs a start, and stands still while the job is suspended', () => {
    const spec = { activeDeadlineSeconds: 60 };
    assert.equal(deadlineMs(job(spec)), Date.parse(START) + 60_000);
    assert.equal(deadlineMs(job()), undefined);
    assert.equal(deadlineMs({ ...job(spec), status: {} }), undefined);
    assert.equal(deadlineMs(job({ ...spec, suspend: true })), undefined);
  });
});

describe('which pods a job makes and takes away', () => {
  const none = undefined;
  const running = (uid: string, shape: Shape = {}): Pod => pod(uid, 'Running', shape);
  const failed = (uid: string, endedSecondsAgo: number): Pod => pod(uid, 'Failed', { endedSecondsAgo });
  const going: Job = { ...job(), metadata: { ...job().metadata, deletionTimestamp: START } };
  const rows: readonly [
    name: string,
    of: JobSeen,
    book: Partial<Account>,
    create: readonly unknown[],
    remove: readonly string[],
  ][] = [
    ['as many as run side by side', seen(job()), {}, [none, none], []],
    ['the rest of them', seen(job(), [running('a')]), {}, [none], []],
    ['no more than completions are left', seen(job()), { succeeded: 2 }, [none], []],
    [
      'what is named counts as done',
      seen(job()),
      { succeeded: 1, uncounted: { succeeded: ['x'], failed: [] } },
      [none],
      [],
    ],
    ['a job that is deleted', seen(going), {}, [], []],
    ['a job that is suspended', seen(job({ suspend: true }), [running('a')]), {}, [], ['a']],
    [
      'fewer side by side: who has done least goes',
      seen(job({ parallelism: 1 }), [running('a', { ready: true }), running('b')]),
      {},
      [],
      ['b'],
    ],
    [
      'without completions, after a success: who runs may end, however few may run',
      seen({ ...open('completions'), spec: { ...open('completions').spec, parallelism: 1 } }, [
        running('a'),
        running('b'),
      ]),
      { succeeded: 1 },
      [],
      [],
    ],
    [
      'one without a node goes first',
      seen(job({ parallelism: 1 }), [running('a'), running('b', { node: '' })]),
      {},
      [],
      ['b'],
    ],
    [
      'one that is going does not count, and is replaced',
      seen(job(), [running('a', { going: true }), running('b')]),
      {},
      [none],
      [],
    ],
    [
      'only failed pods are replaced',
      seen(job({ podReplacementPolicy: 'Failed' }), [running('a', { going: true }), running('b')]),
      {},
      [],
      [],
    ],
    [
      'one succeeded, no number is asked for: nobody new',
      seen(open('completions'), [running('a')]),
      { succeeded: 1 },
      [],
      [],
    ],
    ['the lowest indexes', seen(job(INDEXED)), {}, [0, 1], []],
    [
      'indexes that are neither done nor held',
      seen(job(INDEXED), [running('a', { index: 1 })]),
      { succeeded: 1, completed: [{ first: 0, last: 0 }] },
      [2],
      [],
    ],
    ['an index beyond goes', seen(job({ ...INDEXED, parallelism: 1 }), [running('a', { index: 3 })]), {}, [0], ['a']],
    [
      'an index that is held twice: who has come less far goes',
      seen(job(INDEXED), [running('a', { index: 0 }), running('b', { index: 0, ready: true })]),
      {},
      [1],
      ['a'],
    ],
  ];
  for (const [name, of, book, create, remove] of rows)
    test(name, () => {
      const plan = planPods(of, { ...BOOK, ...book });
      assert.deepEqual([plan.create, names(plan.remove), plan.waitMs], [create, remove, undefined]);
    });

  const waits: readonly [name: string, pods: readonly Pod[], waitMs: number | undefined][] = [
    ['after one failure', [failed('a', 4)], 6000],
    ['twice as long after two', [failed('a', 4), failed('b', 30)], 16_000],
    ['never more than ten minutes', Array.from({ length: 12 }, (_, n) => failed(`f${n}`, 1)), 599_000],
    ['long enough ago', [failed('a', 11)], undefined],
    ['after one that was taken away', [pod('a', 'Running', { going: true, endedSecondsAgo: 1 })], 9000],
    [
      'failures before a success count no more',
      [failed('a', 4), pod('b', 'Succeeded', { endedSecondsAgo: 2 })],
      undefined,
    ],
  ];
  for (const [name, pods, waitMs] of waits)
    test(`back-off: ${name}`, () => assert.equal(planPods(seen(job(), pods), BOOK).waitMs, waitMs));

  test('with limits per index each index waits for itself', () => {
    const pods = [pod('a', 'Failed', { index: 0, endedSecondsAgo: 4 })];
    const plan = planPods(seen(job({ ...INDEXED, backoffLimitPerIndex: 3 }), pods), BOOK);
    assert.deepEqual([plan.create, plan.waitMs], [[1, 2], 6000]);
    const over = [pod('a', 'Failed', { index: 0, endedSecondsAgo: 11 })];
    const again = planPods(seen(job({ ...INDEXED, backoffLimitPerIndex: 3 }), over), BOOK);
    assert.deepEqual([again.create, again.waitMs], [[0, 1], undefined], 'it has waited');
  });

  test('no more than 500 in one sync', () => {
    assert.equal(planPods(seen(job({ parallelism: 900, completions: 900 })), BOOK).create.length, 500);
  });

  test('the failures of an index are those of its latest pod', () => {
    const spec = { ...INDEXED, backoffLimitPerIndex: 5 };
    const pods = [
      pod('a', 'Failed', { index: 1, failures: 1 }),
      pod('b', 'Failed', { index: 1 }),
      running('c', { index: 2 }),
    ];
    assert.deepEqual([...failuresByIndex(seen(job(spec), pods))], [[1, { counted: 2, ignored: 0 }]]);
    assert.deepEqual([...failuresByIndex(seen(job(INDEXED), pods))], [], 'nobody asks without a limit');
  });
});

describe('what a job reports', () => {
  const ready = pod('a', 'Running', { ready: true });
  const leaving = pod('b', 'Running', { going: true });
  const met = { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message: 'm' } as const;
  const target = { type: 'FailureTarget', reason: 'BackoffLimitExceeded', message: 'm' } as const;
  const types = ({ conditions = [] }: JobStatus): string[] => conditions.map(({ type, status }) => `${type} ${status}`);

  test('pods by how they are', () => {
    const pods = [ready, pod('p', 'Pending'), leaving, pod('f', 'Failed'), pod('g', 'Failed', { going: true })];
    assert.deepEqual(podCounts(pods), { active: 2, ready: 1, terminating: 1 });
    const {
      active,
      ready: isReady,
      terminating,
      failed,
    } = jobStatus(seen(job(), pods), { ...BOOK, failed: 2 }, undefined);
    assert.deepEqual([active, isReady, terminating, failed], [2, 1, 1, 2]);
  });

  const suspended = condition('Suspended');
  const endings: readonly [
    name: string,
    of: JobSeen,
    book: Partial<Account>,
    ending: Parameters<typeof jobStatus>[2],
    wanted: readonly string[],
  ][] = [
    ['it goes on', seen(job()), {}, undefined, []],
    ['suspended', seen(job({ suspend: true })), {}, undefined, ['Suspended True']],
    ['resumed', seen(job({}, { conditions: [suspended] })), {}, undefined, ['Suspended False']],
    ['decided, while a pod runs', seen(job(), [ready]), {}, met, ['SuccessCriteriaMet True']],
    ['decided, while a pod goes', seen(job(), [leaving]), {}, met, ['SuccessCriteriaMet True']],
    [
      'decided, while one is not counted',
      seen(job()),
      { uncounted: { succeeded: ['a'], failed: [] } },
      met,
      ['SuccessCriteriaMet True'],
    ],
    ['complete', seen(job()), {}, met, ['SuccessCriteriaMet True', 'Complete True']],
    ['failed', seen(job()), {}, target, ['FailureTarget True', 'Failed True']],
    ['it ends while suspended', seen(job({ suspend: true })), {}, target, ['FailureTarget True', 'Failed True']],
  ];
  for (const [name, of, book, ending, wanted] of endings)
    test(name, () => assert.deepEqual(types(jobStatus(of, { ...BOOK, ...book }, ending)), wanted));

  test('times: a start that is kept, and forgotten while suspended; an end for who succeeded', () => {
    const now = '2026-01-01T00:10:00Z';
    assert.equal(jobStatus(seen(job()), BOOK, undefined).startTime, START);
    assert.equal(jobStatus(seen({ ...job(), status: {} }), BOOK, undefined).startTime, now);
    assert.equal(jobStatus(seen(job({ suspend: true })), BOOK, undefined).startTime, undefined);
    assert.equal(jobStatus(seen(job({ suspend: true })), BOOK, target).startTime, START, 'it ends, suspended or not');
    assert.equal(jobStatus(seen(job()), BOOK, met).completionTime, now);
    assert.equal(jobStatus(seen(job()), BOOK, target).completionTime, undefined);
    assert.equal(jobStatus(seen(job(), [ready]), BOOK, met).completionTime, undefined);
  });

  test('indexes, as far as the job has them', () => {
    const book = { ...BOOK, completed: [{ first: 0, last: 1 }] };
    const shown = (spec: Partial<JobSpec>): unknown => {
      const { completedIndexes, failedIndexes } = jobStatus(seen(job(spec)), book, undefined);
      return [completedIndexes, failedIndexes];
    };
    assert.deepEqual(shown({}), [undefined, undefined]);
    assert.deepEqual(shown(INDEXED), ['0,1', undefined]);
    assert.deepEqual(shown({ ...INDEXED, backoffLimitPerIndex: 1 }), ['0,1', '']);
  });

  test('what is named and not counted yet, without empty lists', () => {
    const named = (uncounted: Account['uncounted']): unknown =>
      jobStatus(seen(job()), { ...BOOK, uncounted }, undefined).uncountedTerminatedPods;
    assert.deepEqual(named({ succeeded: [], failed: ['a'] }), { failed: ['a'] });
    assert.deepEqual(named({ succeeded: ['a'], failed: [] }), { succeeded: ['a'] });
    assert.deepEqual(named({ succeeded: [], failed: [] }), {});
  });
});

test('of thousands that are too many, so many go in one sync as are made in one', () => {
  const many = Array.from({ length: 1200 }, (_, i) => pod(`p${i}`, 'Running'));
  for (const one of [job({ suspend: true }), job({ parallelism: 0 })])
    assert.equal(planPods(seen(one, many), BOOK).remove.length, 500);
});
