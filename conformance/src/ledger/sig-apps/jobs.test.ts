/** Jobs with real containers (on containerd): completion, indexes, policies of success and failure, and the verbs of the resource. */
import assert from 'node:assert/strict';
import { isPodReady, JOBS, PODS } from '@binnacle/api';
import type { Job, JobSpec } from '@binnacle/api/batch/v1';
import type { Pod, PodSpec } from '@binnacle/api/core/v1';
import { requests, writeAgain } from '../api-operations.ts';
import { logOf, record, shell, untilOne, untilPods } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const FOREVER = 'trap "exit 0" TERM; while :; do sleep 1; done';
const ODD_FAIL = 'exit $((JOB_COMPLETION_INDEX % 2))';

const jobs = (world: World) => world.client.resource(JOBS, world.namespace);
const apiOf = (world: World) => requests(world, `/apis/batch/v1/namespaces/${world.namespace}/jobs`);

/** A job named `job` whose container runs a script; its pods carry `app=job`. */
function make(world: World, script: string, spec: Partial<JobSpec>, pod: Partial<PodSpec> = {}): Promise<Job> {
  return jobs(world).create({
    metadata: { name: 'job', labels: { app: 'job' } },
    spec: {
      template: {
        metadata: { labels: { app: 'job' } },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 1,
          containers: [shell(script)],
          ...pod,
        },
      },
      ...spec,
    },
  });
}

const conditionOf = (job: Job, type: string) => job.status?.conditions?.find((c) => c.type === type);

/** Waits for the condition; answers with the job of that moment. */
async function at(world: World, type: 'Complete' | 'Failed', reason: string): Promise<Job> {
  const job = (await untilOne(world, JOBS, {
    name: 'job',
    what: type,
    deadlineMs: 60_000,
    until: (j) => ['Complete', 'Failed'].some((end) => conditionOf(j, end)?.status === 'True'),
  })) as Job;
  assert.equal(conditionOf(job, type)?.reason, reason, JSON.stringify(job.status));
  return job;
}

const running = (count: number) => (pods: readonly Pod[]) => pods.length === count && pods.every(isPodReady);

behaviours('containers', 'jobs', (check) => {
  check(
    '[sig-apps] Job should run a job to completion when tasks sometimes fail and are locally restarted [Conformance]',
    async (world) => {
      const script = 'if [ -e /data/once ]; then exit 0; fi; touch /data/once; exit 1';
      const volumeMounts = [{ name: 'data', mountPath: '/data' }];
      await make(
        world,
        script,
        { parallelism: 2, completions: 2 },
        {
          restartPolicy: 'OnFailure',
          containers: [shell(script, { volumeMounts })],
          volumes: [{ name: 'data', emptyDir: {} }],
        },
      );
      const job = await at(world, 'Complete', 'CompletionsReached');
      assert.equal(job.status?.succeeded, 2);
      assert.equal(job.status?.failed ?? 0, 0);
      const pods = (await world.client.resource(PODS, world.namespace).list({ labelSelector: 'app=job' })).items;
      assert.deepEqual(
        pods.map((p) => [p.status?.phase, p.status?.containerStatuses?.[0]?.restartCount]),
        [
          ['Succeeded', 1],
          ['Succeeded', 1],
        ],
      );
    },
  );

  check(
    '[sig-apps] Job should allow to use the pod failure policy on exit code to fail the job early [Conformance]',
    async (world) => {
      await make(world, 'exit 1', {
        parallelism: 1,
        completions: 1,
        backoffLimit: 1,
        podFailurePolicy: {
          rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }],
        },
      });
      const job = await at(world, 'Failed', 'PodFailurePolicy');
      assert.match(
        conditionOf(job, 'Failed')?.message ?? '',
        new RegExp(
          `^Container c for pod ${world.namespace}/job-[a-z0-9]+ failed with exit code 1 matching FailJob rule at index 0$`,
        ),
      );
      assert.equal(conditionOf(job, 'FailureTarget')?.reason, 'PodFailurePolicy');
      assert.equal(job.status?.failed, 1);
    },
  );

  check(
    '[sig-apps] Job should allow to use a pod failure policy to ignore failure matching on DisruptionTarget condition [Conformance]',
    async (world) => {
      // The first pod of each index ends by being evicted; with a failure counted, the job's limit of 0 would be over.
      const marks = `/var/tmp/${world.namespace}`;
      const script = `if [ -e /data/$JOB_COMPLETION_INDEX ]; then rm /data/$JOB_COMPLETION_INDEX; exit 0; fi; touch /data/$JOB_COMPLETION_INDEX; trap "exit 1" TERM; while :; do sleep 1; done`;
      await make(
        world,
        script,
        {
          parallelism: 2,
          completions: 2,
          completionMode: 'Indexed',
          backoffLimit: 0,
          podFailurePolicy: {
            rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
          },
        },
        {
          containers: [
            shell(script, {
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
              readinessProbe: {
                exec: { command: ['sh', '-c', 'test -e /data/$JOB_COMPLETION_INDEX'] },
                periodSeconds: 1,
              },
            }),
          ],
          volumes: [{ name: 'data', hostPath: { path: marks, type: 'DirectoryOrCreate' } }],
        },
      );
      await untilOne(world, JOBS, { name: 'job', what: 'two ready', until: (j) => j.status?.ready === 2 });
      const pods = await untilPods(world, { app: 'job', what: 'two ready' }, running(2));
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/pods`);
      for (const pod of pods) {
        const name = pod.metadata.name ?? '';
        await api.refused(
          { method: 'POST', at: `/api/v1/namespaces/${world.namespace}/pods/${name}/eviction`, code: 201 },
          { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: world.namespace } },
        );
        await untilOne(world, PODS, { name, what: 'gone' });
      }
      const job = await at(world, 'Complete', 'CompletionsReached');
      assert.equal(job.status?.succeeded, 2);
      assert.equal(job.status?.failed ?? 0, 0);
    },
  );

  check(
    '[sig-apps] Job should create pods for an Indexed job with completion indexes and specified hostname [Conformance]',
    async (world) => {
      await make(world, 'echo "$JOB_COMPLETION_INDEX $(hostname)"', {
        parallelism: 2,
        completions: 4,
        completionMode: 'Indexed',
      });
      const job = await at(world, 'Complete', 'CompletionsReached');
      assert.equal(job.status?.completedIndexes, '0-3');
      const pods = (await world.client.resource(PODS, world.namespace).list({ labelSelector: 'app=job' })).items;
      const seen = [];
      for (const pod of pods) {
        const index = pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'];
        assert.equal(pod.metadata.labels?.['batch.kubernetes.io/job-completion-index'], index);
        assert.equal(pod.spec.hostname, `job-${index}`);
        assert.ok(pod.metadata.name?.startsWith(`job-${index}-`), pod.metadata.name);
        assert.equal((await logOf(world, pod.metadata.name ?? '')).trim(), `${index} job-${index}`);
        seen.push(index);
      }
      assert.deepEqual(seen.toSorted(), ['0', '1', '2', '3']);
    },
  );

  check(
    '[sig-apps] Job should execute all indexes despite some failing when using backoffLimitPerIndex [Conformance]',
    async (world) => {
      await make(world, ODD_FAIL, {
        parallelism: 2,
        completions: 4,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
      });
      const { status } = await at(world, 'Failed', 'FailedIndexes');
      assert.partialDeepStrictEqual(status, {
        failedIndexes: '1,3',
        completedIndexes: '0,2',
        failed: 4,
        succeeded: 2,
      });
    },
  );

  check(
    '[sig-apps] Job should terminate job execution when the number of failed indexes exceeds maxFailedIndexes [Conformance]',
    async (world) => {
      await make(world, 'exit 1', {
        parallelism: 1,
        completions: 4,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 0,
        maxFailedIndexes: 0,
      });
      const { status } = await at(world, 'Failed', 'MaxFailedIndexesExceeded');
      assert.partialDeepStrictEqual(status, { failedIndexes: '0', failed: 1 });
    },
  );

  check(
    '[sig-apps] Job should mark indexes as failed when the FailIndex action is matched in podFailurePolicy [Conformance]',
    async (world) => {
      await make(world, ODD_FAIL, {
        parallelism: 2,
        completions: 2,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
        podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }] },
      });
      const { status } = await at(world, 'Failed', 'FailedIndexes');
      assert.partialDeepStrictEqual(status, {
        failedIndexes: '1',
        completedIndexes: '0',
        failed: 1,
        succeeded: 1,
      });
    },
  );

  /** The criterion is met first, with its reason; then all pods are gone and the job is complete. */
  const succeeds = async (world: World, script: string, spec: Partial<JobSpec>): Promise<Job> => {
    const log = await record(world, JOBS, 'app=job');
    await make(world, script, { parallelism: 2, completionMode: 'Indexed', ...spec });
    const job = await at(world, 'Complete', 'SuccessPolicy');
    const interim = log.events.find(({ object }) => conditionOf(object, 'SuccessCriteriaMet')?.status === 'True');
    log.stop();
    assert.equal(interim && conditionOf(interim.object, 'SuccessCriteriaMet')?.reason, 'SuccessPolicy');
    assert.equal(conditionOf(job, 'SuccessCriteriaMet')?.status, 'True');
    assert.equal(job.status?.active ?? 0, 0);
    assert.equal(job.status?.ready, 0);
    assert.equal(job.status?.terminating, 0);
    return job;
  };

  check(
    '[sig-apps] Job with successPolicy should succeeded when all indexes succeeded [Conformance]',
    async (world) => {
      const job = await succeeds(world, 'exit 0', {
        completions: 2,
        successPolicy: { rules: [{ succeededCount: 2 }] },
      });
      assert.equal(job.status?.succeeded, 2);
      assert.equal(job.status?.failed ?? 0, 0);
    },
  );

  check(
    '[sig-apps] Job with successPolicy succeededIndexes rule should succeeded even when some indexes remain pending [Conformance]',
    async (world) => {
      const job = await succeeds(world, ODD_FAIL, {
        completions: 5,
        successPolicy: { rules: [{ succeededIndexes: '0' }] },
      });
      assert.equal(job.status?.completedIndexes, '0');
    },
  );

  check(
    '[sig-apps] Job with successPolicy succeededCount rule should succeeded even when some indexes remain pending [Conformance]',
    async (world) => {
      const job = await succeeds(world, ODD_FAIL, {
        completions: 5,
        backoffLimit: 2_147_483_647,
        successPolicy: { rules: [{ succeededCount: 1 }] },
      });
      assert.equal(job.status?.completedIndexes, '0');
    },
  );

  check('[sig-apps] Job should delete a job [Conformance]', async (world) => {
    await make(world, FOREVER, { parallelism: 2, completions: 4 });
    await untilPods(world, { app: 'job', what: 'two running' }, running(2));
    await apiOf(world).delete('job', { propagationPolicy: 'Background' });
    await untilOne(world, JOBS, { name: 'job', what: 'gone' });
    await untilPods(world, { app: 'job', what: 'gone' }, (pods) => pods.length === 0);
  });

  check('[sig-apps] Job should adopt matching orphans and release non-matching pods [Conformance]', async (world) => {
    const job = await make(world, FOREVER, { parallelism: 2, completions: 4 });
    const [pod] = await untilPods(world, { app: 'job', what: 'two running' }, running(2));
    const name = pod?.metadata.name ?? '';
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/pods`);
    await api.patch(name, { metadata: { ownerReferences: null } });
    const adopted = await untilOne(world, PODS, {
      name,
      what: 'adopted',
      until: (p) => p.metadata.ownerReferences?.[0]?.controller === true,
    });
    assert.partialDeepStrictEqual(adopted?.metadata.ownerReferences?.[0], {
      kind: 'Job',
      name: 'job',
      uid: job.metadata.uid,
    });
    await api.patch(name, { metadata: { labels: null } });
    await untilOne(world, PODS, {
      name,
      what: 'released',
      until: (p) => (p.metadata.ownerReferences ?? []).length === 0,
    });
  });

  check('[sig-apps] Job should apply changes to a job status [Conformance]', async (world) => {
    const made = await make(world, FOREVER, { parallelism: 2, completions: 4 });
    await untilPods(world, { app: 'job', what: 'two running' }, running(2));
    const api = apiOf(world);
    const custom = (lastTransitionTime: string) => ({
      type: 'CustomConditionType',
      status: 'True',
      lastTransitionTime,
    });
    const conditionsOf = (status: unknown) =>
      (status as { conditions?: { type: string; lastTransitionTime?: string }[] }).conditions ?? [];
    const timeOf = (status: unknown) =>
      conditionsOf(status).find((c) => c.type === 'CustomConditionType')?.lastTransitionTime;
    const patched = await api.patch(
      'job',
      {
        metadata: { annotations: { patchedstatus: 'true' } },
        status: { conditions: [custom('2026-01-01T00:00:00Z')] },
      },
      '/status',
    );
    assert.equal(timeOf(patched.status), '2026-01-01T00:00:00Z');
    assert.equal(patched.metadata.annotations?.['patchedstatus'], 'true');
    const updated = await writeAgain(async () => {
      const seen = await api.get('job');
      return api.update(
        { ...seen, status: { ...(seen.status as object), conditions: [custom('2026-01-02T00:00:00Z')] } },
        '/status',
      );
    });
    assert.equal(timeOf(updated.status), '2026-01-02T00:00:00Z');
    assert.equal((await api.get('job', '/status')).metadata.uid, made.metadata.uid);
  });

  check('[sig-apps] Job should manage the lifecycle of a job [Conformance]', async (world) => {
    const api = apiOf(world);
    const log = await record(world, JOBS, 'app=job');
    await make(world, 'exit 0', { parallelism: 2, completions: 4, suspend: true });
    const patched = await api.strategic('job', { metadata: { labels: { job: 'patched' } } });
    assert.equal(patched.metadata.labels?.['job'], 'patched');
    await untilOne(world, JOBS, {
      name: 'job',
      what: 'suspended',
      until: (j) => conditionOf(j, 'Suspended')?.reason === 'JobSuspended',
    });
    assert.deepEqual((await world.client.resource(PODS, world.namespace).list({ labelSelector: 'app=job' })).items, []);
    const updated = await writeAgain(async () => {
      const seen = await api.get('job');
      return api.update({
        ...seen,
        metadata: { ...seen.metadata, annotations: { ...seen.metadata.annotations, updated: 'true' } },
        spec: { ...(seen.spec as object), suspend: false },
      });
    });
    assert.equal(updated.metadata.annotations?.['updated'], 'true');
    const listed = await api.list('app=job', '/apis/batch/v1/jobs');
    assert.equal(listed.items.filter((j) => j.metadata.namespace === world.namespace).length, 1);
    const job = await at(world, 'Complete', 'CompletionsReached');
    assert.equal(job.status?.succeeded, 4);
    assert.equal(conditionOf(job, 'Suspended')?.reason, 'JobResumed');
    await api.refused(
      {
        method: 'DELETE',
        at: `/apis/batch/v1/namespaces/${world.namespace}/jobs?labelSelector=app%3Djob`,
        code: 200,
      },
      { propagationPolicy: 'Background' },
    );
    await untilOne(world, JOBS, { name: 'job', what: 'gone' });
    await log.until('its end seen', (events) => events.at(-1)?.type === 'DELETED');
    log.stop();
    assert.equal(log.events[0]?.type, 'ADDED');
    assert.ok(log.events.some((e) => e.type === 'MODIFIED' && e.object.metadata.labels?.['job'] === 'patched'));
    assert.ok(log.events.some((e) => e.type === 'MODIFIED' && e.object.metadata.annotations?.['updated'] === 'true'));
    assert.deepEqual((await api.list('app=job')).items, []);
  });
});
