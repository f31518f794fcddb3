/** Discovery, versions, chunks, tables, field validation: how the server answers, whatever the kind. */
import assert from 'node:assert/strict';
import { requests, writeAgain } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { template } from '../objects.ts';
import { behaviours } from '../world.ts';

interface Group {
  name: string;
  versions: { groupVersion: string; version: string }[];
  preferredVersion: { groupVersion: string; version: string };
}
interface Aggregated {
  kind: string;
  apiVersion: string;
  items: { metadata: { name?: string }; versions: { version: string; resources: { resource: string }[] }[] }[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

behaviours('simulated', 'serving', (check) => {
  check(
    '[sig-api-machinery] Servers with support for Table transformation should return a 406 for a backend which does not implement metadata [Conformance]',
    async (world) => {
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const review = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
      };
      const post = (accept: string) => world.http(path, { method: 'POST', body: review, headers: { accept } });
      const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      const refused = await post(table);
      assert.equal(refused.code, 406);
      assert.equal(refused.json<{ reason: string }>().reason, 'NotAcceptable');
      assert.equal((await post(`${table},application/json`)).code, 201);
    },
  );

  check(
    '[sig-api-machinery] Discovery should validate PreferredVersion for each APIGroup [Conformance]',
    async (world) => {
      const { groups } = (await world.http('/apis')).json<{ groups: Group[] }>();
      assert.ok(groups.length > 10);
      for (const { name } of groups) {
        const group = (await world.http(`/apis/${name}`)).json<Group>();
        assert.ok(
          group.versions.some(
            (v) =>
              v.groupVersion === group.preferredVersion.groupVersion && v.version === group.preferredVersion.version,
          ),
          name,
        );
      }
    },
  );

  check(
    '[sig-api-machinery] Discovery should locate the groupVersion and a resource within each APIGroup [Conformance]',
    async (world) => {
      const { groups } = (await world.http('/apis')).json<{ groups: Group[] }>();
      for (const group of groups) {
        for (const { groupVersion } of group.versions) {
          const list = (await world.http(`/apis/${groupVersion}`)).json<{
            kind: string;
            groupVersion: string;
            resources: { name: string; kind: string; verbs: string[] }[];
          }>();
          assert.equal(list.kind, 'APIResourceList');
          assert.equal(list.groupVersion, groupVersion);
          assert.ok(
            list.resources.some((r) => r.name !== '' && r.kind !== '' && r.verbs.length > 0),
            groupVersion,
          );
        }
      }
    },
  );

  const isWhole = (document: Aggregated, groups: readonly Group[]): void => {
    assert.equal(document.kind, 'APIGroupDiscoveryList');
    const found = new Set(document.items.flatMap((g) => g.versions.map((v) => `${g.metadata.name}/${v.version}`)));
    for (const group of groups)
      for (const { groupVersion } of group.versions) assert.ok(found.has(groupVersion), groupVersion);
    for (const item of document.items)
      for (const version of item.versions) assert.ok(version.resources.length > 0, item.metadata.name);
  };

  check(
    '[sig-api-machinery] AggregatedDiscovery should support raw aggregated discovery endpoint Accept headers [Conformance]',
    async (world) => {
      const { groups } = (await world.http('/apis', { headers: { accept: 'application/json' } })).json<{
        groups: Group[];
      }>();
      const answer = await world.http('/apis', { headers: { accept: AGGREGATED } });
      assert.match(String(answer.headers['content-type']), /g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList/);
      assert.equal(answer.json<Aggregated>().apiVersion, 'apidiscovery.k8s.io/v2');
      isWhole(answer.json<Aggregated>(), groups);
      const core = (await world.http('/api', { headers: { accept: AGGREGATED } })).json<Aggregated>();
      assert.ok(core.items[0]?.versions[0]?.resources.some((r) => r.resource === 'pods'));
    },
  );

  check(
    '[sig-api-machinery] AggregatedDiscovery should support aggregated discovery interface [Conformance]',
    async (world) => {
      // A client asks for the newest first and takes plain lists last; both parts together hold every built-in resource.
      const accept = `${AGGREGATED},application/json`;
      const { groups } = (await world.http('/apis', { headers: { accept: 'application/json' } })).json<{
        groups: Group[];
      }>();
      isWhole((await world.http('/apis', { headers: { accept } })).json<Aggregated>(), groups);
      const core = (await world.http('/api', { headers: { accept } })).json<Aggregated>();
      const plain = (await world.http('/api/v1')).json<{ resources: { name: string }[] }>();
      const names = new Set(core.items[0]?.versions[0]?.resources.map((r) => r.resource));
      for (const { name } of plain.resources.filter((r) => !r.name.includes('/'))) assert.ok(names.has(name), name);
    },
  );

  check(
    '[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin] should include webhook resources in discovery documents [Conformance]',
    async (world) => {
      const { groups } = (await world.http('/apis')).json<{ groups: Group[] }>();
      const group = groups.find((g) => g.name === 'admissionregistration.k8s.io');
      assert.ok(group?.versions.some((v) => v.groupVersion === 'admissionregistration.k8s.io/v1'));
      const list = (await world.http('/apis/admissionregistration.k8s.io/v1')).json<{
        resources: { name: string }[];
      }>();
      const names = list.resources.map((r) => r.name);
      assert.ok(names.includes('mutatingwebhookconfigurations') && names.includes('validatingwebhookconfigurations'));
    },
  );

  check('[sig-api-machinery] server version should find the server version [Conformance]', async (world) => {
    const version = (await world.http('/version')).json<{ major: string; minor: string }>();
    assert.match(version.major, /^\d+$/);
    assert.match(version.minor, /^\d+$/);
  });

  check(
    '[sig-api-machinery] Servers with support for API chunking should return chunks of results for list calls [Conformance]',
    async (world) => {
      const path = `/api/v1/namespaces/${world.namespace}/podtemplates`;
      const api = requests(world, path);
      const count = 40;
      for (let n = 0; n < count; n++) {
        await api.create({
          apiVersion: 'v1',
          kind: 'PodTemplate',
          metadata: { name: `template-${String(n).padStart(4, '0')}` },
          template: template('x'),
        });
      }
      const page = async (
        limit: number,
        token = '',
      ): Promise<{
        items: Thing[];
        metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
      }> => (await world.http(`${path}?limit=${limit}&continue=${encodeURIComponent(token)}`)).json();
      const limit = 17;
      const names: string[] = [];
      let version: string | undefined;
      let token: string | undefined;
      do {
        const chunk = await page(limit, token);
        assert.ok(chunk.items.length <= limit);
        names.push(...chunk.items.map((item) => item.metadata.name ?? ''));
        version ??= chunk.metadata.resourceVersion;
        assert.equal(chunk.metadata.resourceVersion, version, 'one version for all chunks');
        token = chunk.metadata.continue === '' ? undefined : chunk.metadata.continue;
        assert.equal(chunk.metadata.remainingItemCount ?? 0, count - names.length);
      } while (token !== undefined);
      assert.deepEqual(
        names,
        (await api.list()).items.map((item) => item.metadata.name),
      );
      assert.equal(names.length, count);
    },
  );

  const deployment = (more: string): string =>
    `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"fv","labels":{"app":"nginx"}${more.includes('META') ? ',"unknownMeta":"unknownVal"' : ''}},"spec":{"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"i"}]}}${more.replace('META', '')}}}`;

  check(
    '[sig-api-machinery] FieldValidation should detect unknown and duplicate fields of a typed object [Conformance]',
    async (world) => {
      const path = `/apis/apps/v1/namespaces/${world.namespace}/deployments?fieldValidation=Strict`;
      const answer = await world.http(path, {
        method: 'POST',
        body: deployment(',"unknownField":"foo","replicas":1,"replicas":2'),
      });
      assert.equal(answer.code, 400);
      const { message } = answer.json<{ message: string }>();
      assert.match(message, /strict decoding error: .*unknown field "spec\.unknownField"/);
      assert.match(message, /duplicate field "spec\.replicas"/);
    },
  );

  check(
    '[sig-api-machinery] FieldValidation should detect unknown metadata fields of a typed object [Conformance]',
    async (world) => {
      const path = `/apis/apps/v1/namespaces/${world.namespace}/deployments?fieldValidation=Strict`;
      const answer = await world.http(path, { method: 'POST', body: deployment('META') });
      assert.equal(answer.code, 400);
      assert.match(
        answer.json<{ message: string }>().message,
        /strict decoding error: unknown field "metadata\.unknownMeta"/,
      );
    },
  );

  const quota = (name: string, hard: object) => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, labels: { ledger: name } },
    spec: { hard },
  });

  check(
    '[sig-api-machinery] ResourceQuota should apply changes to a resourcequota status [Conformance]',
    async (world) => {
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/resourcequotas`);
      const hard = { cpu: '500m', memory: '500Mi' };
      const made = await api.create(quota('q', hard));
      assert.deepEqual(made.spec, { hard });
      const hardOf = (thing: Thing): unknown => (thing.status as { hard?: object }).hard;
      // The quota controller writes the status too.
      const updated = await writeAgain(async () =>
        api.update({ ...(await api.get('q')), status: { hard } }, '/status'),
      );
      assert.deepEqual(hardOf(updated), hard);
      const more = { cpu: '1', memory: '1Gi' };
      assert.deepEqual((await api.patch('q', { spec: { hard: more } })).spec, { hard: more });
      assert.deepEqual(hardOf(await api.patch('q', { status: { hard: more } }, '/status')), more);
      assert.deepEqual(hardOf(await api.get('q', '/status')), more);
      const again = await api.patch(
        'q',
        { spec: { hard: { cpu: '9' } }, status: { hard: { cpu: '2', memory: '2Gi' } } },
        '/status',
      );
      assert.deepEqual(hardOf(again), { cpu: '2', memory: '2Gi' });
      assert.deepEqual(again.spec, { hard: more }, 'the spec is not changed by a patch of the status');
    },
  );

  check(
    '[sig-api-machinery] ResourceQuota should manage the lifecycle of a ResourceQuota [Conformance]',
    async (world) => {
      const name = `q-${world.namespace}`;
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/resourcequotas`);
      await api.create(quota(name, { cpu: '500m', memory: '500Mi' }));
      const found = await api.list(`ledger=${name}`, '/api/v1/resourcequotas');
      assert.deepEqual(
        found.items.map((item) => item.metadata.name),
        [name],
      );
      const patched = await api.patch(name, {
        metadata: { labels: { patched: 'yes' } },
        spec: { hard: { memory: '750Mi' } },
      });
      assert.equal(patched.metadata.labels?.['patched'], 'yes');
      assert.deepEqual(patched.spec, { hard: { cpu: '500m', memory: '750Mi' } });
      await api.deleteCollection(`ledger=${name}`);
      await api.missing(name);
    },
  );
});

interface Page {
  readonly items: Thing[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}
interface Expired {
  readonly code: number;
  readonly reason: string;
  readonly metadata: { readonly continue?: string };
}

behaviours('forgetful', 'chunks of a past that is gone', (check) => {
  check(
    '[sig-api-machinery] Servers with support for API chunking should support continue listing from the last key if the original version has been compacted away, though the list is inconsistent [Slow] [Conformance]',
    async (world) => {
      const path = `/api/v1/namespaces/${world.namespace}/podtemplates`;
      const api = requests(world, path);
      const [count, limit] = [40, 4];
      const nameOf = (n: number): string => `template-${String(n).padStart(4, '0')}`;
      const create = (name: string) =>
        api.create({ apiVersion: 'v1', kind: 'PodTemplate', metadata: { name }, template: template('x') });
      for (let n = 0; n < count; n++) await create(nameOf(n));
      const ask = (token: string) => world.http(`${path}?limit=${limit}&continue=${encodeURIComponent(token)}`);

      const first = (await ask('')).json<Page>();
      const { continue: token = '', remainingItemCount, resourceVersion } = first.metadata;
      assert.deepEqual([first.items.length, remainingItemCount], [limit, count - limit]);

      // Writes move the store on; what it forgets is told when the token is used.
      const deadline = Date.now() + 20_000;
      let expired = await ask(token);
      for (let n = 0; expired.code === 200; n++) {
        assert.ok(Date.now() < deadline, 'the token has not expired');
        await api.patch(nameOf(0), { metadata: { labels: { turn: `${n}` } } });
        expired = await ask(token);
      }
      const { code, reason, metadata } = expired.json<Expired>();
      assert.deepEqual([code, reason], [410, 'Expired']);
      assert.ok(metadata.continue, 'a token to go on with, though the list is inconsistent');

      const names: string[] = [];
      const versions = new Set<string>();
      for (let next = metadata.continue; next !== undefined && next !== '';) {
        const answer = await ask(next);
        assert.equal(answer.code, 200, answer.text);
        const page = answer.json<Page>();
        assert.ok(page.items.length <= limit);
        names.push(...page.items.map((item) => item.metadata.name ?? ''));
        assert.equal(page.metadata.remainingItemCount ?? 0, count - limit - names.length);
        versions.add(page.metadata.resourceVersion);
        next = page.metadata.continue ?? '';
      }
      assert.deepEqual(
        names,
        Array.from({ length: count - limit }, (_, n) => nameOf(n + limit)),
      );
      assert.deepEqual([versions.size, versions.has(resourceVersion)], [1, false]);
    },
  );
});
