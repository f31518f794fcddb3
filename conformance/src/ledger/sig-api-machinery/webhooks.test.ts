/** Admission webhooks: a server of our own is asked over TLS and denies, mutates, hangs or cannot be believed. */
import assert from 'node:assert/strict';
import { PODS } from '@binnacle/api';
import { findKubectl, runKubectl } from '@binnacle/testkit';
import { requests } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { ANYTHING, DEFINITIONS_PATH, untilServed, withKind } from '../custom-kinds.ts';
import type { ServedKind } from '../custom-kinds.ts';
import { podOf, runPod } from '../objects.ts';
import { configurations, webhookOf, withWebhooks } from '../webhooks.ts';
import type { ConfigurationKind, Opinion, Question, Webhook } from '../webhooks.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const DISALLOWED = 'webhook-disallow';
const MARK = 'webhook-e2e-test';
const CONFIG_MAPS = { resources: ['configmaps'] };

function dataOf(object: Thing | null): { readonly [key: string]: string } {
  return (object?.['data'] ?? {}) as { readonly [key: string]: string };
}
function configMap(name: string, data: object = {}): Thing {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}
function configMaps(world: World, namespace = world.namespace) {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const api = requests(world, path);
  /** The message of a write that must fail. */
  const refused = async (method: string, name: string, body: object, type = 'application/json'): Promise<string> => {
    const at = method === 'POST' ? path : `${path}/${name}`;
    const answer = await world.http(at, { method, body, headers: { 'content-type': type } });
    assert.ok(answer.code >= 400, `${method} ${at} was let through`);
    return answer.json<{ message: string }>().message;
  };
  return { ...api, path, refused };
}

const denyConfigMaps: Webhook = ({ object }) =>
  dataOf(object)[MARK] === DISALLOWED ? { denied: 'the configmap contains unwanted key and value' } : {};

/** Adds `mutation-stage-N` to data that has what the stage before it added. */
const stage =
  (number: number): Webhook =>
  ({ object }) => {
    const needs = number === 1 ? 'mutation-start' : `mutation-stage-${number - 1}`;
    if (dataOf(object)[needs] !== 'yes') return {};
    return { patch: [{ op: 'add', path: `/data/mutation-stage-${number}`, value: 'yes' }] };
  };
const STAGES = { '/stage-1': stage(1), '/stage-2': stage(2) };
const START = { 'mutation-start': 'yes' };
const FIRST = { ...START, 'mutation-stage-1': 'yes' };
const BOTH = { ...FIRST, 'mutation-stage-2': 'yes' };

function denyPods({ object }: Question): Opinion {
  const labels = object?.metadata.labels ?? {};
  if (labels[MARK] === 'wait-forever') return { later: true };
  const containers = (object?.spec as { containers?: { name: string }[] } | undefined)?.containers ?? [];
  const reasons = [
    ...(containers.some((c) => c.name.includes(DISALLOWED)) ? ['the pod contains unwanted container name'] : []),
    ...(labels[MARK] === DISALLOWED ? ['the pod contains unwanted label'] : []),
  ];
  return reasons.length === 0 ? {} : { denied: reasons.join('; ') };
}

behaviours('simulated', 'validating webhooks', (check) => {
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to deny pod and configmap creation [Conformance]',
    async (world) => {
      await withWebhooks(world, { '/pods': denyPods, '/configmaps': denyConfigMaps }, async (service) => {
        const skips = { matchExpressions: [{ key: 'skip-webhook', operator: 'NotIn', values: ['yes'] }] };
        const own = { matchLabels: { ledger: world.namespace } };
        const selector = { namespaceSelector: { ...own, ...skips } };
        const exempt = await world.makeNamespace({ ledger: world.namespace, 'skip-webhook': 'yes' });
        const namespace = await world.makeNamespace({ ledger: world.namespace });
        const covered = { operations: ['CREATE'], resources: ['pods'] };
        const marked = (operator: string) => ({
          matchExpressions: [{ key: MARK, operator, values: ['wait-forever'] }],
        });
        const both = { operations: ['CREATE', 'UPDATE', 'DELETE'], ...CONFIG_MAPS };
        await service.configure('Validating', world.namespace, {
          webhooks: [
            webhookOf(world, service.clientConfig('/pods'), {
              ...covered,
              more: { name: 'pods.ledger.example.com', ...selector, objectSelector: marked('NotIn') },
            }),
            // The one alone that never answers has a short time: an answer of others may take a while on a busy machine.
            webhookOf(world, service.clientConfig('/pods'), {
              ...covered,
              more: { name: 'hangs.ledger.example.com', ...selector, objectSelector: marked('In'), timeoutSeconds: 1 },
            }),
            webhookOf(world, service.clientConfig('/configmaps'), {
              ...both,
              more: { name: 'configmaps.ledger.example.com', ...selector },
            }),
          ],
        });

        const pods = requests(world, `/api/v1/namespaces/${namespace}/pods`);
        const refusedPod = async (name: string, mark: string, container: string): Promise<string> => {
          const { metadata, spec } = podOf(name, { containers: [{ name: container, image: 'i' }] });
          const body = { metadata: { ...metadata, labels: { [MARK]: mark } }, spec };
          const answer = await world.http(`/api/v1/namespaces/${namespace}/pods`, { method: 'POST', body });
          assert.ok(answer.code >= 400, `${name} was let through`);
          return answer.json<{ message: string }>().message;
        };
        const message = await refusedPod('bad', DISALLOWED, DISALLOWED);
        assert.match(
          message,
          /^admission webhook "pods\.ledger\.example\.com" denied the request: the pod contains unwanted container name; the pod contains unwanted label$/,
        );
        assert.match(await refusedPod('hangs', 'wait-forever', 'c'), /failed calling webhook .*deadline exceeded/);
        await pods.missing('hangs');

        const maps = configMaps(world, namespace);
        const unwanted = { [MARK]: DISALLOWED };
        const why = /denied the request: the configmap contains unwanted key and value/;
        assert.match(await maps.refused('POST', 'bad', configMap('bad', unwanted)), why);
        await maps.create(configMap('good', { admit: 'this' }));
        assert.match(await maps.refused('PUT', 'good', configMap('good', unwanted)), why);
        const strategic = 'application/strategic-merge-patch+json';
        assert.match(await maps.refused('PATCH', 'good', { data: unwanted }, strategic), why);
        await configMaps(world, exempt).create(configMap('bad', unwanted));
      });
    },
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to deny attaching pod [Conformance]',
    async (world) => {
      const kubectl = await findKubectl();
      assert.ok(kubectl !== undefined, 'this machine has a kubectl');
      let asked: Question | undefined;
      const deny: Webhook = (question) => {
        asked = question;
        return { denied: `attaching to pod '${question.name}' is not allowed` };
      };
      await withWebhooks(world, { '/attach': deny }, async (service) => {
        const covered = { operations: ['CONNECT'], resources: ['pods/attach'] };
        const hook = webhookOf(world, service.clientConfig('/attach'), {
          ...covered,
          more: { name: 'attach.ledger.example.com' },
        });
        await service.configure('Validating', world.namespace, { webhooks: [hook] });
        await runPod(world, 'attached');
        const args = ['-n', world.namespace, 'attach', 'attached', '-i', '-c=c'];
        const { code, stderr } = await runKubectl(kubectl, world.kubeconfig, args);
        assert.notEqual(code, 0);
        assert.match(stderr, /attaching to pod 'attached' is not allowed/);
        assert.deepEqual(
          [asked?.operation, asked?.subResource, asked?.object?.kind],
          ['CONNECT', 'attach', 'PodAttachOptions'],
        );
      });
    },
  );

  const denyData: Webhook = ({ operation, object, oldObject }) => {
    if (operation === 'DELETE') {
      const kept = dataOf(oldObject)[MARK] === 'webhook-nondeletable';
      return kept ? { denied: 'the custom resource cannot be deleted because it contains unwanted key and value' } : {};
    }
    return dataOf(object)[MARK] === DISALLOWED ? { denied: 'the custom resource contains unwanted data' } : {};
  };

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should be able to deny custom resource creation, update and deletion [Conformance]',
    (world) =>
      withKind(world, { name: 'guarded' }, (kind) =>
        withWebhooks(world, { '/custom-resource': denyData }, async (service) => {
          const covered = {
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            group: kind.group,
            resources: [kind.plural],
          };
          const hook = webhookOf(world, service.clientConfig('/custom-resource'), {
            ...covered,
            more: { name: 'guard.ledger.example.com' },
          });
          await service.configure('Validating', world.namespace, { webhooks: [hook] });
          const api = requests(world, kind.path());
          const refused = async (method: string, at: string, body?: object): Promise<string> =>
            (await world.http(at, { method, body })).json<{ message: string }>().message;
          const of = (value: string): Thing => kind.object('kept', { data: { [MARK]: value } });
          assert.match(
            await refused('POST', kind.path(), of(DISALLOWED)),
            /the custom resource contains unwanted data/,
          );
          const kept = await api.create(of('webhook-nondeletable'));
          const worse = { ...kept, data: { [MARK]: DISALLOWED } };
          assert.match(
            await refused('PUT', `${kind.path()}/kept`, worse),
            /the custom resource contains unwanted data/,
          );
          assert.match(await refused('DELETE', `${kind.path()}/kept`), /the custom resource cannot be deleted because/);
          await api.update({ ...kept, data: { [MARK]: 'webhook-allow' } });
          await api.delete('kept');
          await api.missing('kept');
        }),
      ),
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should deny crd creation [Conformance]',
    async (world) => {
      const deny: Webhook = ({ object }) =>
        object?.metadata.labels?.[MARK] === DISALLOWED ? { denied: 'the crd contains unwanted label' } : {};
      await withWebhooks(world, { '/crd': deny }, async (service) => {
        const covered = {
          operations: ['CREATE'],
          group: 'apiextensions.k8s.io',
          versions: ['*'],
          resources: ['customresourcedefinitions'],
        };
        const selector = { namespaceSelector: {}, objectSelector: { matchLabels: { ledger: world.namespace } } };
        const hook = webhookOf(world, service.clientConfig('/crd'), {
          ...covered,
          more: { name: 'crd.ledger.example.com', ...selector },
        });
        await service.configure('Validating', world.namespace, { webhooks: [hook] });
        const labels = { ledger: world.namespace };
        const denied = { name: 'denied', labels: { ...labels, [MARK]: DISALLOWED } };
        await assert.rejects(
          withKind(world, denied, () => Promise.resolve()),
          /the crd contains unwanted label/,
        );
        assert.deepEqual((await requests(world, DEFINITIONS_PATH).list(`ledger=${world.namespace}`)).items, []);
        await withKind(world, { name: 'allowed', labels }, () => Promise.resolve());
      });
    },
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should unconditionally reject operations on fail closed webhook [Conformance]',
    (world) =>
      withWebhooks(world, {}, async (service) => {
        const untrusted = service.clientConfig('/configmaps', { trusted: false });
        const covered = { operations: ['CREATE'], ...CONFIG_MAPS };
        const hook = webhookOf(world, untrusted, {
          ...covered,
          more: { name: 'closed.ledger.example.com', failurePolicy: 'Fail' },
        });
        await service.configure('Validating', world.namespace, { webhooks: [hook] });
        const maps = configMaps(world);
        const answer = await world.http(maps.path, { method: 'POST', body: configMap('foo') });
        const { reason, message } = answer.json<{ reason: string; message: string }>();
        assert.deepEqual([answer.code, reason], [500, 'InternalError']);
        assert.match(
          message,
          /^Internal error occurred: failed calling webhook "closed\.ledger\.example\.com": .*x509/,
        );
        await maps.missing('foo');
      }),
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should honor timeout [Conformance]',
    async (world) => {
      const slowly = async (): Promise<Opinion> => {
        const { promise, resolve } = Promise.withResolvers<Opinion>();
        setTimeout(() => resolve({}), 5000);
        return promise;
      };
      await withWebhooks(world, { '/always-allow-delay-5s': slowly }, async (service) => {
        const rows = [
          ['shorter than the wait, closed', { timeoutSeconds: 1, failurePolicy: 'Fail' }, false],
          ['shorter than the wait, open', { timeoutSeconds: 1, failurePolicy: 'Ignore' }, true],
          ['longer than the wait', { timeoutSeconds: 30, failurePolicy: 'Fail' }, true],
          ['not said', { timeoutSeconds: undefined, failurePolicy: 'Fail' }, true],
        ] as const;
        const run = async ([what, more, passes]: (typeof rows)[number], index: number): Promise<void> => {
          const namespace = await world.makeNamespace();
          const clientConfig = service.clientConfig('/always-allow-delay-5s');
          const hook = webhookOf({ ...world, namespace }, clientConfig, {
            operations: ['CREATE'],
            ...CONFIG_MAPS,
            more: { name: 'slow.ledger.example.com' },
          });
          await service.configure('Validating', `${world.namespace}-${index}`, { webhooks: [{ ...hook, ...more }] });
          const maps = configMaps(world, namespace);
          const answer = await world.http(maps.path, { method: 'POST', body: configMap('slow') });
          assert.equal(answer.code, passes ? 201 : 500, `${what}: ${answer.text}`);
          if (passes) return;
          assert.match(answer.text, /\/always-allow-delay-5s\?timeout=1s/);
          assert.match(answer.text, /context deadline exceeded/);
        };
        await Promise.all(rows.map(run));
      });
    },
  );
});

/** Ten configurations alike are listed, asked, and taken away together. */
async function listing(
  world: World,
  kind: ConfigurationKind,
  asked: { readonly path: string; readonly webhook: Webhook; readonly seen: (created: boolean) => Promise<void> },
): Promise<void> {
  const { path, webhook, seen } = asked;
  await withWebhooks(world, { [path]: webhook }, async (service) => {
    const labels = { ledger: world.namespace };
    const names: string[] = [];
    for (let n = 0; n < 10; n++) {
      const hook = webhookOf(world, service.clientConfig(path), {
        operations: ['CREATE'],
        ...CONFIG_MAPS,
        more: { name: 'one.ledger.example.com' },
      });
      const made = await service.configure(kind, `${world.namespace}-${n}`, { webhooks: [hook], labels });
      names.push(made.metadata.name ?? '');
    }
    const api = configurations(world, kind);
    const selector = `ledger=${world.namespace}`;
    assert.deepEqual(
      (await api.list(selector)).items.map((item) => item.metadata.name),
      names,
    );
    await seen(true);
    await api.deleteCollection(selector);
    assert.deepEqual((await api.list(selector)).items, []);
    await seen(false);
  });
}

/** A configuration that leaves creations out is not asked of them; patched to cover them again, it is. */
async function changing(
  world: World,
  kind: ConfigurationKind,
  asked: { readonly path: string; readonly webhook: Webhook; readonly seen: (created: boolean) => Promise<void> },
): Promise<void> {
  const { path, webhook, seen } = asked;
  await withWebhooks(world, { [path]: webhook }, async (service) => {
    const hook = webhookOf(world, service.clientConfig(path), {
      operations: ['CREATE'],
      ...CONFIG_MAPS,
      more: { name: 'one.ledger.example.com' },
    });
    const made = await service.configure(kind, world.namespace, { webhooks: [hook] });
    await seen(true);
    const api = configurations(world, kind);
    const operations = (wanted: string[]) => [{ ...hook, rules: [{ ...hook.rules[0], operations: wanted }] }];
    const updated = await api.update({ ...made, webhooks: operations(['UPDATE']) });
    await seen(false);
    const answer = await world.http(
      `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations/${world.namespace}`,
      {
        method: 'PATCH',
        headers: { 'content-type': 'application/json-patch+json' },
        body: [{ op: 'replace', path: '/webhooks/0/rules/0/operations', value: ['CREATE'] }],
      },
    );
    assert.equal(answer.code, 200, answer.text);
    const version = (thing: Thing): bigint => BigInt(thing.metadata.resourceVersion ?? '0');
    assert.ok(version(answer.json<Thing>()) > version(updated));
    await seen(true);
  });
}

const denial = (world: World) => ({
  path: '/configmaps',
  webhook: denyConfigMaps,
  seen: async (denied: boolean): Promise<void> => {
    const maps = configMaps(world);
    const body = configMap('m', { [MARK]: DISALLOWED });
    if (denied) assert.match(await maps.refused('POST', 'm', body), /denied the request/);
    else await maps.create(body).then(() => maps.delete('m'));
  },
});
const mutation = (world: World) => ({
  path: '/stage-1',
  webhook: stage(1),
  seen: async (mutated: boolean): Promise<void> => {
    const maps = configMaps(world);
    assert.deepEqual(dataOf(await maps.create(configMap('m', START))), mutated ? FIRST : START);
    await maps.delete('m');
  },
});

behaviours('simulated', 'configurations of webhooks', (check) => {
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] listing validating webhooks should work [Conformance]',
    (world) => listing(world, 'Validating', denial(world)),
  );
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] listing mutating webhooks should work [Conformance]',
    (world) => listing(world, 'Mutating', mutation(world)),
  );
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] patching/updating a validating webhook should work [Conformance]',
    (world) => changing(world, 'Validating', denial(world)),
  );
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] patching/updating a mutating webhook should work [Conformance]',
    (world) => changing(world, 'Mutating', mutation(world)),
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should not be able to mutate or prevent deletion of webhook configuration objects [Conformance]',
    async (world) => {
      const mark: Webhook = () => ({ patch: [{ op: 'add', path: '/metadata/labels/added-by-webhook', value: 'yes' }] });
      const webhooks = { '/deny': () => ({ denied: 'never' }), '/mark': mark };
      await withWebhooks(world, webhooks, async (service) => {
        const covered = {
          group: 'admissionregistration.k8s.io',
          versions: ['*'],
          resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
        };
        const selector = { namespaceSelector: {}, objectSelector: { matchLabels: { ledger: world.namespace } } };
        const over = (path: string, operations: readonly string[]) =>
          webhookOf(world, service.clientConfig(path), {
            ...covered,
            operations,
            more: { name: 'over.ledger.example.com', ...selector },
          });
        await service.configure('Validating', world.namespace, { webhooks: [over('/deny', ['DELETE'])] });
        await service.configure('Mutating', world.namespace, { webhooks: [over('/mark', ['CREATE'])] });
        const labels = { ledger: world.namespace };
        for (const kind of ['Validating', 'Mutating'] as const) {
          const none = { operations: ['CREATE'], resources: ['invalid'] };
          const dummy = webhookOf(world, service.clientConfig('/none'), {
            ...none,
            more: { name: 'dummy.ledger.example.com', failurePolicy: 'Ignore' },
          });
          const name = `${world.namespace}-dummy`;
          const made = await service.configure(kind, name, { webhooks: [dummy], labels });
          assert.deepEqual(made.metadata.labels, labels, `${kind} is not mutated`);
          await configurations(world, kind).delete(name);
          await configurations(world, kind).missing(name);
        }
      });
    },
  );
});

async function withStages(world: World, kind: ServedKind, body: () => Promise<void>): Promise<void> {
  await withWebhooks(world, STAGES, async (service) => {
    const covered = {
      operations: ['CREATE', 'UPDATE'],
      group: kind.group,
      versions: ['v1', 'v2'],
      resources: [kind.plural],
    };
    const hooks = Object.keys(STAGES).map((path) =>
      webhookOf(world, service.clientConfig(path), {
        ...covered,
        more: { name: `${path.slice(1)}.ledger.example.com` },
      }),
    );
    await service.configure('Mutating', world.namespace, { webhooks: hooks });
    await body();
  });
}

behaviours('simulated', 'mutating webhooks', (check) => {
  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate configmap [Conformance]',
    (world) =>
      withWebhooks(world, STAGES, async (service) => {
        const covered = { operations: ['CREATE'], ...CONFIG_MAPS };
        const hooks = Object.keys(STAGES).map((path) =>
          webhookOf(world, service.clientConfig(path), {
            ...covered,
            more: { name: `${path.slice(1)}.ledger.example.com` },
          }),
        );
        await service.configure('Mutating', world.namespace, { webhooks: hooks });
        assert.deepEqual(dataOf(await configMaps(world).create(configMap('m', START))), BOTH);
        assert.deepEqual(dataOf(await configMaps(world).get('m')), BOTH);
      }),
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate pod and apply defaults after mutation [Conformance]',
    async (world) => {
      const container = { name: 'webhook-added-init-container', image: 'webhook-added-image', resources: {} };
      const add: Webhook = () => ({ patch: [{ op: 'add', path: '/spec/initContainers', value: [container] }] });
      await withWebhooks(world, { '/pods': add }, async (service) => {
        const covered = { operations: ['CREATE'], resources: ['pods'] };
        await service.configure('Mutating', world.namespace, {
          webhooks: [
            webhookOf(world, service.clientConfig('/pods'), { ...covered, more: { name: 'pods.ledger.example.com' } }),
          ],
        });
        const pod = await world.client.resource(PODS, world.namespace).create(podOf('mutated'));
        const [added, ...others] = pod.spec?.initContainers ?? [];
        assert.deepEqual(others, []);
        assert.equal(added?.name, container.name);
        assert.deepEqual(
          [added.terminationMessagePolicy, added.terminationMessagePath, added.imagePullPolicy],
          ['File', '/dev/termination-log', 'Always'],
        );
      });
    },
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate custom resource [Conformance]',
    (world) =>
      withKind(world, { name: 'mutated' }, (kind) =>
        withStages(world, kind, async () => {
          const made = await requests(world, kind.path()).create(kind.object('one', { data: START }));
          assert.deepEqual(made['data'], BOTH);
        }),
      ),
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate custom resource with pruning [Conformance]',
    (world) => {
      const text = { type: 'string' };
      const data = { type: 'object', properties: { 'mutation-start': text, 'mutation-stage-1': text } };
      const versions = { v1: { type: 'object', properties: { data } } };
      return withKind(world, { name: 'pruned', versions }, (kind) =>
        withStages(world, kind, async () => {
          const made = await requests(world, kind.path()).create(kind.object('one', { data: START }));
          assert.deepEqual(made['data'], FIRST);
        }),
      );
    },
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should mutate custom resource with different stored version [Conformance]',
    (world) =>
      withKind(world, { name: 'versioned', versions: { v1: ANYTHING, v2: ANYTHING } }, (kind) =>
        withStages(world, kind, async () => {
          await requests(world, kind.path()).create(kind.object('one', { data: START }));
          const version = (name: string, storage: boolean) => ({
            name,
            storage,
            served: true,
            schema: { openAPIV3Schema: ANYTHING },
          });
          const versions = [version('v1', false), version('v2', true)];
          await requests(world, DEFINITIONS_PATH).strategic(kind.name, { spec: { versions } });
          await untilServed(world, kind.path('v2'), 200);
          const answer = await world.http(`${kind.path('v2')}/one`, {
            method: 'PATCH',
            headers: { 'content-type': 'application/json-patch+json' },
            body: [{ op: 'add', path: '/dummy', value: 'test' }],
          });
          assert.equal(answer.code, 200, answer.text);
          const patched = answer.json<Thing>();
          assert.deepEqual([patched['data'], patched['dummy']], [BOTH, 'test']);
        }),
      ),
  );
});
